import { parseArgs } from 'node:util'
import { type Command, type Screen, WrongUse } from './command.js'
import { jsonReport, textReport } from './reconcile-report.js'

const help = `lps reconcile --since <time> [--until <time>] [--json]

Recomputes every limit counter, every account of a member and the daily sums of reports from the records and lists what differs, and counts calculations, sales and discrepancies of the
period: calculations by when they were answered, sales by when they were recorded. Reads DATABASE_URL, or without it the
embedded ledger in LOYALTY_DATA (default .data), and writes nothing.
  <time>  RFC 3339, such as 2026-11-21T00:00:00+01:00, or a date (UTC); --since is inclusive, --until exclusive
Exit code 0: every counter, account and sum is what the records make it; 1: one is not; 2: it could not be looked at.`

/** Recounts the ledger. */
export const reconcile: Command = {
  name: 'reconcile',
  summary: 'every limit counter, account and daily sum recomputed from the records',
  help,
  async run(words, screen) {
    const options = readOptions(words)
    const { DATABASE_URL, LOYALTY_DATA } = process.env
    // Loaded here, for no other command needs a store.
    const { openReconciler } = await import('../../store/open-reconciler.js')
    try {
      const place = { databaseUrl: DATABASE_URL || null, dataFolder: LOYALTY_DATA || '.data' }
      const reconciler = await openReconciler(place)
      try {
        const report = reportOn(screen, options.json)
        const found = await reconciler.reconcile(options, report.difference)
        report.end({ since: options.since, until: options.until }, found)
        const { accountsAstray, transfersAstray } = found.value
        const { earningAstray } = found.earning
        const { returnsAstray } = found.returns
        const ofSpending = found.spending.holdsAstray + found.spending.accountsAstray
        const { sumsAstray } = found.sums
        const ofValue = accountsAstray + transfersAstray + earningAstray + ofSpending + returnsAstray
        const astray = found.reservationsAstray + ofValue + sumsAstray
        return found.differences + astray === 0 ? 0 : 1
      } finally {
        await reconciler.close()
      }
    } catch (error) {
      screen.tell(`the ledger cannot be looked at: ${error instanceof Error ? error.message : error}`)
      return 2
    }
  },
}

/** JSON escapes by itself what a terminal must not see. */
function reportOn(screen: Screen, json: boolean) {
  return json
    ? jsonReport((text) => void process.stdout.write(text))
    : textReport((text) => screen.print(text.replace(/\n$/, '')))
}

interface ReconcileOptions {
  readonly since: string
  readonly until: string | null
  readonly json: boolean
}

function readOptions(words: readonly string[]): ReconcileOptions {
  const { values } = parseArgs({
    args: [...words],
    options: { since: { type: 'string' }, until: { type: 'string' }, json: { type: 'boolean', default: false } },
  })
  if (values.since === undefined) throw new WrongUse('--since <time> is missing')
  const since = readTime(values.since)
  const until = values.until === undefined ? null : readTime(values.until)
  if (since === undefined) throw new WrongUse('--since is no RFC 3339 time and no date')
  if (until === undefined) throw new WrongUse('--until is no RFC 3339 time and no date')
  if (until !== null && until <= since) throw new WrongUse('--until is not after --since')
  return { since, until, json: values.json }
}

/** As an instant in UTC; undefined: it is none. */
function readTime(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2}))?$/.test(text)) return undefined
  const at = new Date(text)
  // `new Date` takes 30 February for 1 or 2 March.
  const day = new Date(text.slice(0, 10))
  if (Number.isNaN(at.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined
  return at.toISOString()
}
