import type { ConsoleSessions, NewConsoleSession } from '../../../store/ledger/console-sessions.js'

/** Sessions in memory, with access to the stored ones. test/store/ledger-contract-console.ts holds them to the ledger's promises too. */
export function createConsoleSessions(nowMs: () => number = Date.now): ConsoleSessions & { rows(): unknown } {
  const rows = new Map<string, NewConsoleSession & { readonly endsAtMs: number }>()
  const living = (digest: string, isTicket: boolean) => {
    const row = rows.get(digest)
    return row !== undefined && row.isTicket === isTicket && row.endsAtMs > nowMs() ? row : null
  }
  return {
    rows: () => [...rows.values()],
    async begin(row) {
      rows.set(row.digest, { ...row, endsAtMs: nowMs() + row.lifetimeMs })
    },
    async find(digest) {
      const found = living(digest, false)
      if (found === null) return null
      const { role, name, issuer, endsAtMs } = found
      return { role, name, issuer, endsAtMs, nowMs: nowMs() }
    },
    async end(digest) {
      if (rows.get(digest)?.isTicket === false) rows.delete(digest)
    },
    async redeem(ticketDigest, { digest, lifetimeMs }) {
      const ticket = living(ticketDigest, true)
      if (ticket === null) return false
      rows.delete(ticketDigest)
      rows.set(digest, { ...ticket, digest, isTicket: false, lifetimeMs, endsAtMs: nowMs() + lifetimeMs })
      return true
    },
  }
}
