import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import type { About, Figure, Result, ResultSpread, TableRow } from './result.js'

/** Folder of results, below the working directory; ignored by git. */
export const benchFolder = '.bench'

const nameWidth = 44
const numberWidth = 10

export function headText(): string {
  const columns = ['p50', 'p95', 'p99', 'p99.9', 'max', 'n'].map((name) => name.padStart(numberWidth))
  return `${'case'.padEnd(nameWidth)}${columns.join('')}  unit`
}

export function resultLines(result: Result): string[] {
  const { name, spread, unit, figures, targets, note, table = [] } = result
  const numbers = percentileTexts(spread).map((text) => (text === '' ? '-' : text).padStart(numberWidth))
  const verdicts = targets.map(({ text, met }) => `${met ? 'met' : 'MISSED'}: ${text}`)
  return [
    `${name.padEnd(nameWidth)}${numbers.join('')}${String(spread.count).padStart(numberWidth)}  ${unit}`,
    ...(figures.length > 0 ? [`    ${figures.map(figureText).join('; ')}`] : []),
    ...verdicts.map((verdict) => `    ${verdict}`),
    ...(note === '' ? [] : [`    ${note}`]),
    ...tableLines(table),
  ]
}

const rowWidth = 24

function tableLines(table: readonly TableRow[]): string[] {
  const head = (table[0]?.cells ?? []).map(({ name }) => name.padStart(numberWidth))
  const lines = table.map(({ name, cells }) => `    ${name.padEnd(rowWidth)}${cells.map(cellText).join('')}`)
  return table.length === 0 ? [] : [`    ${''.padEnd(rowWidth)}${head.join('')}`, ...lines]
}

function cellText({ value, unit }: Figure): string {
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit}`.padStart(numberWidth)
}

/** Smallest number of samples for a percentile. */
const [samplesOfP95, samplesOfP99] = [20, 100]

/** The percentiles and the maximum in column order; empty where there are too few samples. */
export function percentileTexts({ p50, p95, p99, p999, max, count }: ResultSpread): string[] {
  return [
    number(p50),
    count < samplesOfP95 ? '' : number(p95),
    count < samplesOfP99 ? '' : number(p99),
    p999 === null ? '' : number(p999),
    number(max),
  ]
}

function figureText({ name, value, unit }: Figure): string {
  return `${name} ${number(value)}${unit === '' || unit === 'x' || unit === '%' || unit === '/s' ? '' : ' '}${unit}`
}

/** Three significant digits. */
function number(value: number): string {
  if (!Number.isFinite(value)) return 'never'
  const size = Math.abs(value)
  if (size >= 100 || value === 0) return Math.round(value).toString()
  return value.toFixed(size >= 10 ? 1 : size >= 1 ? 2 : 3)
}

/** The results as one table of docs/benches.md, which is also written below the folder of results. */
export function writeTable(results: readonly Result[], about: About, folder = benchFolder): string {
  const text = [aboutText(about), '', '| case | result | target |', '|---|---|---|', ...results.map(tableRow), ''].join(
    '\n',
  )
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'table.md'), text)
  return text
}

function tableRow({ name, spread, unit, figures, targets }: Result): string {
  const percentiles = percentileTexts(spread).slice(0, 3)
  const times = percentiles.flatMap((text, at) => (text === '' ? [] : [`${['p50', 'p95', 'p99'][at]} ${text}`]))
  const own = figures.filter((one) => !one.name.startsWith('generator')).map(figureText)
  const judged = targets.map(({ text, met }) => (met ? text : `**missed: ${text}**`))
  return `| \`${name}\` | ${[`${times.join(', ')} ${unit}`, ...own].join('; ')} | ${judged.join('; ')} |`
}

export function aboutRun(seed: number): About {
  const cores = os.cpus()
  return {
    seed,
    commit: commit(),
    node: process.versions.node,
    processor: cores[0]?.model.trim() ?? 'unknown processor',
    cores: cores.length,
  }
}

export function aboutText({ seed, commit, node, processor, cores }: About): string {
  return `seed ${seed}, commit ${commit}, node ${node}, ${cores} x ${processor}`
}

function commit(): string {
  try {
    const git = (...words: string[]) =>
      execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const changed = git('status', '--porcelain').trim() === '' ? '' : '+changes'
    return `${git('rev-parse', '--short', 'HEAD').trim()}${changed}`
  } catch {
    return 'unknown'
  }
}
