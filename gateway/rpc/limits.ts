import { type ConnectionLimits, commonLimits } from '../listeners/limits.js'

/** Bounds of the internal listener that no setting changes: times in milliseconds, sizes in bytes. */
export interface InternalLimits extends ConnectionLimits {
  /** A stream whose client neither reads what waits for it nor sends what it owes. */
  readonly streamIdleMs: number
  readonly sessionIdleMs: number
  /** The longest that a call may take, and how long one may that asks for no timeout. */
  readonly callMs: number
  /** The longest timeout that a streaming call may ask for; one that asks for none has none. */
  readonly streamMs: number
  readonly headerPairsMax: number
  readonly streamsMax: number
  /** Streams that a client may reset before their answers begin, at once and then a second; then its session ends. */
  readonly resetsMax: number
  readonly resetsPerSecond: number
  /** All sessions together may reset so many times as much; then none has any to spare. */
  readonly resetsInAllFactor: number
  /** Streaming calls without a token: of a connection, and of all. */
  readonly openStreamsMax: number
  readonly openStreamsInAll: number
  readonly sessionMegabytesMax: number
  readonly invalidFramesMax: number
  /** Calls of one role that run at once, streams apart. */
  readonly callsMax: number
  readonly messageBytesInAll: number
}

export const internalLimits: InternalLimits = {
  ...commonLimits,
  // As long as a call may take: a programme may come over a slow line.
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
  // One with the largest document, and others beside it.
  messageBytesInAll: 48 * 1024 * 1024,
}

/** A basket of so many times LOYALTY_MAX_LINES is not read: one that is a little too long is, so that its other faults come first. */
export const linesRoom = 2

export const documentBytesMax = 32 * 1024 * 1024
