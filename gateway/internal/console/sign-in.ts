import { channels } from '../../../engine/wire/channels.js'
import type { Token } from '../../config/config.js'
import { isSameOrigin, readSession, sessionHeader } from '../../listeners/browser.js'
import type { Log } from '../../telemetry/log.js'
import { createTokenCheck } from '../authentication.js'
import { refusal } from '../errors.js'
import { type AnyRequest, type AnyResponse, refuseCall, sendPage } from '../response.js'
import { type Session, type Sessions, tokenSessionMs } from './sessions.js'

export interface SignInParts {
  readonly tokens: readonly Token[]
  readonly environment: 'staging' | 'production'
  readonly sessions: Sessions
  readonly log: Log
}

export interface SignIn {
  answer(request: AnyRequest, response: AnyResponse): Promise<void>
  /** A request's session; null: none, or the request does not come from the console's own page. */
  sessionOf(request: AnyRequest): Promise<Session | null>
  /** A ticket that signs in once as the first admin token; null: there is no such token. */
  issueTicket(): Promise<string | null>
}

const bodyBytesMax = 4_096

export function createSignIn({ tokens, environment, sessions, log }: SignInParts): SignIn {
  const roleOf = createTokenCheck(tokens)

  async function sessionOf(request: AnyRequest): Promise<Session | null> {
    const id = readSession(request, 'loyalty_console')
    if (id === null || !isFromConsole(request)) return null
    return await sessions.find(id)
  }

  async function signIn(request: AnyRequest, response: AnyResponse): Promise<void> {
    const sent = readKey(await bodyOf(request))
    const id = sent === null ? null : await beginSession(sent)
    if (id === null) {
      log.info({ outcome: 'refused' }, 'sign-in')
      return refuseCall(request, response, refusal('UNAUTHENTICATED', 'no such token, or the link was used'))
    }
    setCookie(request, response, id)
    await sendSession(request, response, id)
  }

  async function beginSession(sent: Key): Promise<string | null> {
    if ('ticket' in sent) return sessions.redeem(sent.ticket)
    const caller = roleOf([`Bearer ${sent.token}`])
    return caller === null ? null : sessions.begin({ caller, issuer: null, lifetimeMs: tokenSessionMs })
  }

  async function signOut(request: AnyRequest, response: AnyResponse): Promise<void> {
    const id = readSession(request, 'loyalty_console')
    if (id !== null) await sessions.end(id)
    setCookie(request, response, '')
    sendPage(response, 200, 'application/json', '{}')
  }

  async function sendSession(request: AnyRequest, response: AnyResponse, id: string | null): Promise<void> {
    const session = id === null ? null : await sessions.find(id)
    if (session === null) return refuseCall(request, response, refusal('UNAUTHENTICATED', 'nobody is signed in'))
    const { caller, endsAtMs, nowMs } = session
    const [endsAt, now] = [endsAtMs, nowMs].map((ms) => new Date(ms).toISOString())
    const shown = { role: caller.role, name: caller.name, endsAt, now, environment, channels }
    sendPage(response, 200, 'application/json', JSON.stringify(shown))
  }

  return {
    sessionOf,
    async answer(request, response) {
      if (!isFromConsole(request)) {
        return refuseCall(request, response, refusal('PERMISSION_DENIED', 'only the console itself may ask for this'))
      }
      switch (request.method) {
        case 'GET':
          return sendSession(request, response, readSession(request, 'loyalty_console'))
        case 'POST':
          return signIn(request, response)
        case 'DELETE':
          return signOut(request, response)
        default:
          return refuseCall(request, response, refusal('UNIMPLEMENTED', 'GET, POST or DELETE'))
      }
    },
    async issueTicket() {
      const admin = tokens.find(({ role }) => role === 'admin')
      return admin === undefined ? null : sessions.issueTicket(roleOf([`Bearer ${admin.token}`])!)
    },
  }
}

/** A token, or the ticket of a link. */
type Key = { readonly token: string } | { readonly ticket: string }

function readKey(body: string | null): Key | null {
  try {
    const { token, ticket } = JSON.parse(body ?? '') as { token?: unknown; ticket?: unknown }
    if (typeof token === 'string') return { token }
    if (typeof ticket === 'string') return { ticket }
  } catch {}
  return null
}

/** null: larger than any token, or its client has gone. Excess bytes are read and dropped; the listener's own times bound how long this may take. */
async function bodyOf(request: AnyRequest): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
    }
  } catch {
    return null
  }
  return bytes > bodyBytesMax ? null : Buffer.concat(chunks).toString()
}

function setCookie(request: AnyRequest, response: AnyResponse, value: string): void {
  response.setHeader('set-cookie', sessionHeader(request, 'loyalty_console', value, tokenSessionMs / 1_000))
}

/** A page of another origin needs a preflight to send this header, and this listener refuses preflights. */
function isFromConsole(request: AnyRequest): boolean {
  return request.headers['x-loyalty-console'] !== undefined && isSameOrigin(request)
}
