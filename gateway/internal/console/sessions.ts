import { createHash, randomBytes } from 'node:crypto'
import type { ConsoleSessions } from '../../../store/ledger/console-sessions.js'
import type { Token } from '../../config/config.js'
import { roleNames } from '../../config/config.js'
import { type Caller, createTokenCheck } from '../authentication.js'

export interface Session {
  /** The token that signed in, or the person from the OpenID provider. */
  readonly caller: Caller
  /** Its expiry, in milliseconds since the epoch. */
  readonly endsAtMs: number
  /** The ledger's time when the session was found, in milliseconds since the epoch. */
  readonly nowMs: number
}

export interface Beginning {
  readonly caller: Caller
  /** The OpenID provider of the sign-in; null: a token. */
  readonly issuer: string | null
  readonly lifetimeMs: number
}

/** Sessions of the console. Ids are secrets; only their digests are stored. Each call may reject with StoreFault. */
export interface Sessions {
  /** Begins a session; resolves to its id, which is not guessable. */
  begin(beginning: Beginning): Promise<string>
  /** The session with this id; null: none, it has ended, or the service no longer has the token or provider that it began with. */
  find(id: string): Promise<Session | null>
  end(id: string): Promise<void>
  /** A ticket that begins one session as the caller of a token, within an hour. */
  issueTicket(caller: Caller): Promise<string>
  /** Begins the session of a ticket; null: none such, or it was used or has expired. */
  redeem(ticket: string): Promise<string | null>
}

export interface SessionParts {
  readonly store: ConsoleSessions
  readonly tokens: readonly Token[]
  /** The OpenID provider in use; null: none. */
  readonly issuer: string | null
}

export const tokenSessionMs = 12 * 3_600_000
/** Lifetime of the link that a start on staging prints. */
const ticketLifetimeMs = 3_600_000
const idBytes = 32
const idForm = /^[\w-]{43}$/

/** Sessions in the ledger, shared by every gateway process. */
export function createSessions({ store, tokens, issuer }: SessionParts): Sessions {
  const check = createTokenCheck(tokens)
  const ofTokens = new Set(tokens.map(({ token }) => check([`Bearer ${token}`])!.name))

  async function begin({ caller, lifetimeMs, ...by }: Beginning, isTicket: boolean): Promise<string> {
    const id = newId()
    await store.begin({ ...caller, issuer: by.issuer, digest: digestOf(id), isTicket, lifetimeMs })
    return id
  }

  return {
    begin: (beginning) => begin(beginning, false),
    async find(id) {
      const found = idForm.test(id) ? await store.find(digestOf(id)) : null
      const role = roleNames.find((name) => name === found?.role)
      if (found === null || role === undefined) return null
      const isVouchedFor = found.issuer === null ? ofTokens.has(found.name) : found.issuer === issuer
      const { name, endsAtMs, nowMs } = found
      return isVouchedFor ? { caller: { role, name }, endsAtMs, nowMs } : null
    },
    end: (id) => store.end(digestOf(id)),
    issueTicket: (caller) => begin({ caller, issuer: null, lifetimeMs: ticketLifetimeMs }, true),
    async redeem(ticket) {
      const id = newId()
      const isBegun = await store.redeem(digestOf(ticket), { digest: digestOf(id), lifetimeMs: tokenSessionMs })
      return isBegun ? id : null
    },
  }
}

function newId(): string {
  return randomBytes(idBytes).toString('base64url')
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
