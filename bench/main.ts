import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setSoundFlags } from '../engine/thread/v8-flags.js'
import { allCases, casesForAll } from './cases/all-cases.js'
import type { BenchCase } from './cases/bench-case.js'
import { contractCase } from './cases/contract-case.js'
import { type GuardRatios, guardCase, ratiosOf } from './cases/guard-case.js'
import { type BenchOptions, help, readOptions } from './options.js'
import { type Bench, createBench } from './run/bench.js'
import { aboutRun, aboutText, headText, resultLines, writeTable } from './run/report.js'
import { isMet, type Result } from './run/result.js'

const guardFile = join(import.meta.dirname, '..', '..', 'bench', 'guard.json')
const width = 100
const contractOfGuard = {
  rate: 50,
  seconds: 20,
  stores: 'real',
} as const

setSoundFlags()
process.exitCode = await run()

async function run(): Promise<number> {
  const read = readOptions(process.argv.slice(2))
  if (read.kind === 'help') {
    console.log(help)
    return 0
  }
  if (read.kind === 'wrong') {
    console.error(`${read.message}\nnpm run bench -- --help lists the options`)
    return 2
  }
  try {
    return await runOptions(read.options)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  }
}

async function runOptions(options: BenchOptions): Promise<number> {
  const cases = chosenCases(options)
  if (options.what.kind === 'list') {
    for (const { name } of cases) console.log(name)
    return 0
  }
  const results = await runCases(options, cases)
  const isGood = results.every(isMet)
  if (options.what.kind === 'guard' && options.what.record) {
    if (!isGood) throw new Error('nothing is recorded: a target was missed')
    writeFileSync(guardFile, `${JSON.stringify(ratiosOf(results), null, 2)}\n`)
    console.log('recorded in bench/guard.json')
  }
  return isGood ? 0 : 1
}

function chosenCases({ what }: BenchOptions): readonly BenchCase[] {
  switch (what.kind) {
    case 'list':
      return allCases
    case 'cases':
      return casesForAll(allCases, what.patterns)
    case 'contract':
      return [{ name: 'contract', run: (bench) => contractCase(bench, what.load) }]
    case 'guard':
      return [
        { name: 'guard', run: (bench) => guardCase(bench, what.record ? null : readGuard()) },
        { name: 'contract', run: (bench) => contractCase(bench, contractOfGuard) },
      ]
  }
}

function readGuard(): GuardRatios {
  if (!existsSync(guardFile)) throw new Error('bench/guard.json is missing: npm run bench -- --guard --record')
  return JSON.parse(readFileSync(guardFile, 'utf8')) as GuardRatios
}

/** Runs the cases in order, prints each result, writes the table, and stops all servers at the end and on Ctrl-C. */
async function runCases({ settings }: BenchOptions, cases: readonly BenchCase[]): Promise<Result[]> {
  const about = aboutRun(settings.seed)
  const results: Result[] = []
  const bench = createBench(settings)
  process.once('SIGINT', () => void bench.stop().then(() => process.exit(130)))
  console.log(`${aboutText(about)}\n${headText()}`)
  try {
    for (const [at, one] of cases.entries()) {
      showProgress(`[${at + 1}/${cases.length}] ${one.name}`)
      for await (const result of resultsOf(one, bench)) {
        results.push(result)
        showProgress('')
        for (const line of resultLines(result)) console.log(line)
      }
    }
  } finally {
    showProgress('')
    await bench.stop()
  }
  sumUp(results)
  console.log(`\n${writeTable(results, about)}`)
  return results
}

/** A failing case is a result too: the others run, and the run fails at its end. */
async function* resultsOf(one: BenchCase, bench: Bench): AsyncGenerator<Result> {
  try {
    yield* one.run(bench)
  } catch (error) {
    const none = { p50: 0, p95: 0, p99: 0, p999: null, max: 0, count: 0 }
    const targets = [{ text: 'the case runs to its end', met: false }]
    yield { name: one.name, unit: 'ms', spread: none, figures: [], targets, note: (error as Error).message }
  }
}

function sumUp(results: readonly Result[]): void {
  const missed = results.flatMap(({ name, targets }) =>
    targets.filter(({ met }) => !met).map(({ text }) => `${name}: ${text}`),
  )
  const held = results.reduce((sum, { targets }) => sum + targets.length, 0)
  console.log(`\n${held - missed.length} of ${held} targets met${missed.length > 0 ? '; missed:' : ''}`)
  for (const text of missed) console.log(`  ${text}`)
}

/** Progress on one line that is overwritten, on a terminal only. */
function showProgress(text: string): void {
  if (!process.stderr.isTTY) return
  process.stderr.write(`\r${text.slice(0, width).padEnd(width)}\r`)
}
