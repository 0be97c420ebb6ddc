import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import { withFiles } from '../../gateway/config/source.js'
import type { Difference, Reconciliation } from '../../store/postgres/counters/reconcile.js'
import { exits, oneLine, print, printError, WrongUse } from './screen.js'
import { momentFrom, momentHelp, momentText } from './words.js'

interface ReconcileOptions {
  readonly since: Timestamp
  readonly until?: Timestamp
  readonly json?: boolean
}

export function addReconcile(program: Command): void {
  program
    .command('reconcile')
    .summary('every limit counter, account and daily sum recomputed from the records')
    .description(`Recomputes every limit counter, every account of a member and the daily sums of reports from the records and lists what differs, and
counts calculations, sales and discrepancies of the period: calculations by when they were answered, sales by when they were recorded.
Reads DATABASE_URL (or DATABASE_URL_FILE), or without it the embedded ledger in LOYALTY_DATA (default .data), and writes nothing.

Exit code 0: every counter, account and sum is what the records make it; 1: one is not; 2: it could not be looked at.`)
    .requiredOption('--since <when>', `${momentHelp}, inclusive`, momentFrom)
    .option('--until <when>', 'the same, exclusive. Default: now', momentFrom)
    .option('--json', 'the report as JSON')
    .action(
      exits(async ({ since, until, json }: ReconcileOptions) => {
        if (until !== undefined && timestampMs(until) <= timestampMs(since))
          throw new WrongUse('--until: expected a time after --since')
        const period = { since: momentText(since), until: momentText(until) || null }
        try {
          return await compare(period, json === true)
        } catch (error) {
          printError(`the ledger cannot be looked at: ${error instanceof Error ? error.message : error}`)
          return 2
        }
      }),
    )
}

async function compare(
  period: { readonly since: string; readonly until: string | null },
  asJson: boolean,
): Promise<number> {
  const { DATABASE_URL, LOYALTY_DATA } = withFiles(process.env, (name, expected, received) => {
    throw new Error(`${name}: expected ${expected}, received ${received}`)
  })
  const { openReconciler } = await import('../../store/open-reconciler.js')
  const reconciler = await openReconciler({ databaseUrl: DATABASE_URL || null, dataFolder: LOYALTY_DATA || '.data' })
  try {
    const report = asJson ? jsonReport((text) => void process.stdout.write(text)) : textReport
    const found = await reconciler.reconcile(period, report.difference)
    report.end(period, found)
    const { value, earning, spending, returns, sums } = found
    const ofValue = value.accountsAstray + value.transfersAstray + earning.earningAstray
    const ofUse = spending.holdsAstray + spending.accountsAstray + returns.returnsAstray
    return found.differences + found.reservationsAstray + ofValue + ofUse + sums.sumsAstray === 0 ? 0 : 1
  } finally {
    await reconciler.close()
  }
}

interface Report {
  difference(difference: Difference): void
  end(period: { readonly since: string; readonly until: string | null }, found: Reconciliation): void
}

/** One JSON document: `differences`, then the members of `Reconciliation`, with the period; the number of differences is `differenceCount`. */
function jsonReport(write: (text: string) => void): Report {
  let separator = ''
  write('{"differences":[')
  return {
    difference(difference) {
      write(`${separator}${JSON.stringify(difference)}`)
      separator = ','
    },
    end(period, { differences, ...rest }) {
      write(`],${JSON.stringify({ differenceCount: differences, ...period, ...rest }).slice(1)}\n`)
    },
  }
}

const textReport: Report = {
  difference: (difference) => print(`DIFFERS limit: ${entryText(difference)}`),
  end: (period, found) => linesOf('', { ...period, ...found }).forEach(print),
}

function linesOf(path: string, value: object): readonly string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const here = `${path}${name}`
    if (Array.isArray(each)) {
      const differs = name === 'firstAstray' ? 'DIFFERS ' : ''
      return each.map((entry) => `${differs}${differs === '' ? here : path.slice(0, -1)}: ${entryText(entry)}`)
    }
    return isObject(each) ? linesOf(`${here}.`, each) : [`${here}: ${each ?? 'none'}`]
  })
}

function entryText(entry: object): string {
  const texts = Object.entries(entry).map(
    ([name, each]) => `${name} ${isObject(each) ? `(${entryText(each)})` : each === '' ? 'none' : each}`,
  )
  return oneLine(texts.join(', '))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
