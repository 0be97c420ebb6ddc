import type { Owner } from './virtual-time.js'

export type StoreName = 'cache' | 'ledger'

/** One process of the service, from its start to its end; the next in its place is another one. */
export interface Gateway {
  readonly place: number
  readonly owner: Owner
  /** Takes no new calls: it has been asked to end. */
  draining: boolean
  /** What its idea of the ledger's clock is ahead of it, in milliseconds. */
  clockAheadMs: number
  programmeVersion: number
  /** Calculations of which it has its own copy, or had until the ledger had them. */
  readonly copies: Set<string>
  /** When the call that works on a key began. */
  readonly began: Map<string, number>
}
