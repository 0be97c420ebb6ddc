import type { Test } from 'tap'
import type { OidcConfig } from '../../../gateway/config/config.js'
import { createBytesMax } from '../../../gateway/internal/call-limits.js'
import { createConsole } from '../../../gateway/internal/console/console.js'
import { createInternalListener, type InternalOptions } from '../../../gateway/internal/listener.js'
import { createLog, type Log } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import type { ConsoleSessions, NewConsoleSession } from '../../../store/ledger/console-sessions.js'

const tokens = [
  { role: 'reader', token: 'read-this' },
  { role: 'admin', token: 'run-that' },
] as const

interface ConsoleParts {
  /** Folder of a built console. */
  readonly folder?: string
  /** Sessions of the console. Default: some of its own. */
  readonly store?: ConsoleSessions
  /** Default: none. */
  readonly oidc?: OidcConfig
  /** Default: to `records`. */
  readonly log?: Log
  /** Default: a free one. */
  readonly port?: number
}

/** An internal listener on a free port, with health only, closed when the test ends. */
export async function aListener(
  t: Test,
  {
    certificate = null,
    limits = {},
    corsOrigins = [],
    routes = () => {},
    documents,
    folder,
    store = createConsoleSessions(),
    oidc,
    port: wanted = 0,
    tracing = null,
    log,
  }: Partial<Pick<InternalOptions, 'certificate' | 'limits' | 'corsOrigins' | 'routes' | 'documents' | 'tracing'>> &
    ConsoleParts = {},
) {
  const state = { ready: true }
  const metrics = createMetrics()
  const records: string[] = []
  const written = log ?? createLog('debug', { write: (record) => void records.push(record) })
  const served = createConsole({
    ...{ tokens, environment: 'staging', log: written, store, oidc: oidc ?? null },
    ...(folder === undefined ? {} : { folder }),
  })
  const listener = createInternalListener({
    console: served,
    address: { host: '127.0.0.1', port: wanted },
    certificate,
    bytesMaxOf: createBytesMax(262_144),
    tokens,
    routes,
    corsOrigins,
    readiness: () => ({ ready: state.ready, parts: { ledger: 'up' } }),
    metrics,
    tracing,
    log: written,
    limits,
    ...(documents === undefined ? {} : { documents }),
  })
  const { host, port } = await listener.listen()
  t.teardown(() => listener.close())
  return {
    listener,
    state,
    metrics,
    records,
    /** Records of calls. */
    calls: () => records.map((record) => JSON.parse(record)).filter(({ msg }) => msg === 'call'),
    signInPath: served.signInPath,
    host,
    port,
    target: `${host}:${port}`,
    origin: `http${certificate ? 's' : ''}://${host}:${port}`,
  }
}

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
