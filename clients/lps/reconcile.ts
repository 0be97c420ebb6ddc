import { type Command, type Screen, WrongUse } from './command.js'
import { readReconcileOptions, reconcileHelp } from './reconcile/options.js'
import { jsonReport, textReport } from './reconcile/report.js'

/** Recounts the ledger. */
export const reconcile: Command = {
  name: 'reconcile',
  summary: 'every limit counter recomputed from the records',
  help: reconcileHelp,
  async run(words, screen) {
    const options = readReconcileOptions(words)
    if (options.kind === 'faulty') throw new WrongUse(options.message)
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
        return found.differences + found.reservationsAstray === 0 ? 0 : 1
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
