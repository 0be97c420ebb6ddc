import { counterKey } from '../../engine/core/base/outcome.js'
import type { AnswerBody, BasketBody, BenefitId, CostedId } from './bodies.js'
import { limitsOf } from './pricing.js'
import type { Tables } from './transactions.js'
import type { World } from './world.js'

/** Records the units left at every commit, to decide whether a "no" was ever true (wire decisions 6). */
export interface LedgerWitness {
  committed(tables: Tables): void
  /** Refusals of a member although the ledger was reachable and had units left all the while. */
  wrongNos(
    asked: BasketBody,
    answer: AnswerBody,
    call: { readonly place: number; readonly fromMs: number },
  ): readonly string[]
}

interface Moment {
  readonly atMs: number
  /** Units taken of each counter, without those that have expired by then. */
  readonly taken: ReadonlyMap<string, number>
}

export function createLedgerWitness(world: () => World): LedgerWitness {
  const moments: Moment[] = []

  /** The most that was taken of a counter at any moment since then. */
  function mostTaken(counter: string, sinceMs: number): number {
    const first = moments.findLastIndex(({ atMs }) => atMs <= sinceMs)
    return Math.max(0, ...moments.slice(Math.max(0, first)).map(({ taken }) => taken.get(counter) ?? 0))
  }

  return {
    committed(tables) {
      moments.push({ atMs: world().time.nowMs, taken: takenOf(tables, world().ledgerNowMs()) })
    },
    wrongNos(asked, answer, { place, fromMs }) {
      const { faults, maxima, time } = world()
      const away = faults.some(
        (fault) =>
          fault.store === 'ledger' && fault.place === place && fault.toMs >= fromMs && fault.fromMs <= time.nowMs,
      )
      // Units of a superseded basket are free for its successor alone.
      if (away || asked.supersedes !== null) return []
      return (Object.entries(asked.wants) as [BenefitId | CostedId, number][]).flatMap(([benefit, wanted]) => {
        const limits = limitsOf(benefit, asked, maxima)
        // Value is checked in value-checks.ts.
        if (limits.length === 0) return []
        const granted = answer.holds.find(({ counter }) => counter === counterKey(limits[0]!))?.units ?? 0
        const possible = Math.min(
          wanted,
          ...limits.map((limit) => limit.maximum - mostTaken(counterKey(limit), fromMs)),
        )
        return granted < possible
          ? [`${asked.calculationId} was refused ${benefit}: ${granted} granted, ${possible} were left all the while`]
          : []
      })
    },
  }
}

function takenOf({ counters, reservations }: Tables, nowMs: number): ReadonlyMap<string, number> {
  const taken = new Map([...counters].map(([key, { used, open, late }]) => [key, used + open + late]))
  for (const { counter, units, state, heldUntilMs } of reservations.values()) {
    if (state === 'open' && heldUntilMs <= nowMs) taken.set(counter, taken.get(counter)! - units)
  }
  return taken
}
