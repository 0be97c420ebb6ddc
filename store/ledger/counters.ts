import type { CounterName } from '../../engine/core/base/outcome.js'
import type { Rows } from './calls.js'

export interface CounterLookUp {
  /** In the order of the names; an unused counter is all zero. */
  lookUp(names: readonly CounterName[]): Promise<readonly Counter[]>
}

export interface PosCounters extends CounterLookUp {
  /** Compares the next few counters, then accounts, with the records, unless another gateway does. */
  recount(): Promise<Recount>
  /** Samples the use of counters that everyone or a venue shares, unless that was done in the last ten minutes. */
  sample(limits: readonly PeriodsOfLimit[]): Promise<void>
}

export interface AdminCounters extends CounterLookUp {
  list(filter: CounterFilter, rows: Rows<CounterCursor>): Promise<readonly CounterState[]>
  listOf(
    limits: readonly LimitFilter[],
    filter: { readonly subject: string },
    rows: Rows<CounterCursor>,
  ): Promise<readonly CounterState[]>
  /** Counters for everyone or a venue with at least this much used or held, the fullest first, at most `limit`. */
  findTaken(limits: readonly TakenFilter[], limit: number): Promise<readonly TakenCounter[]>
  find(name: CounterName): Promise<CounterState | null>
  findHolds(name: CounterName, limit: number): Promise<readonly Hold[]>
}

export interface PeriodsOfLimit {
  readonly limitId: string
  /** One counter for each venue, else one for everyone. */
  readonly isOfVenue: boolean
  readonly periods: readonly string[]
}

export interface TakenFilter extends PeriodsOfLimit {
  readonly from: number
  readonly maximum: number
}

export interface TakenCounter extends CounterName, Paces {
  /** Used in time or late, and held. */
  readonly taken: number
  readonly held: number
}

export interface LimitFilter {
  readonly limitId: string
  readonly periods: readonly string[] | null
}

type CounterCursor = readonly [limitId: string, subject: string, period: string]

export interface Pace {
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
  readonly discrepancies: Readonly<Record<string, number>>
}

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
  readonly nextExpiryAt: number | null
  readonly lastExpiryAt: number | null
}

export interface Hold {
  readonly calculationId: string
  readonly units: number
  readonly expiresAt: number
}
