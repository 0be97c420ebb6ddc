import { parseArgs } from 'node:util'
import { readProgramme } from '../../../engine/programme/read-programme.js'
import { findWorst, type WorstReport } from '../../../engine/worst/find-worst.js'
import { objectives } from '../../../engine/worst/finding.js'
import { cleanShop, diceOf, type Trapped, traps } from './traps.js'

const nowMs = Date.parse('2026-11-23T06:00:00Z')
const stepsDefault = 20_000

/** Searches a programme at its own venues. */
export function searched(document: unknown, stepsMax = stepsDefault): WorstReport {
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

/** Prints how many of the planted traps are found, and the longest search, by trap. */
function main(): void {
  const { values } = parseArgs({ options: { each: { type: 'string', default: '20' } } })
  const each = Number(values.each)
  let foundInAll = 0
  for (const name of Object.keys(traps)) {
    let [found, longestMs] = [0, 0]
    for (let seed = 1; seed <= each; seed++) {
      const one = trapped(name, seed)
      const startMs = performance.now()
      const report = searched(one.document)
      longestMs = Math.max(longestMs, performance.now() - startMs)
      if (isFound(name, one, report)) found++
      else process.stdout.write(`  not found: ${name}, seed ${seed}\n`)
    }
    foundInAll += found
    process.stdout.write(`${name}: ${found} of ${each}, at most ${Math.round(longestMs)} ms\n`)
  }
  const programmes = each * Object.keys(traps).length
  process.stdout.write(`${foundInAll} of ${programmes} traps found\n`)
  if (foundInAll < programmes * 0.95) process.exitCode = 1
}

if (import.meta.filename === process.argv[1]) main()
