import type { CounterName, Want } from '../engine/core/base/outcome.js'
import type { CalculationRecord, StoredAnswer } from './ledger/calculations.js'
import type { Counter } from './ledger/counters.js'

export type ReserveReply =
  | { readonly kind: 'reserved' }
  /** `left` by counterKey for the counters that are short; nothing is held. */
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  /** These counters are unknown here: load them from the ledger. Nothing is held. */
  | { readonly kind: 'unknown'; readonly names: readonly CounterName[] }

/** An answer that Redis has; `record` is the whole calculation while the ledger may not have it yet. */
export interface HotAnswer {
  readonly kind: 'known'
  readonly answer: StoredAnswer
  readonly record: CalculationRecord | null
}

/**
 * Redis may have lost answers: no mark vouches for its memory, or another one than the caller started from. `survey` and `vouch` lead out of
 * it.
 */
export interface Unvouched {
  readonly kind: 'unvouched'
}

export type HotLookup = HotAnswer | Unvouched | { readonly kind: 'unknown' }

type ClaimReply = { readonly kind: 'claimed' } | HotAnswer | Unvouched

export type KeepReply =
  | { readonly kind: 'kept' }
  | HotAnswer
  | Unvouched
  /** The ledger may have stored this key, or be about to: only the ledger can decide. */
  | { readonly kind: 'claimed' }

export interface JournalDepth {
  readonly entries: number
  readonly oldestMs: number
}

export interface CacheServer {
  readonly version: string
  readonly bytes: number
  readonly bytesMax: number
  /** The maxmemory-policy by which it may evict keys, in a cluster that of any master; null: it evicts none. */
  readonly evictionPolicy: string | null
  /** Clocks of the masters, milliseconds since the epoch. */
  readonly clocksMs: readonly number[]
  readonly appends: boolean
  /** A master could not write its last snapshot; by default it then refuses writes. */
  readonly snapshotFailed: boolean
}

/** The marks that vouched for Redis's memory at one moment, by bucket; '': none that this gateway has seen. */
export type Marks = readonly string[]

/** The mark of one bucket of Redis's memory. `vouched`: it has lost nothing since; else the mark waits for `vouch`. */
export interface Mark {
  readonly bucket: number
  readonly vouched: boolean
  readonly mark: string
}

/** Requests of one venue for the partner page: those with a good signature, and the others. */
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
  /** `ahead`: tokens taken in advance. */
  { readonly taken: true; readonly ahead: number } | { readonly taken: false; readonly retryAfterS: number }

/**
 * Redis, the fast cache: never believed over the ledger, and may be absent, wiped or stale at any moment (wire decisions 6). No call takes
 * effect twice. Every method rejects with `StoreFault` when Redis cannot answer; any other rejection is a bug.
 */
export interface Cache {
  /**
   * One token of the environment's bucket (wire decisions 3); sale events never take the last 40 % of the burst. `ahead` more come only from
   * the upper half of the bucket, so that no other call is refused for them.
   */
  takeToken(asked: TokenAsked): Promise<TokenReply>
  /** @param marks  as in `keep`; absent: any mark that vouches will do */
  findAnswer(calculationId: string, marks?: Marks): Promise<HotLookup>
  /** The marks of all buckets that can be reached; where nothing vouches for one, a mark made with `nonce` is put there to wait. */
  survey(nonce: string): Promise<readonly Mark[]>
  /** Makes waiting marks vouch. A mark that is gone, or was replaced, is left out. Resolves to the marks that vouch. */
  vouch(marks: readonly Mark[]): Promise<readonly Mark[]>
  /** Replaces an answer that differs from the ledger's; null: the ledger has no answer to give any more. */
  correct(calculationId: string, answer: StoredAnswer | null): Promise<void>
  /**
   * Announces that the ledger is about to be asked to store this key, so that `keep` gives it no other answer meanwhile. Ends with
   * `remember`, with as many `release`s, and by itself after the cache's answer lifetime.
   */
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
  /**
   * Holds every counter or none for a few seconds, until `confirmHold` or `giveBack`; holds of `supersedes` count as free. A call for
   * the same calculation replaces its hold.
   */
  reserve(calculationId: string, supersedes: string | null, wants: readonly Want[]): Promise<ReserveReply>
  forgetAnswers(calculationIds: readonly string[]): Promise<void>
  /** Stores counters with the ledger's values; a counter that is present already stays unchanged. */
  loadCounters(counters: readonly Counter[]): Promise<void>
  /** Makes a hold last for `forMs`, until the calculation expires, after the ledger confirmed it. */
  confirmHold(calculationId: string, wants: readonly CounterName[], forMs: number): Promise<void>
  giveBack(calculationId: string, names: readonly CounterName[]): Promise<void>
  forgetCounters(names: readonly CounterName[]): Promise<void>
  /** Journalled records older than `olderThanMs`, oldest first, at most `max`; `onDepth` receives before how much waits in all. */
  readJournal(
    max: number,
    olderThanMs: number,
    onDepth?: (depth: JournalDepth) => void,
  ): Promise<readonly CalculationRecord[]>
  findJournalled(calculationId: string): Promise<CalculationRecord | Unvouched | null>
  forgetJournalled(calculationIds: readonly string[]): Promise<void>
  journalDepth(): Promise<JournalDepth>
  /** Puts a text before those kept for this venue and kind; the oldest beyond the bounds go. */
  keepRequest(at: RequestsAt, text: string, bounds: RequestBounds): Promise<void>
  readRequests(at: RequestsAt): Promise<readonly string[]>
  dropRequests(venueId: string): Promise<void>
  describe(): Promise<CacheServer>
  ping(): Promise<void>
  close(): Promise<void>
}

/** Tokens of a bucket that sale events never take (wire decisions 3). Whole tokens: a burst of 1 leaves sale events the rest. */
export function tokensKeptFromSales(burst: number): number {
  return Math.floor((burst * 2) / 5)
}
