import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { About, Result, Run } from '../run/result.js'

/** Where runs are kept, below the folder the bench is run in; git does not look there. */
export const benchFolder = '.bench'

const lastRun = 'last-run.json'
const history = 'history.ndjson'
export const reportFile = 'report.html'

/** Adds one line to the history for a result: what it measured and what the run was, without curves. */
export function keepResult(result: Result, about: About, folder = benchFolder): void {
  mkdirSync(folder, { recursive: true })
  const { name, unit, spread, figures, targets } = result
  const named = Object.fromEntries(
    figures.map((one) => [`${one.name}${one.unit === '' ? '' : ` (${one.unit})`}`, one.value]),
  )
  const line = { ...about, name, unit, ...spread, figures: named, targets }
  appendFileSync(join(folder, history), `${JSON.stringify(line)}\n`)
}

/** Keeps a whole run for the report, in place of the one before. */
export function keepRun(run: Run, folder = benchFolder): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, lastRun), JSON.stringify(run))
}

/** The run that was kept last; null: there is none. */
export function readLastRun(folder = benchFolder): Run | null {
  const file = join(folder, lastRun)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Run) : null
}
