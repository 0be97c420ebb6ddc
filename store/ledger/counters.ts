import type { CounterName } from '../../engine/core/base/outcome.js'
import type { Rows } from './calls.js'

export interface PosCounters {
  /** In the order of the names; one that nobody has taken from yet is all zero. */
  lookUp(names: readonly CounterName[]): Promise<readonly Counter[]>
  /** Compares the next few counters, then accounts, with the records, unless another gateway does so or has just done so, and resolves to the state of the recount. */
  recount(): Promise<Recount>
  /** Samples what is taken of counters that everyone or a venue shares, unless that was done in the last ten minutes. */
  sample(limits: readonly PeriodsOfLimit[]): Promise<void>
}

export interface AdminCounters {
  /** Counters from which something was taken, by limit, subject and period, ascending by their bytes. */
  list(filter: CounterFilter, rows: Rows<CounterCursor>): Promise<readonly CounterState[]>
  /** Of these limits alone, in the same order; `subject` empty: any. */
  listOf(
    limits: readonly LimitFilter[],
    filter: { readonly subject: string },
    rows: Rows<CounterCursor>,
  ): Promise<readonly CounterState[]>
  /** Counters of limits for everyone or a venue from which so much is used or held, the fullest first, at most `limit`. */
  findTaken(limits: readonly TakenFilter[], limit: number): Promise<readonly TakenCounter[]>
  /** null: nobody has taken from it yet. */
  find(name: CounterName): Promise<CounterState | null>
  /** What open calculations hold of a counter, the first to expire first. */
  findHolds(name: CounterName, limit: number): Promise<readonly Hold[]>
}

export interface PeriodsOfLimit {
  readonly limitId: string
  /** One counter for each venue, else one for everyone. */
  readonly isOfVenue: boolean
  readonly periods: readonly string[]
}

export interface TakenFilter extends PeriodsOfLimit {
  /** What must be taken at least. */
  readonly from: number
  /** Of the programme in force: the fullest come first. */
  readonly maximum: number
}

export interface TakenCounter extends CounterName, Paces {
  /** Used in time or late, and held. */
  readonly taken: number
}

export interface LimitFilter {
  readonly limitId: string
  /** null: any. */
  readonly periods: readonly string[] | null
}

type CounterCursor = readonly [limitId: string, subject: string, period: string]

/** What was taken lately, as samples tell; null: nobody can tell. */
export interface Pace {
  /** Milliseconds since the epoch: about so long ago as asked, or when the counter began. */
  readonly since: number
  readonly taken: number
}

export interface Paces {
  readonly hour: Pace | null
  readonly day: Pace | null
  readonly week: Pace | null
}

/** A limit's counter as the ledger knows it now, expired reservations already taken off `open`. */
export interface Counter extends CounterName {
  readonly used: number
  readonly open: number
}

/** How far the ledger has come with recounting its limit counters and its accounts from its records, over all gateways. */
export interface Recount {
  /** When the last round through all of them ended, seconds since the epoch; null: none has yet. */
  readonly endedAtS: number | null
  readonly counters: number
  readonly accounts: number
  /** Counters and accounts that differ from the records, in that round or in the one under way. */
  readonly differences: number
  /** Counters and accounts of that round with too many rows for a slice. */
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

/** A counter as the ledger knows it now, expired reservations already taken off `open`. Times in milliseconds since the epoch. */
export interface CounterState extends CounterName, Paces {
  /** As the last calculation that took from it knew it. */
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
