import { randomBytes } from 'node:crypto'
import type { Readiness } from '../background/upkeep.js'
import type { Certificate } from '../config/certificate.js'
import type { Config } from '../config/config.js'
import type { Secrets } from '../config/secrets.js'
import type { StagingVenue } from '../listeners/entry-page.js'
import type { RateLimiter } from '../listeners/rate-limit.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'
import { createMemberMark } from '../telemetry/pseudonym.js'
import type { RequestFeed } from '../telemetry/request-feed.js'
import type { Tracing } from '../telemetry/tracing.js'
import type { PartnerUseCases } from '../use-cases/replies.js'
import { createRestListener, type RestListener } from './listener.js'
import type { PartnerParts } from './partner/partner-page.js'

/** Length of the random key for member marks in the log, if LOYALTY_LOG_KEY is not set. */
const logKeyBytes = 32

interface PosRoot {
  readonly config: Config
  readonly certificate: Certificate | null
  readonly secrets: Secrets
  readonly useCases: PartnerUseCases
  readonly rateLimiter: RateLimiter
  readonly requests: RequestFeed
  readonly readiness: () => Readiness
  readonly stagingVenues: (() => Promise<readonly StagingVenue[]>) | null
  readonly partner: PartnerParts | null
  readonly log: Log
  readonly metrics: Metrics
  readonly tracing: Tracing | null
}

/** The root of calls by a POS: the partner contract over REST. */
export function createPosRoot({ config, secrets, ...root }: PosRoot): RestListener {
  return createRestListener({
    ...root,
    address: config.http,
    bodyBytesMax: config.bodyBytesMax,
    linesMax: config.linesMax,
    posReturns: config.posReturns,
    deadlineMs: config.deadlineMs,
    environment: config.environment,
    secrets: () => secrets.active(),
    memberMark: createMemberMark(config.logKey ?? randomBytes(logKeyBytes), Date.now),
  })
}
