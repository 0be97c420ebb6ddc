import { LRUCache } from 'lru-cache'
import { type CounterName, counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { Ledger } from '../../store/ledger.js'
import { unitsLeft } from './units-left.js'

/** Subjects of which exhausted counters are remembered, counters of one subject, and for how long, in milliseconds. */
const subjectsMax = 10_000
const countersMax = 8
const rememberedMs = 10 * 60_000

/**
 * Counters that the ledger lately reported as exhausted. The ledger is asked for them before a basket is priced, so that the basket
 * is not priced twice: a hint what to ask, never an answer.
 */
export interface ExhaustedCounters {
  /** Remembers counters that were short of what was wanted. */
  note(programmeVersion: number, short: readonly Want[]): void
  /** Whether there is anything to ask about these subjects: a member, a venue, or '' for everyone. */
  has(subjects: readonly string[]): boolean
  /** Units left of them now, by counterKey; counters with units left are forgotten. Rejects with StoreFault. */
  askLedger(programmeVersion: number, subjects: readonly string[]): Promise<Readonly<Record<string, number>>>
}

interface Remembered extends CounterName {
  readonly maximum: number
  /** The maximum is that of this version. */
  readonly programmeVersion: number
}

export function createExhaustedCounters(ledger: {
  readonly counters: Pick<Ledger['counters'], 'lookUp'>
}): ExhaustedCounters {
  const known = new LRUCache<string, readonly Remembered[]>({ max: subjectsMax, ttl: rememberedMs })

  function forget(name: CounterName): void {
    const left = known.get(name.subject)?.filter((each) => counterKey(each) !== counterKey(name)) ?? []
    if (left.length > 0) known.set(name.subject, left)
    else known.delete(name.subject)
  }

  return {
    note(programmeVersion, short) {
      for (const { limitId, subject, period, maximum } of short) {
        forget({ limitId, subject, period })
        const others = known.get(subject) ?? []
        known.set(subject, [{ limitId, subject, period, maximum, programmeVersion }, ...others].slice(0, countersMax))
      }
    },
    has: (subjects) => subjects.some((subject) => known.has(subject)),
    async askLedger(programmeVersion, subjects) {
      const asked = subjects
        .flatMap((subject) => known.get(subject) ?? [])
        .filter((each) => each.programmeVersion === programmeVersion)
      const left = await unitsLeft(ledger, asked)
      for (const each of asked) if ((left[counterKey(each)] ?? 0) > 0) forget(each)
      return left
    },
  }
}
