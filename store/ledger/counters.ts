import type { CounterName } from '../../engine/core/base/outcome.js'
import type { Rows } from './calls.js'

export interface CounterLookUp {
  /** In the order of the names; an unused counter is all zero. */
  lookUp(names: readonly CounterName[]): Promise<readonly Counter[]>
}

export interface PosCounters extends CounterLookUp {
  /**
   * Compares the next few counters, then accounts, with the records, unless another gateway does so or has just done so, and resolves to
   * the state of the recount.
   */
  recount(): Promise<Recount>
  /** Samples the use of counters that everyone or a venue shares, unless that was done in the last ten minutes. */
  sample(limits: readonly PeriodsOfLimit[]): Promise<void>
}

export interface AdminCounters extends CounterLookUp {
  /** Used counters by limit, subject and period, ascending by their bytes. */
  list(filter: CounterFilter, rows: Rows<CounterCursor>): Promise<readonly CounterState[]>
  /** Only of these limits, in the same order; `subject` empty: any. */
  listOf(
    limits: readonly LimitFilter[],
    filter: { readonly subject: string },
    rows: Rows<CounterCursor>,
  ): Promise<readonly CounterState[]>
  /** Counters for everyone or a venue with at least this much used or held, the fullest first, at most `limit`. */
  findTaken(limits: readonly TakenFilter[], limit: number): Promise<readonly TakenCounter[]>
  /** null: nothing was taken from it yet. */
  find(name: CounterName): Promise<CounterState | null>
  /** Holds of open calculations on a counter, the first to expire first. */
  findHolds(name: CounterName, limit: number): Promise<readonly Hold[]>
}

export interface PeriodsOfLimit {
  readonly limitId: string
  /** One counter for each venue, else one for everyone. */
  readonly isOfVenue: boolean
  readonly periods: readonly string[]
}

export interface TakenFilter extends PeriodsOfLimit {
  /** Least units taken. */
  readonly from: number
  /** Maximum in the programme in force: the fullest come first. */
  readonly maximum: number
}

export interface TakenCounter extends CounterName, Paces {
  /** Used in time or late, and held. */
  readonly taken: number
  readonly held: number
}

export interface LimitFilter {
  readonly limitId: string
  /** null: any. */
  readonly periods: readonly string[] | null
}

type CounterCursor = readonly [limitId: string, subject: string, period: string]

/** Recent use, from samples; null: no samples. */
export interface Pace {
  /** Milliseconds since the epoch: about the time asked for, or the beginning of the counter. */
  readonly since: number
  readonly taken: number
}

export interface Paces {
  readonly hour: Pace | null
  readonly day: Pace | null
  readonly week: Pace | null
}

/** A limit's counter in the ledger now, without expired reservations in `open`. */
export interface Counter extends CounterName {
  readonly used: number
  readonly open: number
}

/** Progress of the recount of limit counters and accounts from their records, over all gateways. */
export interface Recount {
  /** When the last round ended, seconds since the epoch; null: none has yet. */
  readonly endedAtS: number | null
  readonly counters: number
  readonly accounts: number
  /** Counters and accounts that differ from the records, in the last round or in the current one. */
  readonly differences: number
  /** Counters and accounts of the last round with too many rows for a slice. */
  readonly passedOver: number
  readonly found: readonly string[]
  /** Sales of the last day by the kind of their discrepancies. */
  readonly discrepancies: Readonly<Record<string, number>>
}

/** Empty: any. */
interface CounterFilter {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

/** A counter in the ledger now, without expired reservations in `open`. Times in milliseconds since the epoch. */
export interface CounterState extends CounterName, Paces {
  /** As of the last calculation that took from it. */
  readonly maximum: number
  readonly used: number
  readonly late: number
  readonly open: number
  /** null: nothing is open. */
  readonly nextExpiryAt: number | null
  readonly lastExpiryAt: number | null
}

export interface Hold {
  readonly calculationId: string
  readonly units: number
  readonly expiresAt: number
}
