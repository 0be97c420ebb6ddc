import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { InternalLimits } from './limits.js'
import type { AnyRequest, AnyResponse } from './response.js'

/** Bounds of the streams of every session. */
export interface StreamBounds {
  /** Watches a new session; ends it when its client resets too many streams before their answers. */
  watch(session: ServerHttp2Session): void
  /** True when sessions have reset too many streams lately; new ones are then delayed. */
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

/** Calls have no time limit while they read: a client that sends a byte now and then would hold its stream for ever. */
function boundTime(stream: ServerHttp2Stream, { streamIdleMs, requestMs }: InternalLimits): ServerHttp2Stream {
  // A turn later: after a pause of this process, timers run before the data that arrived during it.
  stream.setTimeout(streamIdleMs, () => setImmediate(() => cutIfStuck(stream)))
  const cutIfUnfinished = () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL)
  }
  const timer = setTimeout(() => setImmediate(cutIfUnfinished), requestMs)
  return stream.once('close', () => clearTimeout(timer))
}

/** Streams that were reset before their answer began, less a number each second. */
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

/** Ends a stream that waits for its client to read or to send; a silent one stays. */
function cutIfStuck(stream: ServerHttp2Stream): void {
  if (stream.writableLength > 0 || !stream.readableEnded) stream.close(constants.NGHTTP2_CANCEL)
}

/** Takes a slot for a stream whose caller has no token, until it ends; false: none is free. */
export type TakeOpenStream = (request: AnyRequest, response: AnyResponse) => boolean

/** @param limits  maxima for a connection, and for all of them together */
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
