import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { RunningGateway } from '../../../store/ledger/gateways.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import { buildFromText } from '../../config/build.js'
import type { ShownSetting } from '../../config/settings.js'
import { type LedgerStoreSchema, SystemService } from '../../gen/loyalty/v1/system_service_pb.js'
import { atMostEvery } from '../../telemetry/at-most-every.js'
import { type RecordOf, routeOf } from '../messages/message.js'
import { type DiagnoseParts, diagnose } from './diagnose.js'

const gatewaysMax = 1_000
/** Interval of the questions to a store that many consoles share; longer for its size, which the server has to add up. */
const storesEveryMs = 2_000
const describedEveryMs = 60_000

export interface SystemParts extends DiagnoseParts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'processes' | 'ping' | 'server'>
  readonly journal: Pick<Journal, 'depth' | 'journalled'>
  readonly settings: readonly ShownSetting[]
}

export function systemRoutes(parts: SystemParts) {
  const { adminLedger, cache, journal, settings } = parts
  const ledgerStore = atMostEvery(storesEveryMs, createLedgerLook(parts))
  const cacheStore = atMostEvery(storesEveryMs, async () => (cache === null ? undefined : await lookAtCache(cache)))
  return routeOf(SystemService, {
    async listGateways() {
      const gateways = await adminLedger.processes.listGateways(gatewaysMax)
      return { at: adminLedger.clock(), gateways: gateways.map(messageFromGateway) }
    },

    async getStores() {
      const [one, other] = await Promise.all([ledgerStore(), cacheStore()])
      const { entries, oldestMs } = journal.journalled
      return {
        at: adminLedger.clock(),
        ledger: one,
        cache: other,
        journal: { entries, oldestMs, copies: journal.depth },
      }
    },

    diagnose: () => diagnose(parts),

    listSettings: () => ({ settings: settings.map(messageFromSetting) }),
  })
}

function createLedgerLook({ adminLedger, isEmbedded }: SystemParts) {
  const describe = atMostEvery(describedEveryMs, () => adminLedger.server.describe())
  return async (): Promise<RecordOf<typeof LedgerStoreSchema>> => {
    const look = async () => {
      const answerMs = await timed(() => adminLedger.ping())
      const { version, bytes } = await describe()
      return { up: true, version, bytes, answerMs }
    }
    return { embedded: isEmbedded, ...((await orNull(look)) ?? { up: false }) }
  }
}

async function lookAtCache(cache: Pick<Cache, 'describe'>) {
  const look = async () => {
    const beganMs = performance.now()
    const server = await cache.describe()
    return { ...server, up: true, answerMs: performance.now() - beganMs }
  }
  return (await orNull(look)) ?? { up: false }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const beganMs = performance.now()
  await work()
  return performance.now() - beganMs
}

/** A store that does not answer is a result here, not a fault. */
async function orNull<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return null
  }
}

function messageFromGateway(gateway: RunningGateway) {
  const { version, startedAtMs: startedAt, seenAtMs: seenAt, isSilent: silent } = gateway
  return { ...gateway, ...buildFromText(version), startedAt, seenAt, silent }
}

function messageFromSetting({ name, value, fallback, isHidden }: ShownSetting) {
  return { name, value, default: fallback, secret: isHidden }
}
