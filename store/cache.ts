import type { CounterName, Want } from '../engine/core/base/outcome.js'
import type { CalculationRecord, StoredAnswer } from './ledger/calculations.js'
import type { Counter } from './ledger/counters.js'

export type ReserveReply =
  | { readonly kind: 'reserved' }
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  /** These counters are unknown here: load them from the ledger. Nothing is held. */
  | { readonly kind: 'unknown'; readonly names: readonly CounterName[] }

export interface HotAnswer {
  readonly kind: 'known'
  readonly answer: StoredAnswer
  readonly record: CalculationRecord | null
}

/** Redis may have lost answers: no mark vouches for its memory, or another one. `survey` and `vouch` lead out of it. */
export interface Unvouched {
  readonly kind: 'unvouched'
}

export type HotLookup = HotAnswer | Unvouched | { readonly kind: 'unknown' }

type ClaimReply = { readonly kind: 'claimed' } | HotAnswer | Unvouched

export type KeepReply = { readonly kind: 'kept' } | HotAnswer | Unvouched | { readonly kind: 'claimed' }

export interface JournalDepth {
  readonly entries: number
  readonly oldestMs: number
}

export interface CacheServer {
  readonly version: string
  readonly bytes: number
  readonly bytesMax: number
  readonly evictionPolicy: string | null
  readonly clocksMs: readonly number[]
  readonly appends: boolean
  /** A master could not write its last snapshot; by default it then refuses writes. */
  readonly snapshotFailed: boolean
}

export type Marks = readonly string[]

export interface Mark {
  readonly bucket: number
  readonly vouched: boolean
  readonly mark: string
}

export interface RequestsAt {
  readonly venueId: string
  readonly isSigned: boolean
}

/** For the requests of one `RequestsAt`; `bytesMax` holds for more than one, and `lifetimeMs` counts from the last. */
export interface RequestBounds {
  readonly countMax: number
  readonly bytesMax: number
  readonly lifetimeMs: number
}

export interface TokenAsked {
  readonly endpoint: 'basket' | 'sale'
  readonly rate: number
  readonly burst: number
  readonly ahead: number
}

export type TokenReply =
  | { readonly taken: true; readonly ahead: number }
  | { readonly taken: false; readonly retryAfterS: number }

/**
 * Redis, the fast cache: never believed over the ledger, and may be absent, wiped or stale at any moment (wire decisions 6). No call takes
 * effect twice. Every method rejects with `StoreFault` when Redis cannot answer; any other rejection is a bug.
 */
export interface Cache {
  /** Sale events never take the last 40 % of the burst (wire decisions 3). `ahead` more come only from the upper half of the bucket. */
  takeToken(asked: TokenAsked): Promise<TokenReply>
  findAnswer(calculationId: string, marks?: Marks): Promise<HotLookup>
  /** The marks of all buckets that can be reached; where nothing vouches for one, a mark made with `nonce` is put there to wait. */
  survey(nonce: string): Promise<readonly Mark[]>
  vouch(marks: readonly Mark[]): Promise<readonly Mark[]>
  correct(calculationId: string, answer: StoredAnswer | null): Promise<void>
  /** The ledger is about to store this key, so `keep` gives it no other answer until `remember`, as many `release`s, or its lifetime. */
  claim(calculationId: string): Promise<ClaimReply>
  release(calculationId: string): Promise<void>
  /**
   * Claims the key, keeps the answer and journals the calculation in one atomic step; the journalled copy stays until
   * `forgetJournalled`, the hot answer for the cache's answer lifetime after that. `known` where another call was first, `claimed`
   * where the ledger decides: nothing is kept then.
   *
   * @param marks  as they vouched before the ledger call for this key; another one in its bucket by now is `unvouched`
   */
  keep(record: CalculationRecord, marks: Marks): Promise<KeepReply>
  remember(calculationId: string, answer: StoredAnswer): Promise<void>
  /** Holds every counter or none until `confirmHold` or `giveBack`, or for seconds; replaces a hold of the same calculation. */
  reserve(calculationId: string, supersedes: string | null, wants: readonly Want[]): Promise<ReserveReply>
  forgetAnswers(calculationIds: readonly string[]): Promise<void>
  loadCounters(counters: readonly Counter[]): Promise<void>
  confirmHold(calculationId: string, wants: readonly CounterName[], forMs: number): Promise<void>
  giveBack(calculationId: string, names: readonly CounterName[]): Promise<void>
  forgetCounters(names: readonly CounterName[]): Promise<void>
  readJournal(
    max: number,
    olderThanMs: number,
    onDepth?: (depth: JournalDepth) => void,
  ): Promise<readonly CalculationRecord[]>
  findJournalled(calculationId: string): Promise<CalculationRecord | Unvouched | null>
  forgetJournalled(calculationIds: readonly string[]): Promise<void>
  journalDepth(): Promise<JournalDepth>
  keepRequest(at: RequestsAt, text: string, bounds: RequestBounds): Promise<void>
  readRequests(at: RequestsAt): Promise<readonly string[]>
  dropRequests(venueId: string): Promise<void>
  describe(): Promise<CacheServer>
  ping(): Promise<void>
  close(): Promise<void>
}

export function tokensKeptFromSales(burst: number): number {
  return Math.floor((burst * 2) / 5)
}
