import { assertConnectionLimits, type ConnectionLimits, commonLimits } from '../listeners/limits.js'

/** Fixed bounds of the REST listener: times in milliseconds, sizes in bytes. */
export interface RestLimits extends ConnectionLimits {
  /** Time for which an idle connection stays open after an answer; the answer states it (`Keep-Alive: timeout=`). */
  readonly keepAliveMs: number
  /** Additional time for which it stays open: a client that keeps to the stated time never uses a connection that is just closing. */
  readonly keepAliveGraceMs: number
  /** Time for a client to read an answer. */
  readonly answerMs: number
  /** Time for which arriving bytes are read and dropped before a connection is closed, so that its answer is not lost. */
  readonly lingerMs: number
  /** Time after the deadline, for a use case that never answers: use cases themselves keep the deadline. */
  readonly deadlineGraceMs: number
  /** While draining: time for which idle connections stay open, so that a request on its way is answered, not reset. */
  readonly drainIdleMs: number
  /** While draining: time without connections, and without new ones, after which no client is expected. At most `drainIdleMs`. */
  readonly drainQuietMs: number
  /** While draining: time for the last accepted connection to send its request. */
  readonly drainLateMs: number
  /** Connections that wait to be accepted: with Node's 511 a burst of them made a new client wait 5.8 s for its first answer. */
  readonly backlog: number
}

export const restLimits: RestLimits = {
  ...commonLimits,
  requestMs: 10_000,
  keepAliveMs: 12_000,
  keepAliveGraceMs: 1_000,
  answerMs: 10_000,
  lingerMs: 2_000,
  deadlineGraceMs: 15,
  drainIdleMs: 1_500,
  drainQuietMs: 300,
  drainLateMs: 250,
  drainMs: 8_000,
  connectionsMax: 16_384,
  backlog: 4_096,
}

export function assertRestLimits(limits: RestLimits): void {
  assertConnectionLimits(limits)
  const ordered = limits.lingerMs <= limits.requestMs && limits.drainIdleMs <= limits.drainMs
  if (!ordered) throw new RangeError('REST limits contradict each other')
}
