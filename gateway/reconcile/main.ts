import { setSoundFlags } from '../../engine/thread/v8-flags.js'
import { openReconciler } from '../../store/open-reconciler.js'
import { readReconcileOptions, reconcileHelp } from './options.js'
import { jsonReport, textReport } from './report.js'

setSoundFlags()
process.exitCode = await main(process.argv.slice(2))

/** Resolves to the exit code that the help promises. */
async function main(args: readonly string[]): Promise<number> {
  const options = readReconcileOptions(args)
  if (options.kind === 'help') {
    console.log(reconcileHelp)
    return 0
  }
  if (options.kind === 'faulty') {
    console.error(`${options.message}\n${reconcileHelp}`)
    return 2
  }
  try {
    const { DATABASE_URL, LOYALTY_DATA } = process.env
    const reconciler = await openReconciler({ databaseUrl: DATABASE_URL || null, dataFolder: LOYALTY_DATA || '.data' })
    try {
      const report = (options.json ? jsonReport : textReport)((text) => void process.stdout.write(text))
      const found = await reconciler.reconcile(options, report.difference)
      report.end({ since: options.since, until: options.until }, found)
      return found.differences + found.reservationsAstray === 0 ? 0 : 1
    } finally {
      await reconciler.close()
    }
  } catch (error) {
    console.error(`the ledger cannot be looked at: ${error instanceof Error ? error.message : error}`)
    return 2
  }
}
