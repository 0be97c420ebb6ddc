/** Sessions of the console, and tickets that begin one, under digests of their ids. What has ended is not found. */
export interface ConsoleSessions {
  begin(session: NewConsoleSession): Promise<void>
  /** The session, as it is on the primary: one that a gateway ended is found by none. null: none such. */
  find(digest: string): Promise<ConsoleSession | null>
  end(digest: string): Promise<void>
  /** Begins the session of a ticket, which ends the ticket. false: no such ticket; of several callers one gets true. */
  redeem(ticketDigest: string, begun: { readonly digest: string; readonly lifetimeMs: number }): Promise<boolean>
}

export interface ConsoleSession {
  readonly role: string
  /** In audit records. */
  readonly name: string
  /** The OpenID provider that signed in; null: a token did. */
  readonly issuer: string | null
  /** Milliseconds since the epoch, by the ledger's clock. */
  readonly endsAtMs: number
  /** The same clock as it was when the session was found. */
  readonly nowMs: number
}

export interface NewConsoleSession extends Omit<ConsoleSession, 'endsAtMs' | 'nowMs'> {
  readonly digest: string
  readonly isTicket: boolean
  readonly lifetimeMs: number
}
