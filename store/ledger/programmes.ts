import type { Command, CommandConflict } from './command.js'
import type { StoredMember, TakenCard } from './members.js'
import type { StoredExchange } from './rewards.js'
import type { Rows } from './rows.js'
import type { PublishedCurrency, StoredRule } from './value.js'
import type { StoredVenue } from './venues.js'

/** Programmes, as gateways load them. */
export interface PosProgrammes {
  newest(): Promise<StoredProgramme | null>
  lookUp(version: number): Promise<StoredProgramme | null>
  /**
   * Publishes a programme file as the next version where the ledger is empty or the file is another than the last one (wire
   * decisions 9). Gateways that start at once publish it once.
   *
   * @param onlyIfEmpty  false unless given; true: into an empty ledger only
   */
  publishFile(programme: PublishedProgramme, onlyIfEmpty?: boolean): Promise<FilePublication>
}

/** Programmes, as internal services read and publish them. */
export interface AdminProgrammes {
  /**
   * Publishes as the next version where the newest is `expectedVersion` (0: none) and differs. Its venues are stored and its members
   * enrolled, by the rules of benefits 1: a known one keeps `blocked`, and what something else than a programme set last.
   */
  publish(
    command: Command,
    programme: PreparedProgramme,
    expectedVersion: number,
  ): Promise<PublicationReply | FaultyPublication>
  /**
   * What this programme would change although it is fixed once published: the scale of a currency, what a rule gives for what, and what
   * a limit counts.
   * Then limits of money whose benefits would be open at venues of several currencies. In the order of the document.
   */
  findFaults(programme: Pick<PreparedProgramme, 'currencies' | 'limits' | 'venues'>): Promise<readonly FixedFault[]>
  /**
   * Loyalty ids that this programme names for one member and another has, which it does not name or an import set last: those that
   * its publication takes, or those that stay. How many, and the first 20.
   */
  findCardsOfOthers(programme: Pick<PreparedProgramme, 'members'>, areTaken: boolean): Promise<CardsOfOthers>
  /** Publishes the benefits of an earlier version as the next one; venues and members stay as they are. Faulty: of limits that count money where venues have other currencies now. */
  rollBack(
    command: Command,
    version: number,
    expectedVersion: number,
  ): Promise<PublicationReply | FaultyPublication | { readonly kind: 'unknown_version' }>
  /** Newest first. */
  list(rows: Rows<readonly [version: number]>): Promise<readonly ProgrammeFacts[]>
  /** `version` null: the newest. The document is read only where it is wanted. */
  find(
    version: number | null,
    withDocument: boolean,
  ): Promise<{ readonly facts: ProgrammeFacts; readonly document: string } | null>
  /** The texts of a version where they may hold one of these ids, else null. */
  findTextsNaming(version: number, ids: readonly string[]): Promise<ProgrammeTexts | null>
  replaceTexts(version: number, texts: ProgrammeTexts): Promise<void>
}

/** A published programme: its version, and its benefits as the JSON text that was published. */
export interface StoredProgramme {
  readonly version: number
  /** JSON array of the benefits, or where members earn an object of benefits, currencies and earning rules. */
  readonly benefits: string
}

export interface PublishedProgramme {
  /** The whole document as published. */
  readonly document: string
  /** As of `StoredProgramme`. */
  readonly benefits: string
  readonly venues: readonly StoredVenue[]
  readonly members: readonly StoredMember[]
  /** Default: none. */
  readonly currencies?: readonly PublishedCurrency[]
  /** In the order of the document. Default: none. */
  readonly rules?: readonly StoredRule[]
  /** Between these currencies. Default: none. */
  readonly exchanges?: readonly StoredExchange[]
  /** In the order of the document. Default: none. */
  readonly limits?: readonly PublishedLimit[]
  /** Stored in the place of document and benefits where those name ids that are forgotten. */
  readonly stored?: ProgrammeTexts
}

/** What a limit counts, by the path of that; with the venues of its benefit, null: everywhere. */
export interface PublishedLimit {
  readonly path: string
  readonly limitId: string
  readonly counts: 'baskets' | 'units' | 'amount'
  readonly venueIds: readonly string[] | null
}

/** What is kept of a published programme as text. */
export interface ProgrammeTexts {
  readonly document: string
  readonly benefits: string
}

/** The version in force after a start's attempt to publish a file, and why it is that one. */
export type FilePublication = {
  readonly version: number
  readonly published: boolean
  /** Name of the token, or `start`. */
  readonly publishedBy: string
} & (
  | { readonly because: 'ledger_empty' | 'file_changed' | 'not_empty' | 'file_unchanged' | 'file_in_force' }
  /** Nothing was published: the file would change what is fixed, or count money of several currencies. */
  | { readonly because: 'faulty'; readonly faults: readonly FixedFault[] }
)

export interface CardsOfOthers {
  readonly count: number
  readonly cards: readonly TakenCard[]
}

/** A fault that only the ledger can tell, by its path in the document. */
export interface FixedFault {
  readonly path: string
  readonly expected: string
  readonly received: string
}

/** A programme as its publication takes it: made ready on any thread, for a large one takes a while. */
export interface PreparedProgramme {
  /** SHA-256 of the document in canonical form. */
  readonly digest: Uint8Array
  readonly document: string
  /** As of `StoredProgramme`. */
  readonly benefits: string
  /** JSON arrays of rows; those of rules stand in their currencies. */
  readonly venues: string
  readonly members: string
  readonly currencies: string
  readonly limits: string
}

export type PublicationReply =
  | { readonly kind: 'done'; readonly version: number; readonly published: boolean }
  /** Another version is the newest: nothing was done. */
  | { readonly kind: 'version_mismatch'; readonly current: number }
  | CommandConflict

/** Nothing was done: the programme would change what is fixed, or count money of several currencies. */
export interface FaultyPublication {
  readonly kind: 'faulty'
  readonly faults: readonly FixedFault[]
}

/** The facts of a programme version. Times in milliseconds since the epoch. */
export interface ProgrammeFacts {
  readonly version: number
  readonly publishedAt: number
  /** Name of the token; `start` where it was LOYALTY_PROGRAM. */
  readonly publishedBy: string
  /** The version whose benefits it repeats, or null. */
  readonly rolledBackTo: number | null
  /** The author of the proposal that `publishedBy` approved; null: it was published without one. */
  readonly proposedBy: string | null
  readonly documentBytes: number
}
