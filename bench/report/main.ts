import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { renderReport } from './render-report.js'
import { benchFolder, readLastRun, reportFile } from './store-run.js'

/** `npm run bench:report`: the last run as one HTML file. */
const run = readLastRun()
if (run === null) {
  console.error('there is no run yet: npm run bench')
  process.exitCode = 1
} else {
  const file = join(benchFolder, reportFile)
  writeFileSync(file, renderReport(run))
  console.log(`${run.results.length} results, commit ${run.about.commit}: ${resolve(file)}`)
}
