import { cors } from '@connectrpc/connect'
import type { AnyRequest, AnyResponse } from './response.js'

/** In addition to Connect's own: the token, and W3C trace context. */
const allowedHeaders = [...cors.allowedHeaders, 'Authorization', 'traceparent', 'tracestate'].join(', ')
/** In addition to Connect's own; our services send no trailers, which Connect would send as headers. */
const exposedHeaders = [...cors.exposedHeaders, 'traceresponse', 'WWW-Authenticate'].join(', ')
const allowedMethods = cors.allowedMethods.join(', ')
/** Seconds for which a browser may store a preflight: browsers store one for a day at most, Chromium for two hours. */
const preflightS = 7_200

/**
 * Lets pages of the given origins call from a browser (LOYALTY_CORS_ORIGINS), without cookies: a call still needs its token. Sets the
 * answer's headers; true: the request was a preflight and is answered.
 *
 * @param origins  as browsers send them; empty: no page may call, and answers have no such headers
 */
export function createCors(origins: readonly string[]): (request: AnyRequest, response: AnyResponse) => boolean {
  if (origins.length === 0) return () => false
  const allowed = new Set(origins)
  return (request, response) => {
    response.setHeader('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) return false
    response.setHeader('access-control-allow-origin', origin)
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!isPreflight) {
      response.setHeader('access-control-expose-headers', exposedHeaders)
      return false
    }
    response.writeHead(204, {
      'access-control-allow-methods': allowedMethods,
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': String(preflightS),
    })
    response.end()
    return true
  }
}
