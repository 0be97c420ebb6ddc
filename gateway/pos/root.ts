import { randomBytes } from 'node:crypto'
import type { Config } from '../config/config.js'
import type { Secrets } from '../config/secrets.js'
import { createMemberMark } from '../telemetry/pseudonym.js'
import { createRestListener, type RestListener, type RestOptions } from './listener.js'

/** Length of the random key for member marks in the log, if LOYALTY_LOG_KEY is not set. */
const logKeyBytes = 32

type Shared = 'certificate' | 'useCases' | 'rateLimiter' | 'requests' | 'readiness' | 'stagingVenues' | 'partner'

interface PosRoot extends Pick<RestOptions, Shared | 'log' | 'metrics' | 'tracing'> {
  readonly config: Config
  readonly secrets: Secrets
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
