import { readProgramme } from '../../engine/programme/read-programme.js'
import { runInBackground } from '../../engine/thread/v8-flags.js'
import { findWorst, type WorstReport } from '../../engine/worst/find-worst.js'
import type { WorstSearchOnThread } from './worst-search.js'

runInBackground()

export function runWorstSearch({ document, venues, progress, ...task }: WorstSearchOnThread): WorstReport {
  const read = readProgramme(document)
  if (read.kind === 'faulty') throw new Error('the document of a search has faults')
  const { programme } = read
  const search = findWorst({ ...task, programme, venues: venues.length > 0 ? venues : programme.venues })
  for (;;) {
    const next = search.next()
    if (next.done) return next.value
    progress.postMessage(next.value.steps)
  }
}
