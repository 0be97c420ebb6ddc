import { Gauge } from 'prom-client'
import type { FileState } from '../config/config.js'
import type { Metrics } from './metrics.js'

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
