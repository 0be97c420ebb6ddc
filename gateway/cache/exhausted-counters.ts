import { LRUCache } from 'lru-cache'
import { type CounterName, counterKey, type Want } from '../../engine/core/outcome.js'
import type { Ledger } from '../../store/ledger.js'

/** Subjects of which exhausted counters are remembered, counters of one subject, and for how long, in milliseconds. */
const subjectsMax = 10_000
const countersMax = 8
const rememberedMs = 10 * 60_000

/**
 * Counters that the ledger lately said are exhausted. It is asked about them while a basket that may want them is read, so that the
 * basket is not priced once to hear "no" and then again: a hint where to ask, never an answer.
 */
export interface ExhaustedCounters {
  /** What the ledger said is short of what was wanted. */
  note(programmeVersion: number, short: readonly Want[]): void
  /** Whether there is anything to ask about these subjects: a member, a venue, or '' for everyone. */
  has(subjects: readonly string[]): boolean
  /** What the ledger has left of them now, by counterKey; it is forgotten what has some left again. Rejects with StoreFault. */
  askLedger(programmeVersion: number, subjects: readonly string[]): Promise<Readonly<Record<string, number>>>
}

interface Remembered extends CounterName {
  readonly maximum: number
  /** The maximum is that of this version. */
  readonly programmeVersion: number
}

export function createExhaustedCounters(ledger: Pick<Ledger, 'counters'>): ExhaustedCounters {
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
      if (asked.length === 0) return {}
      const counters = new Map((await ledger.counters.lookUp(asked)).map((counter) => [counterKey(counter), counter]))
      const left = asked.map((each) => {
        const counter = counters.get(counterKey(each))
        return [each, Math.max(0, each.maximum - (counter?.used ?? 0) - (counter?.open ?? 0))] as const
      })
      for (const [each, units] of left) if (units > 0) forget(each)
      return Object.fromEntries(left.map(([each, units]) => [counterKey(each), units]))
    },
  }
}
