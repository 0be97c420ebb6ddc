import { type ConnectionLimits, commonLimits } from '../listeners/limits.js'

/** Fixed bounds of the internal listener: times in milliseconds, sizes in bytes. */
export interface InternalLimits extends ConnectionLimits {
  /** For a stream whose client neither reads its answer nor sends the rest of its request. */
  readonly streamIdleMs: number
  readonly sessionIdleMs: number
  /** The longest timeout of a call, and the timeout of a call without one. */
  readonly callMs: number
  /** The longest timeout of a streaming call; without one it has none. */
  readonly streamMs: number
  readonly headerPairsMax: number
  readonly streamsMax: number
  /** Streams that a client may reset before their answers begin, at once and then a second; then its session ends. */
  readonly resetsMax: number
  readonly resetsPerSecond: number
  /** All sessions together may reset this many times as many; then no session may exceed its own. */
  readonly resetsInAllFactor: number
  /** Streaming calls without a token: for a connection, and in all. */
  readonly openStreamsMax: number
  readonly openStreamsInAll: number
  readonly sessionMegabytesMax: number
  readonly invalidFramesMax: number
  /** Running calls of one role, without streams. */
  readonly callsMax: number
  readonly messageBytesInAll: number
}

export const internalLimits: InternalLimits = {
  ...commonLimits,
  // As long as a call may take: a programme may arrive over a slow line.
  requestMs: 60_000,
  streamIdleMs: 25_000,
  sessionIdleMs: 300_000,
  drainMs: 1_000,
  callMs: 60_000,
  streamMs: 86_400_000,
  connectionsMax: 1_024,
  headerPairsMax: 128,
  streamsMax: 100,
  resetsMax: 100,
  resetsPerSecond: 33,
  resetsInAllFactor: 10,
  openStreamsMax: 4,
  openStreamsInAll: 256,
  sessionMegabytesMax: 8,
  invalidFramesMax: 100,
  callsMax: 64,
  // One message with the largest document, and smaller ones.
  messageBytesInAll: 48 * 1024 * 1024,
}

/**
 * A basket of this many times LOYALTY_MAX_LINES is not read. One that is slightly too long is read, so that its other faults come first.
 */
export const linesRoom = 2

export const documentBytesMax = 32 * 1024 * 1024
