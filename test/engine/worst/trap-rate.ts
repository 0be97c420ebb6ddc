import { findWorst, type WorstReport } from '../../../engine/worst/find-worst.js'
import { objectives } from '../../../engine/worst/finding.js'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { cleanShop, diceOf, type Trapped, traps } from './traps.js'

const nowMs = Date.parse('2026-11-23T06:00:00Z')

/** Searches a programme with the default steps. */
export function searched(document: unknown, stepsMax = 20_000): WorstReport {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  const { programme } = read
  const run = findWorst({ programme, venues: programme.venues, objectives, stepsMax, nowMs })
  for (;;) {
    const next = run.next()
    if (next.done) return next.value
  }
}

/** Whether a report names the trap: its guard, or one of its benefits where no other is as bad. */
export function isFound({ benefitIds, guardId }: Trapped, { findings }: WorstReport): boolean {
  if (guardId !== null) return findings.some((finding) => finding.guardId === guardId)
  return findings.some((finding) => finding.reason !== 'as_written' && benefitIds.some((id) => finding.benefitIds.includes(id)))
}

export function trapped(name: string, seed: number): Trapped {
  const dice = diceOf(seed)
  return traps[name]!(cleanShop(dice), dice)
}
