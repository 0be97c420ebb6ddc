import type { Serve } from './config.js'
import { quoted, type Source } from './source.js'

const processesMax = 128

/** A main thread and its pricing thread are about equally busy, so a process with one of each fills two cores (docs/scale.md). */
export function processesFor(cores: number): number {
  return Math.min(processesMax, Math.max(1, Math.floor(cores / 2)))
}

/** `auto`: for the cores of the machine, with a process for internal calls; one process where a store is embedded, or with `1`. */
export function readProcesses(
  source: Source,
  { serve, cores, shared }: { readonly serve: Serve; readonly cores: number; readonly shared: boolean },
) {
  const text = source.text('LOYALTY_PROCESSES')
  if (text === undefined || text === 'auto') {
    const processes = shared && serve !== 'internal' ? processesFor(cores) : 1
    return { processes, internalApart: shared && serve === 'both' }
  }
  const value = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && value <= processesMax) return { processes: value, internalApart: value > 1 && serve === 'both' }
  source.fault('LOYALTY_PROCESSES', `auto, or a whole number from 1 to ${processesMax}`, quoted(text))
  return { processes: 1, internalApart: false }
}
