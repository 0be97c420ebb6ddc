/** Filters of the list, and which counter is open beside it, as the address has them. */
export interface LimitSearch {
  /** Whose counters: `member`: members' own, `all`: also those of other periods and programmes; absent: shared ones of this period. */
  readonly show?: 'member' | 'all'
  /** Only counters of this limit. */
  readonly limitId?: string
  /** Only counters of this member or venue. */
  readonly who?: string
  /** Whose counter is open; absent: that of everyone. */
  readonly subject?: string
  /** The period of the open counter; absent: `ever`. */
  readonly period?: string
}
