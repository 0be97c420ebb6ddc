/** The ledger's own server, for people. */
export interface AdminServer {
  describe(): Promise<LedgerServer>
}

export interface LedgerServer {
  /** Of Postgres. */
  readonly version: string
  /** Of the whole database. */
  readonly bytes: number
}
