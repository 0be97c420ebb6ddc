import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { InternalLimits } from './limits.js'
import type { AnyRequest, AnyResponse } from './response.js'

/** Bounds of the streams of every session. */
export interface StreamBounds {
  /** Watches a new session; one whose client resets more streams than any that waits for answers ends. */
  watch(session: ServerHttp2Session): void
  /** Sessions have reset so many streams lately that new ones should come slowly. */
  readonly isStrained: boolean
}

export function createStreamBounds(limits: InternalLimits): StreamBounds {
  const { streamsMax, resetsMax, resetsPerSecond, resetsInAllFactor } = limits
  const inAll = createResets(resetsInAllFactor * resetsPerSecond)
  const isStrained = () => inAll.count() > resetsInAllFactor * resetsMax
  return {
    watch(session) {
      const own = createResets(resetsPerSecond)
      let open = 0
      const ended = (stream: ServerHttp2Stream) => {
        open -= 1
        if (stream.headersSent) return
        own.add()
        inAll.add()
      }
      session.on('stream', (stream) => {
        open += 1
        if (stream.destroyed) ended(stream)
        else boundTime(stream, limits).once('close', () => ended(stream))
        if (open + own.count() > streamsMax + (isStrained() ? 0 : resetsMax))
          session.destroy(new Error('too many resets'), constants.NGHTTP2_ENHANCE_YOUR_CALM)
      })
    },
    get isStrained() {
      return isStrained()
    },
  }
}

/** Nothing that serves a call looks at the clock while it reads: a client that sends a byte now and then would hold its stream for ever. */
function boundTime(stream: ServerHttp2Stream, { streamIdleMs, requestMs }: InternalLimits): ServerHttp2Stream {
  // A moment later: after this process stood still, timers come before what has arrived meanwhile.
  stream.setTimeout(streamIdleMs, () => setImmediate(() => cutIfStuck(stream)))
  const cutIfUnfinished = () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL)
  }
  const timer = setTimeout(() => setImmediate(cutIfUnfinished), requestMs)
  return stream.once('close', () => clearTimeout(timer))
}

/** Streams that were reset before their answer began; so many a second are forgotten. */
function createResets(forgottenPerSecond: number) {
  let resets = 0
  let atMs = performance.now()
  const count = () => {
    const nowMs = performance.now()
    resets = Math.max(0, resets - ((nowMs - atMs) / 1_000) * forgottenPerSecond)
    atMs = nowMs
    return resets
  }
  return {
    count,
    add() {
      resets = count() + 1
    },
  }
}

/** A stream that waits for its client to read or to send; one that merely has nothing to say stays. */
function cutIfStuck(stream: ServerHttp2Stream): void {
  if (stream.writableLength > 0 || !stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL)
}

/** Takes room for a stream whose caller has no token, until it ends; false: there is none. */
export type TakeOpenStream = (request: AnyRequest, response: AnyResponse) => boolean

/** @param limits  how many a connection may have, and all of them together */
export function createOpenStreams({ openStreamsMax, openStreamsInAll }: InternalLimits): TakeOpenStream {
  const byConnection = new WeakMap<object, number>()
  let inAll = 0
  return (request, response) => {
    const connection = 'stream' in request ? request.stream.session! : request.socket
    const add = (change: number) => {
      inAll += change
      byConnection.set(connection, (byConnection.get(connection) ?? 0) + change)
    }
    if (inAll >= openStreamsInAll || (byConnection.get(connection) ?? 0) >= openStreamsMax) return false
    add(1)
    response.once('close', () => add(-1))
    return true
  }
}
