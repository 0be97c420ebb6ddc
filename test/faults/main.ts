import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { everyCase } from './cases/every-case.js'
import { type CaseReport, runCase } from './run-case.js'

const help = `npm run faults -- [pattern] [--seed=1] [--rate=40] [--patience=1] [--repeat=1] [--short] [--causes]
  pattern  cases whose name holds it, such as F7 or F1|F3; without one every case`

setSoundFlags()
process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(help)
    return 0
  }
  const option = (name: string, otherwise: number) =>
    Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise)
  const pattern = new RegExp(`^(${args.find((arg) => !arg.startsWith('--')) ?? '.*'})$`, 'i')
  const chosen = everyCase.filter(({ id }) => pattern.test(id))
  if (chosen.length === 0) {
    console.error(`no case is called ${pattern.source}\n${help}`)
    return 2
  }
  const postgres = await startPostgres({ settings: { max_connections: '120' } })
  const reports: CaseReport[] = []
  const full = !args.includes('--short')
  const env: Record<string, string> = args.includes('--causes') ? { LOYALTY_LOG: 'info' } : {}
  try {
    for (let round = 0; round < option('repeat', 1); round += 1) {
      for (const fault of chosen) {
        const seed = option('seed', 1) + round
        reports.push(
          await runCase(fault, {
            postgres,
            seed,
            rate: option('rate', 40),
            patience: option('patience', 1),
            full,
            env,
          }),
        )
        printCase(reports.at(-1)!, seed)
      }
    }
  } finally {
    await postgres.stop()
  }
  printSum(reports)
  return reports.every(holds) ? 0 : 1
}

function holds({ violations, missed }: CaseReport): boolean {
  return violations.length + missed.length === 0
}

function printCase(report: CaseReport, seed: number): void {
  const { id, title, calls, attempts, answers200, spent, earned, skipped, excused, seconds, violations, missed } =
    report
  const word = holds(report) ? 'held  ' : 'BROKEN'
  const counts = `${calls} calls, ${attempts} attempts, ${answers200} answers, ${spent} spent, ${earned} earned${skipped > 0 ? `, ${skipped} not begun` : ''}`
  const twoFailed = excused > 0 ? `, ${excused} keys with two answers where both stores failed` : ''
  console.log(`${word} ${id.padEnd(5)} seed ${seed}  ${title}: ${counts}${twoFailed}, ${seconds.toFixed(1)} s`)
  for (const { invariant, what } of violations.slice(0, 12)) console.log(`       ${invariant} ${what.slice(0, 400)}`)
  if (violations.length > 12) console.log(`       and ${violations.length - 12} more`)
  for (const [at, causes] of report.causes.entries()) {
    if (causes.size > 0) console.log(`       503 of gateway ${at}: ${JSON.stringify(Object.fromEntries(causes))}`)
  }
  for (const what of missed) console.log(`       expected: ${what}`)
}

function printSum(reports: readonly CaseReport[]): void {
  const sum = (count: (report: CaseReport) => number) => reports.reduce((total, report) => total + count(report), 0)
  const broken = (...names: readonly string[]) =>
    sum(({ violations }) => violations.filter(({ invariant }) => names.includes(invariant)).length)
  const distinct = Math.max(...reports.map(({ distinctAnswersMax }) => distinctAnswersMax))
  console.log(
    `\nfaults survived ${reports.filter(holds).length} of ${reports.length}; requests ${sum(({ attempts }) => attempts)}, ` +
      `answered 200 ${sum(({ answers200 }) => answers200)}; limits exceeded ${broken('I1', 'I3')}; ` +
      `value spent by ${sum(({ spent }) => spent)} sales and earned ${sum(({ earned }) => earned)} times, astray ${broken('I15', 'I16', 'I17')}; ` +
      `sales acknowledged ${sum(({ sales200 }) => sales200)}, lost ${broken('I5')}; distinct answers per key at most ${distinct} (${sum(({ excused }) => excused)} keys with more, where both stores failed)`,
  )
}
