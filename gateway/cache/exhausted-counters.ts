import { LRUCache } from 'lru-cache'
import { type CounterName, counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { CounterLookUp } from '../../store/ledger/counters.js'
import type { PosLedger } from '../../store/ledger.js'

/** Subjects with remembered counters, counters of one subject, and their lifetime in milliseconds. */
const subjectsMax = 10_000
const countersMax = 8
const rememberedMs = 10 * 60_000
/** Less than this fraction of the maximum counts as nothing: a rest of a budget that may fit no unit. */
const crumbsPart = 100

/**
 * Counters that the ledger lately reported as exhausted. A basket is priced as if they were, and the ledger is asked for them if that
 * made a difference: a hint when to ask, never an answer.
 */
export interface ExhaustedCounters {
  note(programmeVersion: number, short: readonly Want[]): void
  /** The remembered counters of these subjects (a member, a venue, or '' for everyone) as exhausted, by counterKey. */
  asExhausted(programmeVersion: number, subjects: readonly string[]): Readonly<Record<string, 0>>
  /** Units or money left of them now, by counterKey; counters with a sufficient rest are forgotten. Rejects with StoreFault. */
  askLedger(programmeVersion: number, subjects: readonly string[]): Promise<Readonly<Record<string, number>>>
}

interface Remembered extends CounterName {
  readonly maximum: number
  /** Units wanted when it was short. */
  readonly wanted: number
  /** The version of the programme with this maximum. */
  readonly programmeVersion: number
}

export function createExhaustedCounters(posLedger: {
  readonly counters: Pick<PosLedger['counters'], 'lookUp'>
}): ExhaustedCounters {
  const known = new LRUCache<string, readonly Remembered[]>({ max: subjectsMax, ttl: rememberedMs })

  function forget(name: CounterName): void {
    const left = known.get(name.subject)?.filter((each) => counterKey(each) !== counterKey(name)) ?? []
    if (left.length > 0) known.set(name.subject, left)
    else known.delete(name.subject)
  }

  function knownOf(programmeVersion: number, subjects: readonly string[]): readonly Remembered[] {
    return subjects
      .flatMap((subject) => known.get(subject) ?? [])
      .filter((each) => each.programmeVersion === programmeVersion)
  }

  return {
    note(programmeVersion, short) {
      for (const { limitId, subject, period, maximum, units: wanted } of short) {
        forget({ limitId, subject, period })
        const others = known.get(subject) ?? []
        const noted = { limitId, subject, period, maximum, wanted, programmeVersion }
        known.set(subject, [noted, ...others].slice(0, countersMax))
      }
    },
    asExhausted: (programmeVersion, subjects) =>
      Object.fromEntries(knownOf(programmeVersion, subjects).map((each) => [counterKey(each), 0 as const])),
    async askLedger(programmeVersion, subjects) {
      const asked = knownOf(programmeVersion, subjects)
      const left = await unitsLeft(posLedger, asked)
      for (const each of asked) {
        const now = left[counterKey(each)] ?? 0
        if (now >= Math.min(each.wanted, each.maximum / crumbsPart)) forget(each)
      }
      return left
    },
  }
}

interface LimitedCounter extends CounterName {
  readonly maximum: number
}

/**
 * Units or money left of these counters in the ledger now, by counterKey, 0 or more. Rejects with StoreFault.
 *
 * @param freed  units by counterKey that are open now and count as free
 */
export async function unitsLeft(
  ledger: { readonly counters: CounterLookUp },
  limited: readonly LimitedCounter[],
  freed: ReadonlyMap<string, number> = new Map(),
): Promise<Readonly<Record<string, number>>> {
  if (limited.length === 0) return {}
  const counters = new Map((await ledger.counters.lookUp(limited)).map((counter) => [counterKey(counter), counter]))
  return Object.fromEntries(
    limited.map((each) => {
      const key = counterKey(each)
      const { used = 0, open = 0 } = counters.get(key) ?? {}
      return [key, Math.max(0, each.maximum - used - open + (freed.get(key) ?? 0))]
    }),
  )
}
