import { assertConnectionLimits, type ConnectionLimits, commonLimits } from '../listeners/limits.js'

/** Bounds of the REST listener that no setting changes: times in milliseconds, sizes in bytes. */
export interface RestLimits extends ConnectionLimits {
  /** How long an idle connection stays open after an answer; the answer says so (`Keep-Alive: timeout=`). */
  readonly keepAliveMs: number
  /** It really stays open so much longer: a client that keeps to that time never meets a connection that is just being closed. */
  readonly keepAliveGraceMs: number
  /** How long a client may take to read an answer. */
  readonly answerMs: number
  /** How long what still arrives is read and thrown away before a connection is closed, so that its answer is not lost. */
  readonly lingerMs: number
  /** Beyond the deadline, for a use case that never answers: the use case itself is expected to keep the deadline. */
  readonly deadlineGraceMs: number
  /** While draining: how long idle connections stay open, so that a request just on its way is answered, not reset. */
  readonly drainIdleMs: number
  /** While draining: without a connection, and none begun for so long, nobody sends here any more. At most `drainIdleMs`. */
  readonly drainQuietMs: number
  /** While draining: how long a connection that was accepted last may take to send its request. */
  readonly drainLateMs: number
  /** Connections that wait to be taken: with Node's 511 a burst of them made a new client wait 5.8 s for its first answer. */
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
