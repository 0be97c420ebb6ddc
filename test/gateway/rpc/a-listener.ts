import type { Test } from 'tap'
import { createConsole } from '../../../gateway/rpc/console/console.js'
import { createInternalListener, type InternalOptions } from '../../../gateway/rpc/listener.js'
import { createLog } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import type { ConsoleSessions } from '../../../store/ledger/console-sessions.js'
import { anIntake } from './an-intake.js'
import { createConsoleSessions } from './console-sessions.js'

const tokens = [
  { role: 'reader', token: 'read-this' },
  { role: 'admin', token: 'run-that' },
] as const

interface ConsoleParts {
  /** Where a built console lies. */
  readonly folder?: string
  /** Sessions of the console. Default: some of its own. */
  readonly store?: ConsoleSessions
}

/** An internal listener on a free port, with health alone, closed when the test ends. */
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
  }: Partial<Pick<InternalOptions, 'certificate' | 'limits' | 'corsOrigins' | 'routes' | 'documents'>> &
    ConsoleParts = {},
) {
  const state = { ready: true }
  const log = createLog('silent')
  const served = createConsole({
    ...{ tokens, environment: 'staging', log, store },
    ...(folder === undefined ? {} : { folder }),
  })
  const listener = createInternalListener({
    console: served,
    address: { host: '127.0.0.1', port: 0 },
    certificate,
    intake: anIntake(),
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
