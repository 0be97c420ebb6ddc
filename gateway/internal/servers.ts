import http from 'node:http'
import http2, { type ServerHttp2Session } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { ConnectError } from '@connectrpc/connect'
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { type ParserFault, parserFault, rawAnswer } from '../listeners/parser-faults.js'
import { isNextToAnswer } from '../listeners/pipeline.js'
import { watchStalls } from '../listeners/stalls.js'
import { retryAfterS } from '../use-cases/replies.js'
import { invalidFields, type Reason, refusal } from './errors.js'
import type { InternalLimits } from './limits.js'
import { type AnyRequest, type AnyResponse, sendPage } from './response.js'
import type { StreamBounds } from './stream-bounds.js'

type Handler = (request: AnyRequest, response: AnyResponse) => void

export function createHttp1(answer: Handler, limits: InternalLimits): http.Server {
  const server = http.createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: limits.headerBytesMax,
    },
    answer,
  )
  const stalls = watchStalls(limits.checkMs, limits.stallMs)
  server.on('close', () => stalls.stop())
  const stoodStill = () => stalls.within(limits.requestMs + limits.checkMs)
  server.on('clientError', (error, socket) => refuseFault(parserFault(error, stoodStill), socket))
  refuseOddities(server)
  // For a client that does not read its answer; a client that only watches stays.
  server.timeout = limits.streamIdleMs
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) socket.destroy()
  })
  // Only a listening server checks its connections for slow ones, and this one never listens itself.
  server.emit('listening')
  return server
}

export function createHttp2(
  answer: Handler,
  limits: InternalLimits,
  { sessions, streamBounds }: { readonly sessions: Set<ServerHttp2Session>; readonly streamBounds: StreamBounds },
): http2.Http2Server {
  const server = http2.createServer(
    {
      maxSessionMemory: limits.sessionMegabytesMax,
      maxHeaderListPairs: limits.headerPairsMax,
      maxSessionInvalidFrames: limits.invalidFramesMax,
      // Node.js 22 and newer count resets themselves.
      ...{ streamResetBurst: limits.resetsMax, streamResetRate: limits.resetsPerSecond },
      settings: {
        enablePush: false,
        maxConcurrentStreams: limits.streamsMax,
        maxHeaderListSize: limits.headerBytesMax,
      },
    },
    answer,
  )
  refuseOddities(server)
  server.on('connect', (_request: AnyRequest, response: AnyResponse) => {
    const error = invalidFields([{ field: 'method', description: 'this server is no proxy' }])
    sendPage(response, 405, 'application/json', bodyOf(error), { Allow: 'GET, HEAD, POST' })
  })
  server.on('session', (session) => {
    sessions.add(session)
    streamBounds.watch(session)
    session.once('close', () => sessions.delete(session))
    session.setTimeout(limits.sessionIdleMs, () => session.close())
  })
  // A session that breaks the protocol ends by itself; without a listener its error would end the process.
  server.on('sessionError', () => {})
  return server
}

const reasons: Readonly<Record<ParserFault['status'], Reason>> = {
  400: 'INVALID_REQUEST',
  408: 'DEADLINE_EXCEEDED',
  413: 'MESSAGE_TOO_LARGE',
  431: 'MESSAGE_TOO_LARGE',
  503: 'UNAVAILABLE',
}

/** Answers requests that Node's parser or timers reject, where its answer is the next one on its connection. */
function refuseFault(fault: ParserFault | null, socket: Duplex): void {
  if (fault === null || !isNextToAnswer(socket)) return void socket.destroy()
  const { status, message } = fault
  const more = status === 503 ? { retryAfterS } : {}
  const body = bodyOf(refusal(reasons[status], message, more))
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': String(retryAfterS) } : {}
  socket.end(rawAnswer(status, body, headers), () => socket.destroy())
}

/** Refuses requests that Node itself would refuse with an empty body. */
function refuseOddities(server: http.Server | http2.Http2Server): void {
  server.on('checkExpectation', (request: AnyRequest, response: AnyResponse) => {
    const { expect } = request.headers
    const error = invalidFields([{ field: 'Expect', description: `expected 100-continue; received ${expect}` }])
    sendPage(response, 417, 'application/json', bodyOf(error))
  })
}

function bodyOf(error: ConnectError): string {
  return Buffer.from(errorToJsonBytes(error, undefined)).toString()
}
