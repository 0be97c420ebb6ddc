import { Gauge } from 'prom-client'
import type { PricingEngine } from '../../engine/index.js'
import type { Cache } from '../../store/cache.js'
import { runningBuild } from '../config/build.js'
import type { Certificate } from '../config/certificate.js'
import type { FileState } from '../config/config.js'
import type { Secrets } from '../config/secrets.js'
import type { Metrics } from './metrics.js'

interface Watched {
  readonly engine: PricingEngine
  readonly cache: Cache | null
  readonly journal: {
    readonly depth: number
    readonly journalled: { readonly entries: number; readonly oldestMs: number }
  }
  readonly certificate: Certificate | null
  /** null: this process verifies no signatures. */
  readonly secrets: Secrets | null
  readonly facts: { readonly programmeVersion: number }
}

export function watchService(metrics: Metrics, { engine, cache, journal, certificate, secrets, facts }: Watched): void {
  publishRunningVersion(metrics)
  watchFiles(metrics, { secrets: () => secrets?.state() ?? null, certificate: () => certificate?.state() ?? null })
  const versionHelp =
    'Version of the programme in force; gateways that differ for more than 2 s do not see the same one.'
  metrics.watch('loyalty_programme_version', versionHelp, () => facts.programmeVersion)
  metrics.watch('loyalty_engine_waiting', 'Hand-overs to pricing threads that wait or run.', () => engine.waiting)
  metrics.watch('loyalty_journal_copies', 'Calculations answered and not yet in the ledger.', () => journal.depth)
  if (cache !== null) {
    const entries = 'Calculations journalled in the cache and not yet in the ledger, of all gateways.'
    metrics.watch('loyalty_journal_entries', entries, () => journal.journalled.entries)
    const age = 'Age of the oldest of them, seconds.'
    metrics.watch('loyalty_journal_oldest_seconds', age, () => journal.journalled.oldestMs / 1000)
  }
  if (certificate !== null) {
    const help = 'End of the validity of the certificate that is served, seconds since the epoch.'
    metrics.watch('loyalty_certificate_valid_until_seconds', help, () => certificate.validUntilS)
  }
}

function publishRunningVersion({ registry }: Pick<Metrics, 'registry'>): void {
  new Gauge({
    name: 'loyalty_build_info',
    help: '1; the labels say which version of the service runs on which version of Node.js.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: runningBuild().version, node: process.versions.node }, 1)
}

/** Files by a word of their own, such as `secrets`; null: there is no such file. */
type FileStates = Readonly<Record<string, () => FileState | null>>

/** Publishes the state of each file: the age of its last good reading, and the reason of a refusal. */
export function watchFiles({ registry }: Pick<Metrics, 'registry'>, files: FileStates): void {
  const states = () => Object.entries(files).flatMap(([file, state]) => [{ file, state: state() }])
  const registers = [registry]
  new Gauge({
    name: 'loyalty_file_good_age_seconds',
    help: 'Seconds since a file that is read again and again was last seen to be good.',
    labelNames: ['file'],
    registers,
    collect() {
      for (const { file, state } of states()) if (state !== null) this.set({ file }, state.goodAgeS)
    },
  })
  new Gauge({
    name: 'loyalty_file_refused',
    help: '1 while the content of such a file does not count, by the reason: what it held before stays in use.',
    labelNames: ['file', 'reason'],
    registers,
    collect() {
      this.reset()
      for (const { file, state } of states()) if (state?.fault) this.set({ file, reason: state.fault }, 1)
    },
  })
}
