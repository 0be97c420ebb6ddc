import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../authentication.js'

/** A person who is signed in to the console. */
export interface Session {
  /** As the token that signed in: the same role, the same name in audit records. */
  readonly caller: Caller
  /** When it ends by itself, in milliseconds since the epoch. */
  readonly endsAtMs: number
}

/** Sessions of the console. Ids are secrets; only their digests are stored. */
export interface Sessions {
  /** Begins a session; resolves to its id, which is not guessable. */
  begin(caller: Caller): Promise<string>
  /** The session with this id; null: none, or it has ended. */
  find(id: string): Promise<Session | null>
  end(id: string): Promise<void>
  /** A ticket that begins one session, within an hour. */
  issueTicket(caller: Caller): Promise<string>
  /** Begins the session of a ticket; null: none such, or it was used or has expired. */
  redeem(ticket: string): Promise<string | null>
}

/** A working day; then the token is asked for again. */
export const sessionLifetimeMs = 12 * 3_600_000
/** Of the link that a start on staging prints. */
const ticketLifetimeMs = 3_600_000
/** Beyond it the oldest session ends. */
const sessionsMax = 10_000
const idBytes = 32

/** Sessions of this process alone; a restart ends them. */
export function createSessions(nowMs: () => number = Date.now): Sessions {
  const sessions = new Map<string, Session>()
  const tickets = new Map<string, Session>()

  function store(into: Map<string, Session>, caller: Caller, lifetimeMs: number): string {
    const id = randomBytes(idBytes).toString('base64url')
    into.set(keyOf(id), { caller, endsAtMs: nowMs() + lifetimeMs })
    for (const key of into.keys()) {
      if (into.size <= sessionsMax) break
      into.delete(key)
    }
    return id
  }

  function living(among: Map<string, Session>, id: string): Session | null {
    const key = keyOf(id)
    const found = among.get(key)
    if (found === undefined) return null
    if (found.endsAtMs > nowMs()) return found
    among.delete(key)
    return null
  }

  return {
    begin: async (caller) => store(sessions, caller, sessionLifetimeMs),
    find: async (id) => living(sessions, id),
    async end(id) {
      sessions.delete(keyOf(id))
    },
    issueTicket: async (caller) => store(tickets, caller, ticketLifetimeMs),
    async redeem(ticket) {
      const found = living(tickets, ticket)
      tickets.delete(keyOf(ticket))
      return found === null ? null : store(sessions, found.caller, sessionLifetimeMs)
    },
  }
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
