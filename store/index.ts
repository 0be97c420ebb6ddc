import type { CounterName, Want } from '../engine/core/outcome.js'
import type { SaleEvent } from '../engine/index.js'
import type { Administration, ProgrammeTexts } from './administration.js'
import type { Inspection } from './inspection.js'

export type {
  AuditFacts,
  ForgettingReply,
  MemberChange,
  MemberIds,
  Order,
  PreparedProgramme,
  ProgrammeFacts,
  ProgrammeTexts,
} from './administration.js'
export { withinDeadline } from './call-deadline.js'
export type {
  CalculationBody,
  CalculationFilter,
  CalculationSummary,
  CounterState,
  InspectedCalculation,
  InspectedSale,
  Inspection,
  PastCalculation,
  SaleFilter,
} from './inspection.js'

/**
 * The stores as the use cases see them. The ledger (Postgres, or PGlite when embedded) is the ledger; the cache (Redis) is the
 * fast copy before it and may be absent, out of reach, wiped or stale at any moment (wire decisions 6).
 * Every method rejects with `StoreFault` when its store cannot answer; any other rejection is a bug.
 */

/** The world failing, never the request's fault. */
export class StoreFault extends Error {
  /**
   * `unreachable`: refused, nothing was done. `timeout`: the store said nothing to anybody for a while, nothing is known to have
   * been done. `in_doubt`: a commit was sent and its outcome is not known. `full`: the store refuses writes. `busy`: the store is
   * there, but it, or our own connections to it, had too much to do; nothing was done. See `isOutOfReach`.
   */
  constructor(
    readonly store: 'cache' | 'ledger',
    readonly kind: 'unreachable' | 'timeout' | 'in_doubt' | 'full' | 'busy',
    options?: { cause?: unknown; lasting?: boolean },
  ) {
    super(`${store}: ${kind}`, options)
    this.name = 'StoreFault'
    this.lasting = options?.lasting ?? false
  }

  /**
   * Whether this has been so for seconds (`outageMs`), without one success in between. Only then may an answer say
   * `limit_exhausted` because the ledger could not be asked: connections that break are no outage.
   */
  readonly lasting: boolean
}

/**
 * Whether a store's fault lets a call go on without that store (wire decisions 6): it was refused, its circuit is open, it hangs or takes no
 * writes. One that is busy can still be asked, and one whose commit is in doubt may have done what it was asked: neither may
 * become a "no" to a member, so those calls end with 503.
 */
export function isOutOfReach(error: unknown): error is StoreFault {
  return error instanceof StoreFault && error.kind !== 'in_doubt' && error.kind !== 'busy'
}

/** One answered calculation, whole (wire decisions 5): everything that Postgres will hold of it. */
export interface CalculationRecord {
  readonly calculationId: string
  readonly supersedesCalculationId: string | null
  readonly status: 'applied' | 'unchanged' | 'member_not_found'
  readonly reason: string | null
  readonly venueId: string
  readonly baxId: string
  readonly cashRegisterId: string
  readonly channel: string
  readonly loyaltyId: string | null
  readonly memberId: string | null
  readonly currency: string
  /** As sent (RFC 3339). */
  readonly requestedAt: string
  readonly programmeVersion: number
  readonly netBefore: number
  readonly netAfter: number
  readonly loyaltyDiscountTotal: number
  readonly optimal: boolean
  /** SHA-256 of the request body as it arrived. */
  readonly digest: Uint8Array
  /** Request and answer, packed by the engine. */
  readonly packed: Uint8Array
  /** JSON of the PricingFacts it was priced with, for replay. */
  readonly inputs: string
  /** Compressed JSON of the benefit reports. */
  readonly explanation: Uint8Array
  /** What it holds of limits; non-empty only on the ledger path. */
  readonly holds: readonly Want[]
  /** Ledger clock, milliseconds since the epoch. */
  readonly answeredAt: number
}

/** What is needed to answer a repeated basket call. */
export interface StoredAnswer {
  readonly digest: Uint8Array
  readonly packed: Uint8Array
}

export type AnswerLookup =
  | { readonly kind: 'stored'; readonly answer: StoredAnswer }
  /** Known, but its answer's time (LOYALTY_IDEMPOTENCY_S) is over: a basket call answers 409. */
  | { readonly kind: 'outlived' }
  | { readonly kind: 'unknown' }

/** A limit's counter as the ledger knows it now, expired reservations already taken off `open`. */
export interface Counter extends CounterName {
  readonly used: number
  readonly open: number
}

