import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { About, Result, Run } from '../run/result.js'

/** Folder of stored runs, below the working directory; ignored by git. */
export const benchFolder = '.bench'

const lastRun = 'last-run.json'
const history = 'history.ndjson'
export const reportFile = 'report.html'

/** Appends a result and its conditions to the history, without curves. */
export function storeResult(result: Result, about: About, folder = benchFolder): void {
  mkdirSync(folder, { recursive: true })
  const { name, unit, spread, figures, targets } = result
  const named = Object.fromEntries(
    figures.map((one) => [`${one.name}${one.unit === '' ? '' : ` (${one.unit})`}`, one.value]),
  )
  const line = { ...about, name, unit, ...spread, figures: named, targets }
  appendFileSync(join(folder, history), `${JSON.stringify(line)}\n`)
}

export function storeRun(run: Run, folder = benchFolder): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, lastRun), JSON.stringify(run))
}

/** The stored run; null: none. */
export function readLastRun(folder = benchFolder): Run | null {
  const file = join(folder, lastRun)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Run) : null
}
