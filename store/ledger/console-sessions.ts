/** Sessions of the console, and tickets that begin one, under digests of their ids. Ended ones are not found. */
export interface ConsoleSessions {
  begin(session: NewConsoleSession): Promise<void>
  /** Reads from the primary, so that a session that any gateway ended is not found. */
  find(digest: string): Promise<ConsoleSession | null>
  end(digest: string): Promise<void>
  /** Begins the session of a ticket, which ends the ticket. false: no such ticket; of several callers one gets true. */
  redeem(ticketDigest: string, begun: { readonly digest: string; readonly lifetimeMs: number }): Promise<boolean>
}

export interface ConsoleSession {
  readonly role: string
  readonly name: string
  readonly issuer: string | null
  readonly endsAtMs: number
  /** The time by the same clock when the session was found. */
  readonly nowMs: number
}

export interface NewConsoleSession extends Omit<ConsoleSession, 'endsAtMs' | 'nowMs'> {
  readonly digest: string
  readonly isTicket: boolean
  readonly lifetimeMs: number
}
