import { readProgramme } from '../../../engine/programme/read-programme.js'
import { findWorst, type WorstReport } from '../../../engine/worst/find-worst.js'
import { objectives } from '../../../engine/worst/finding.js'
import { cleanShop, diceOf, type Trapped, traps } from './traps.js'

const nowMs = Date.parse('2026-11-23T06:00:00Z')

/** Searches a programme at its own venues. */
export function searchedWithin(document: unknown, stepsMax: number): WorstReport {
  const read = readProgramme(JSON.stringify(document))
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults))
  const { programme } = read
  const run = findWorst({ programme, venues: programme.venues, objectives, stepsMax, nowMs })
  for (;;) {
    const next = run.next()
    if (next.done) return next.value
  }
}

export function trapped(name: string, seed: number): Trapped {
  const dice = diceOf(seed)
  return traps[name]!.plant(cleanShop(dice), dice)
}

/** True when a finding names the trap with one of its reasons. */
export function isFound(name: string, { trapIds }: Trapped, { findings }: WorstReport): boolean {
  const { reasons } = traps[name]!
  return findings.some(
    ({ reason, benefitIds }) => reasons.includes(reason) && trapIds.some((id) => benefitIds.includes(id)),
  )
}
