import { httpFault, type Refused } from './errors.js'

export type Endpoint = 'basket' | 'sale' | 'return'

/** Pages that need no signature (wire decisions 7); `partner` has forms and sessions. */
export type Page =
  | 'entry'
  | 'live'
  | 'ready'
  | 'openapi'
  | 'openapi-3.0'
  | 'signature-vectors'
  | 'client-cases'
  | 'docs'
  | 'programme-schema'
  | 'partner'

export type Route =
  | { readonly kind: 'partner'; readonly endpoint: Endpoint }
  | { readonly kind: 'page'; readonly page: Page; readonly path: string }
  | { readonly kind: 'refused'; readonly refused: Refused }

const partnerPaths: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/pos/basket', 'basket'],
  ['/v1/pos/sale', 'sale'],
  ['/v1/pos/return', 'return'],
])

const pagePaths: ReadonlyMap<string, Page> = new Map([
  ['/', 'entry'],
  ['/health/live', 'live'],
  ['/health/ready', 'ready'],
  ['/openapi.json', 'openapi'],
  ['/openapi-3.0.json', 'openapi-3.0'],
  ['/signature-vectors.json', 'signature-vectors'],
  ['/client-cases.json', 'client-cases'],
  ['/docs', 'docs'],
  ['/programme.schema.json', 'programme-schema'],
])

/**
 * Check 1: the route of a request. The path must match exactly; the query is ignored.
 *
 * @param isServed  false for an endpoint or page that is off
 */
export function findRoute(method: string, target: string, isServed: (part: Endpoint | 'partner') => boolean): Route {
  const path = pathOf(target)
  const endpoint = partnerPaths.get(path)
  if (endpoint !== undefined && isServed(endpoint)) {
    return method === 'POST' ? { kind: 'partner', endpoint } : wrongMethod('POST')
  }
  if (isServed('partner') && (path === '/partner' || path.startsWith('/partner/'))) {
    const isTaken = ['GET', 'HEAD', 'POST'].includes(method)
    return isTaken ? { kind: 'page', page: 'partner', path } : wrongMethod('GET, HEAD, POST')
  }
  const page = path.startsWith('/docs/') ? 'docs' : pagePaths.get(path)
  if (page !== undefined) {
    return method === 'GET' || method === 'HEAD' ? { kind: 'page', page, path } : wrongMethod('GET, HEAD')
  }
  return { kind: 'refused', refused: httpFault(404, 'There is nothing at this path.') }
}

/** The path of a request target in origin form, or in absolute form, which RFC 9112 (3.2.2) obliges a server to take. */
function pathOf(target: string): string {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '')
  const query = local.indexOf('?')
  return query === -1 ? local : local.slice(0, query)
}

function wrongMethod(allow: string): Route {
  return { kind: 'refused', refused: httpFault(405, `This path takes ${allow}.`, { allow }) }
}