export type ConfirmReply =
  | { readonly kind: 'confirmed' }
  /** Not enough left: nothing was written. `left` by counterKey, for every counter of the record. */
  | { readonly kind: 'short'; readonly left: Readonly<Record<string, number>> }
  /** Another call with this key was first: nothing was written. */
  | { readonly kind: 'known'; readonly lookup: AnswerLookup }
  /** The time given for it ran out before the commit: nothing was written. */
  | { readonly kind: 'too_late' }

export type SaleReply =
  | {
      readonly kind: 'recorded' | 'unknown_calculation'
      readonly discrepancies: readonly string[]
      readonly freed: readonly CounterName[]
    }
  /** Stored within LOYALTY_IDEMPOTENCY_S under this key; `body` is the event as it was stored, `result` what was answered. */
  | {
      readonly kind: 'stored'
      readonly digest: Uint8Array
      readonly body: Uint8Array
      readonly result: 'recorded' | 'unknown_calculation'
    }
  /** Stored longer ago than that. */
  | { readonly kind: 'duplicate' }

export interface StoredVenue {
  readonly venueId: string
  readonly name: string
  readonly environment: 'staging' | 'production'
  readonly currency: string
  readonly timeZone: string
  readonly baxIds: readonly string[]
  readonly products: readonly import('../engine/core/basket.js').VenueProduct[]
}

export interface StoredMember {
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
  readonly blocked: boolean
}

/** A published programme: its version, and its benefits as the JSON text that was published. */
export interface StoredProgramme {
  readonly version: number
  /** JSON array of the benefits. */
  readonly benefits: string
}

/** `id`: the version, the venueId, or a loyaltyId (every old and new one of a changed member); '' stands for every loyaltyId. */
export type Change = { readonly kind: 'programme' | 'venue' | 'member'; readonly id: string }

/** How far the ledger has come with recounting its limit counters from its records, over all gateways. */
export interface Recount {
  /** When the last round through all counters ended, seconds since the epoch; null: none has yet. */
  readonly endedAtS: number | null
  /** Counters of that round. */
  readonly counters: number
  /** Counters that differ from the records, in that round or in the one under way. */
  readonly differences: number
  /** Counters of that round with too many reservations for a slice. */
  readonly passedOver: number
  /** The differences of this slice, one line each. */
  readonly found: readonly string[]
  /** Sales of the last day by the kind of their discrepancies. */
  readonly discrepancies: Readonly<Record<string, number>>
}

/** What a gateway reports of itself to the others. */
export interface GatewayReport {
  readonly gatewayId: string
  /** Whether it may answer from Redis before the ledger has the answer. */
  readonly usesCache: boolean
  /** The wish through which its own answers are in the ledger. */
  readonly flushedThrough: number
  /** Whether it makes a wish: that every gateway writes what it has answered into the ledger. */
  readonly wishes: boolean
}

export interface GatewaysMet {
  /** Number of the newest wish, the one just made included. */
  readonly wished: number
  /** The wish through which all other living gateways have written; Infinity where no other one answers from Redis. */
  readonly flushedByOthers: number
}

/** Postgres, the ledger. One transaction per method; locks are taken in one order: calculation row(s) by id, then counters by key, then sale. */
export interface Ledger {
  /** The ledger's own clock as last compared, carried on by a monotonic one: milliseconds since the epoch. */
  clock(): number
  findAnswer(calculationId: string): Promise<AnswerLookup>
  findCounters(names: readonly CounterName[]): Promise<readonly Counter[]>
  /**
   * Stores a calculation and takes what it holds, all or nothing, by conditional updates that cannot pass a maximum; releases
   * what it supersedes in the same transaction (an open calculation of the same venue, else nothing is released). Expired
   * reservations in the way are released first. Commits only while less than `withinMs` have passed.
   */
  confirm(record: CalculationRecord, withinMs: number): Promise<ConfirmReply>
  /** Undoes a confirmed calculation whose answer was never sent; `replayed` where somebody has been answered from it, or it is no longer open. */
  withdraw(calculationId: string): Promise<'withdrawn' | 'replayed' | 'unknown'>
  /**
   * Stores calculations that hold nothing (the journal's); those already stored are left as they are. Releases what they supersede.
   * Resolves to the ids under which another answer was stored already.
   */
  keepCalculations(records: readonly CalculationRecord[]): Promise<readonly string[]>
  /** Reports one gateway to the others, renews its lease, and returns how far the others have written what they answered. */
  meetGateways(report: GatewayReport): Promise<GatewaysMet>
  /** A gateway ends: nobody waits for it any more. */
  leaveGateways(gatewayId: string): Promise<void>
  /** Records a sale event exactly once (contract 4.1, wire decisions 5); `body` as it arrived. Durable when it resolves. */
  recordSale(event: SaleEvent, body: Uint8Array): Promise<SaleReply>
  /** Marks expired calculations and gives back what they hold, at most `max` at a time; resolves to how many. */
  expireCalculations(max: number): Promise<number>
  /** Compares the next few counters with the records, unless another gateway is at it or has just been, and says how it stands. */
  recount(): Promise<Recount>

