import type { Cache, HotAnswer, Marks } from '../../store/cache.js'
import type { AnswerLookup, CalculationRecord } from '../../store/ledger/calculations.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Journal } from '../background/journal.js'
import type { Vouching } from '../background/vouching.js'

/** The outcome of storing a priced basket. */
export type KeepOutcome =
  /** `by`: reservations of the ledger can be withdrawn; the cache's answer holds nothing. */
  | { readonly kind: 'kept'; readonly by: 'cache' | 'ledger' }
  /** Another call with this key was first: nothing was kept. */
  | { readonly kind: 'known'; readonly lookup: AnswerLookup }
  /** Limits have less left than wanted: nothing was kept; price again with this. */
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  /** The ledger has been out of reach for seconds: nothing was kept; price again without limited benefits. */
  | { readonly kind: 'limits_unknown' }
  /** The ledger could not be asked just now: nothing was kept, and no member may get `limit_exhausted` for it. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_late' }

export interface KeepParts {
  readonly cache: Cache | null
  readonly posLedger: PosLedger
  readonly journal: Journal
  readonly vouching: Vouching
  readonly expiryS: number
  /** Runs work without a waiting caller; a store out of reach is ignored there, a bug is logged. */
  readonly inBackground: (work: Promise<unknown>) => void
}

export interface Keeping {
  readonly record: CalculationRecord
  readonly marks: Marks
  readonly untilMs: number
}

export function leftMs({ untilMs }: Keeping): number {
  return untilMs - performance.now()
}

export function knownInCache({ answer }: HotAnswer): Extract<KeepOutcome, { readonly kind: 'known' }> {
  return { kind: 'known', lookup: { kind: 'stored', answer } }
}
