import pino from 'pino'
import { createWebhooks } from '../../../gateway/background/webhooks.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { createPostgresLedger } from '../../support/open-ledger.js'

/** A gateway's part that delivers, in a process of its own, to be killed: `node deliver-until-killed.js DATABASE_URL`. */
const ledger = await createPostgresLedger({ url: process.argv[2]!, expiryS: 1_800, idempotencyS: 86_400 })
const reach = { http: 'allowed', networks: ['127.0.0.0/8'] } as const
await createWebhooks({ adminLedger: ledger, reach, metrics: createMetrics(), log: pino({ level: 'silent' }) }).look()
