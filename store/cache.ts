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
 * Redis may have lost answers: nothing marks its memory as whole since this server process started, or the mark is not the one
 * that the caller started from. Nothing changed. `survey` and `vouch` lead out of it.
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
  /** The ledger is being asked to store this key, or may have done so: only the ledger can tell. */
  | { readonly kind: 'claimed' }

/** What waits in the cache's journal, of all gateways. */
export interface JournalDepth {
  readonly entries: number
  /** Age of the oldest, in milliseconds; 0 where nothing waits. */
  readonly oldestMs: number
}

/** The server of the cache, for people. */
export interface CacheServer {
  /** Of Redis. */
  readonly version: string
  /** Of memory that it uses. */
  readonly bytes: number
  /** Of memory that it may use; 0: no limit is set. */
  readonly bytesMax: number
  /** The maxmemory-policy by which it may evict keys, of a cluster that of any master; null: it evicts none. */
  readonly evictionPolicy: string | null
}

/** The marks that vouched for Redis's memory at one moment, by bucket; '': none that this gateway has seen. */
export type Marks = readonly string[]

/** What marks one bucket of Redis's memory: `vouched`, it has lost nothing since it was marked so; else the mark waits for `vouch`. */
export interface Mark {
  readonly bucket: number
  readonly vouched: boolean
  readonly mark: string
}

export interface TokenAsked {
  readonly endpoint: 'basket' | 'sale'
  /** Tokens a second. */
  readonly rate: number
  /** Tokens that the bucket holds. */
  readonly burst: number
  /** Tokens for the next calls of the same gateway. */
  readonly ahead: number
}

export type TokenReply =
  /** `ahead`: so many more were taken. */
  { readonly taken: true; readonly ahead: number } | { readonly taken: false; readonly retryAfterS: number }

/**
 * Redis, the fast cache: never believed over the ledger, and may be absent, out of reach, wiped or stale at any moment (wire decisions 6).
 * No call takes effect twice, whatever is resent. Every method rejects with `StoreFault` when Redis cannot answer; any other
 * rejection is a bug.
 */
export interface Cache {
  /**
   * One token of the environment's bucket (wire decisions 3); sale events never take the last 40 % of the burst. Beside it as many as are asked
   * for `ahead`, but only what lies in the upper half of the bucket, so that nobody is turned away for them.
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
   * Announces that the ledger is about to be asked to store this key, so that `keep` does not give it another answer meanwhile,
   * wherever it is called. Ends with `remember`, with as many `release`s, and by itself after the cache's answer lifetime.
   */
  claim(calculationId: string): Promise<ClaimReply>
  /** Takes a claim back: only where it is certain that the ledger has written nothing for it. */
  release(calculationId: string): Promise<void>
  /**
   * Claims the key, keeps the answer and journals the calculation in one atomic step; the journalled copy stays until
   * `forgetJournalled`, the hot answer for the cache's answer lifetime after that. `known` where another call was first, `claimed`
   * where the ledger decides: nothing is kept then.
   *
   * @param marks  as they vouched before the ledger was asked for this key; another one in its bucket by now is `unvouched`
   */
  keep(record: CalculationRecord, marks: Marks): Promise<KeepReply>
  /** Stores in Redis the answer of a calculation that the ledger has confirmed. */
  remember(calculationId: string, answer: StoredAnswer): Promise<void>
  /**
   * Holds what is wanted, every counter or none, for a few seconds, until `confirmHold` or `giveBack`, counting what `supersedes` holds as free.
   * Asking again for the same calculation replaces its hold.
   */
  reserve(calculationId: string, supersedes: string | null, wants: readonly Want[]): Promise<ReserveReply>
  /** Drops the answers of these calculations, but for those that the journal still holds. */
  forgetAnswers(calculationIds: readonly string[]): Promise<void>
  /** Puts counters in place as the ledger has them; a counter that is known already stays as it is. */
  loadCounters(counters: readonly Counter[]): Promise<void>
  /** Makes a hold last for `forMs`, until the calculation expires, after the ledger confirmed it. */
  confirmHold(calculationId: string, wants: readonly CounterName[], forMs: number): Promise<void>
  /** Gives back a hold. */
  giveBack(calculationId: string, names: readonly CounterName[]): Promise<void>
  /** Forgets counters, so that the next reservation loads them from the ledger. */
  forgetCounters(names: readonly CounterName[]): Promise<void>
  /** Journalled records older than `olderThanMs`, oldest first, at most `max`; `onDepth` receives before how much waits in all. */
  readJournal(
    max: number,
    olderThanMs: number,
    onDepth?: (depth: JournalDepth) => void,
  ): Promise<readonly CalculationRecord[]>
  findJournalled(calculationId: string): Promise<CalculationRecord | Unvouched | null>
  forgetJournalled(calculationIds: readonly string[]): Promise<void>
  /** How much waits, asked of every bucket; `readJournal` reports it too. */
  journalDepth(): Promise<JournalDepth>
  /** What its server says of itself. */
  describe(): Promise<CacheServer>
  ping(): Promise<void>
  close(): Promise<void>
}