  findVenue(venueId: string): Promise<StoredVenue | null>
  findMember(loyaltyId: string): Promise<StoredMember | null>
  newestProgramme(): Promise<StoredProgramme | null>
  findProgramme(version: number): Promise<StoredProgramme | null>
  /**
   * Publishes a programme file as the next version where the ledger is empty or the file is another than the last one (wire
   * decisions 9). Gateways that start at once publish it once.
   *
   * @param onlyIfEmpty  false unless given; true: into an empty ledger only
   */
  publishProgramme(programme: PublishedProgramme, onlyIfEmpty?: boolean): Promise<FilePublication>
  /** Revision now, and what has changed after `revision`; `changes` null where that is too far back to tell. */
  findChanges(revision: number): Promise<{ readonly revision: number; readonly changes: readonly Change[] | null }>
  /** What internal services look into. */
  readonly inspection: Inspection
  /** What internal services change. */
  readonly administration: Administration
  /** Resolves when the ledger answers. */
  ping(): Promise<void>
  /** Does once on every connection what calls do, and leaves no trace, so that no call is the first: that one takes ten times as long. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

export interface PublishedProgramme {
  /** The whole document as published. */
  readonly document: string
  /** JSON array of its benefits. */
  readonly benefits: string
  readonly venues: readonly StoredVenue[]
  readonly members: readonly StoredMember[]
  /** Stored in the place of document and benefits where those name ids that are forgotten. */
  readonly stored?: ProgrammeTexts
}

/** The version in force after a start's attempt to publish a file, and why it is that one. */
export interface FilePublication {
  readonly version: number
  readonly published: boolean
  readonly because: 'ledger_empty' | 'file_changed' | 'not_empty' | 'file_unchanged' | 'file_in_force'
  /** Name of the token, or `start`. */
  readonly publishedBy: string
}

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

export type ClaimReply = { readonly kind: 'claimed' } | HotAnswer | Unvouched

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

/** The marks that vouched for Redis's memory at one moment, by bucket; '': none that this gateway has seen. */
export type Marks = readonly string[]

/** What marks one bucket of Redis's memory: `vouched`, it has lost nothing since it was marked so; else the mark waits for `vouch`. */
export interface Mark {
  readonly bucket: number
  readonly vouched: boolean
  readonly mark: string
}

/** Redis, the fast cache: never believed over the ledger. No call takes effect twice, whatever is resent. */
export interface Cache {
  /** One token of the environment's bucket (wire decisions 3); sale events never take the last 40 % of the burst. */
  takeToken(
    endpoint: 'basket' | 'sale',
    rate: number,
    burst: number,
  ): Promise<{ readonly taken: true } | { readonly taken: false; readonly retryAfterS: number }>
  /** @param marks  as in `keep`; absent: any mark that vouches will do */
  findAnswer(calculationId: string, marks?: Marks): Promise<HotLookup>
  /** The marks of all buckets that can be reached; where nothing vouches for one, a mark made with `nonce` is put there to wait. */
  survey(nonce: string): Promise<readonly Mark[]>
  /** Makes waiting marks vouch, unless they are gone or others by now; resolves to those that vouch. */
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
  /** Keeps the answer of a calculation that the ledger has confirmed hot. */
  remember(calculationId: string, answer: StoredAnswer): Promise<void>
  /**
   * Holds what is wanted, every counter or none, for a few seconds until `confirmHold` or `giveBack`, counting what `supersedes` holds as free.
   * Asking again for the same calculation replaces its hold.
   */
  reserve(calculationId: string, supersedes: string | null, wants: readonly Want[]): Promise<ReserveReply>
  /** Drops the answers of these calculations, but for those that the journal still holds. */
  forgetAnswers(calculationIds: readonly string[]): Promise<void>
  /** Puts counters in place as the ledger has them; a counter that is known already stays as it is. */
  loadCounters(counters: readonly Counter[]): Promise<void>
  /** Makes a hold last for `forMs` from now (until the calculation's expiry), after the ledger confirmed it. */
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
  /** How much waits, asked of every bucket: `readJournal` says it in passing. */
  journalDepth(): Promise<JournalDepth>
  ping(): Promise<void>
  close(): Promise<void>
}
