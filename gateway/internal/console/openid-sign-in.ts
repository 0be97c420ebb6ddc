import { randomBytes, randomUUID } from 'node:crypto'
import { StoreFault } from '../../../store/fault.js'
import type { OidcConfig } from '../../config/config.js'
import { roleNames } from '../../config/config.js'
import { cookieHeader, readCookie, sessionCookie } from '../../listeners/browser.js'
import type { Log } from '../../telemetry/log.js'
import { refusal } from '../errors.js'
import { type AnyRequest, type AnyResponse, refuseCall, sendPage } from '../response.js'
import { callbackPath, createOpenidProvider, OpenidError, type OpenidFault } from './openid.js'
import type { Sessions } from './sessions.js'

export interface OpenidSignIn {
  answer(request: AnyRequest, response: AnyResponse, path: string): Promise<void>
}

export interface OpenidSignInParts {
  readonly oidc: OidcConfig
  readonly sessions: Sessions
  readonly log: Log
}

/** The reason of a failed sign-in that the page shows, without details. */
type SignInFault =
  | OpenidFault
  /** This browser did not begin the attempt, began it more than ten minutes ago, or has used it already. */
  | 'stale'
  /** The person has no group that has a role. */
  | 'no_role'
  | 'unavailable'

const startPath = '/console/oidc/start'
const attemptS = 600
const secretForm = /^[\w-]{43}$/
const secretBytes = 32
const returnCharactersMax = 1_024
/** Groups shown to a refused person, and characters of each: they are part of an address. */
const groupsShownMax = 20
const groupCharactersMax = 80

/** @param parts.sessions  begin with the role that the person's groups have now */
export function createOpenidSignIn({ oidc, sessions, log }: OpenidSignInParts): OpenidSignIn {
  const provider = createOpenidProvider(oidc)
  const secure = oidc.baseUrl.startsWith('https:')
  // The prefix keeps other hosts of the domain from setting an attempt.
  const attemptCookie = `${secure ? '__Host-' : ''}loyalty_oidc`
  const attempt = (value: string, maxAgeS: number) =>
    cookieHeader(attemptCookie, value, { maxAgeS, sameSite: 'Lax', secure })

  async function start(request: AnyRequest, response: AnyResponse): Promise<void> {
    const secret = randomBytes(secretBytes).toString('base64url')
    const to = returnPath(new URLSearchParams(queryOf(request)).get('to'))
    const url = await provider.signInUrl(secret)
    redirect(response, url.href, [attempt(`${secret}.${Buffer.from(to).toString('base64url')}`, attemptS)])
  }

  async function comeBack(request: AnyRequest, response: AnyResponse, requestId: string): Promise<void> {
    const [secret = '', to = ''] = (readCookie(request, attemptCookie) ?? '').split('.')
    const query = queryOf(request)
    if (!secretForm.test(secret) || !provider.isOf(query, secret)) return fail(response, requestId, 'stale')
    const { name, groups } = await provider.personOf(query, secret)
    const role = roleNames.findLast((one) =>
      oidc.roles.some((held) => held.role === one && groups.includes(held.group)),
    )
    if (role === undefined) return fail(response, requestId, 'no_role', { groups })
    const maxAgeS = oidc.sessionS
    const caller = { role, name }
    const id = await sessions.begin({ caller, issuer: oidc.issuer, lifetimeMs: maxAgeS * 1_000 })
    log.info({ outcome: 'ok', requestId, caller: name }, 'sign-in')
    const session = cookieHeader(sessionCookie('loyalty_console', secure), id, { maxAgeS, sameSite: 'Strict', secure })
    redirect(response, returnPath(Buffer.from(to, 'base64url').toString()), [session, attempt('', 0)])
  }

  /** Sends the browser to the console, which words the fault itself. */
  function fail(response: AnyResponse, requestId: string, fault: SignInFault, more: FaultMore = {}): void {
    const { groups = [], cause } = more
    log.info({ outcome: 'refused', code: fault, requestId, groups: groups.length, err: cause }, 'sign-in')
    const shown = new URLSearchParams({ fault, request: requestId })
    for (const group of groups.slice(0, groupsShownMax)) shown.append('group', group.slice(0, groupCharactersMax))
    redirect(response, `/console#${shown}`, [attempt('', 0)])
  }

  return {
    async answer(request, response, path) {
      if (path === '/console/oidc') {
        return sendPage(response, 200, 'application/json', JSON.stringify(shownOf(oidc)))
      }
      const step = path === startPath ? start : path === callbackPath ? comeBack : null
      if (step === null || request.method !== 'GET') {
        return refuseCall(request, response, refusal('UNIMPLEMENTED', 'no such path'))
      }
      const requestId = randomUUID()
      try {
        await step(request, response, requestId)
      } catch (error) {
        if (error instanceof OpenidError) return fail(response, requestId, error.kind, { cause: error })
        if (error instanceof StoreFault) return fail(response, requestId, 'unavailable', { cause: error })
        throw error
      }
    },
  }
}

interface FaultMore {
  readonly groups?: readonly string[]
  readonly cause?: unknown
}

/** The page's sign-in button. It starts on the origin that the provider returns to, because cookies belong to one host. */
function shownOf({ name, baseUrl }: OidcConfig) {
  return { name, startUrl: baseUrl + startPath }
}

/** A path of the console, never an address of another site. */
function returnPath(wanted: string | null): string {
  const isOurs = wanted !== null && wanted.length <= returnCharactersMax && /^\/console(\/[\x21-\x7e]*)?$/.test(wanted)
  return isOurs && !wanted.startsWith('/console/oidc') ? wanted : '/console'
}

function queryOf({ url = '' }: AnyRequest): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at)
}

/** The address holds a code, or an attempt: no other page may see it. */
function redirect(response: AnyResponse, location: string, cookies: readonly string[]): void {
  response.setHeader('set-cookie', [...cookies])
  sendPage(response, 303, 'text/plain', '', { location, 'referrer-policy': 'no-referrer' })
}
