import http from 'node:http'
import https from 'node:https'
import { setImmediate } from 'node:timers/promises'
import type { Certificate } from '../config/certificate.js'
import type { Address } from '../config/config.js'
import { listen, stopListening, takeInTurn } from '../listeners/listen.js'
import { createTlsServer } from '../listeners/tls.js'
import { createAdmission } from './admission.js'
import { assertRestLimits, type RestLimits, restLimits } from './limits.js'
import { Reception, type ReceptionOptions } from './reception.js'

export interface RestOptions extends Omit<ReceptionOptions, 'admission' | 'nowMs' | 'limits'> {
  readonly address: Address
  readonly certificate: Certificate | null
  /** Wall clock for signatures, milliseconds since the epoch; `Date.now` except in tests. */
  readonly nowMs?: () => number
  readonly limits?: Partial<RestLimits>
}

export interface RestListener {
  /** Resolves to the address it listens on, with its port; rejects with StartFault. */
  listen(): Promise<Address>
  /** Refuses new requests, lets running ones finish, closes idle connections; bounded (wire decisions 6). */
  drain(): Promise<void>
  close(): Promise<void>
  readonly draining: boolean
}

/** Bytes of bodies held at once, unless a single one may be larger than a part of it. */
const bytesInFlightMax = 32 * 1024 * 1024

/** HTTP/1.1 on node:http, TLS 1.2 or newer where there is a certificate; every answer has our format. */
export function createRestListener(options: RestOptions): RestListener {
  const limits = { ...restLimits, ...options.limits }
  assertRestLimits(limits)
  const admission = createAdmission({
    deadlineMs: options.deadlineMs,
    bytesMax: Math.max(bytesInFlightMax, 4 * options.bodyBytesMax),
    nowMs: () => performance.now(),
  })
  options.metrics.watch('loyalty_requests_in_flight', 'Partner calls being worked on.', () => admission.inFlight)
  for (const endpoint of ['basket', 'sale', ...(options.posReturns ? ['return'] : [])])
    options.metrics.serves(endpoint, 'signed')
  const server = createServer(options, limits)
  const cutWaiting = takeInTurn(server)
  const reception = new Reception({ ...options, limits, admission, nowMs: options.nowMs ?? Date.now })
  server.on('request', (request, response) => reception.take(request, response, false))
  server.on('checkContinue', (request, response) => reception.take(request, response, true))
  server.on('checkExpectation', (request, response) => reception.refuseExpectation(request, response))
  server.on('clientError', (error, socket) => reception.refuseFault(error, socket))
  server.on('connect', (_request, socket) => reception.refuseTunnel(socket))
  server.on('close', () => reception.stop())

  const lastBegun = watchConnections(server)

  let drained: Promise<void> | null = null
  return {
    listen: () => listen(server, options.address, { setting: 'LOYALTY_HTTP', backlog: limits.backlog }),
    drain() {
      admission.drain()
      drained ??= drain(server, limits, lastBegun)
      return drained
    },
    async close() {
      admission.drain()
      const closed = stopListening(server)
      cutWaiting()
      server.closeAllConnections()
      await closed
    },
    get draining() {
      return admission.draining
    },
  }
}

function createServer(options: RestOptions, limits: RestLimits): http.Server {
  const shared: http.ServerOptions = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs + limits.keepAliveGraceMs,
    maxHeaderSize: limits.headerBytesMax,
    // Host is checked with the rest of the framing: Node's own 400 has no body.
    requireHostHeader: false,
    keepAlive: true,
  }
  const handshake = { protocols: ['http/1.1'], handshakeMs: limits.headersMs, clientCa: null }
  const server =
    options.certificate === null
      ? http.createServer(shared)
      : createTlsServer(options.certificate, handshake, (tls) => https.createServer({ ...shared, ...tls }))
  // The size of the head bounds their number; with a bound of its own Node would drop later ones silently.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connectionsMax
  // A client that shuts its sending side after the request still waits for its answer.
  return Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Idle connections stay for a moment, in which a request on its way gets its 503 and `Connection: close`; new connections are accepted
 * for as long, because the balancer may not have noticed yet that this process is not ready. Then listening ends, the last accepted
 * connections get a moment too, and running requests are waited for.
 */
async function drain(server: http.Server, limits: RestLimits, lastBegunMs: () => number): Promise<void> {
  const beganMs = performance.now()
  // A closed server accepts no connections.
  const quietAtMs = () => (server.listening ? Math.max(beganMs, lastBegunMs()) + limits.drainQuietMs : 0)
  await untilNoConnection(server, limits.drainIdleMs, quietAtMs)
  // Right after the loop has accepted waiting connections: the kernel resets those that still wait when listening ends.
  await setImmediate()
  const closed = stopListening(server)
  const cut = setTimeout(() => server.closeAllConnections(), limits.drainMs - limits.drainIdleMs)
  await untilNoConnection(server, limits.drainLateMs)
  server.closeIdleConnections()
  await closed
  clearTimeout(cut)
}

/** The beginning of the latest connection, in milliseconds of `performance.now()`. */
function watchConnections(server: http.Server): () => number {
  let atMs = Number.NEGATIVE_INFINITY
  server.on('connection', () => {
    atMs = performance.now()
  })
  return () => atMs
}

/** @param quietAtMs  earliest moment of the end, which may move during the wait */
async function untilNoConnection(server: http.Server, withinMs: number, quietAtMs = () => 0): Promise<void> {
  const untilMs = performance.now() + withinMs
  const isOver = async () => performance.now() >= quietAtMs() && (await openConnections(server)) === 0
  while (performance.now() < untilMs && !(await isOver())) await pause(drainStepMs)
}

const drainStepMs = 20

function openConnections(server: http.Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_error, count) => resolve(count ?? 0))
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
