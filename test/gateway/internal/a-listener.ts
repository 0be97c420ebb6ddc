import type { Test } from 'tap'
import type { OidcConfig } from '../../../gateway/config/config.js'
import { createBytesMax } from '../../../gateway/internal/call-limits.js'
import { createConsole } from '../../../gateway/internal/console/console.js'
import { createInternalListener, type InternalOptions } from '../../../gateway/internal/listener.js'
import { createLog, type Log } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import type { ConsoleSessions } from '../../../store/ledger/console-sessions.js'
import { createConsoleSessions } from './console-sessions.js'

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
  /** Default: none is written. */
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
    log = createLog('silent'),
  }: Partial<Pick<InternalOptions, 'certificate' | 'limits' | 'corsOrigins' | 'routes' | 'documents'>> &
    ConsoleParts = {},
) {
  const state = { ready: true }
  const served = createConsole({
    ...{ tokens, environment: 'staging', log, store, oidc: oidc ?? null },
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
    metrics: createMetrics(),
    tracing: null,
    log,
    limits,
    ...(documents === undefined ? {} : { documents }),
  })
  const { host, port } = await listener.listen()
  t.teardown(() => listener.close())
  return {
    listener,
    state,
    signInPath: served.signInPath,
    host,
    port,
    target: `${host}:${port}`,
    origin: `http${certificate ? 's' : ''}://${host}:${port}`,
  }
}
