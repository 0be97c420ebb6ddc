import type { Command, CommandConflict } from './command.js'
import type { FaultyPublication, PreparedProgramme } from './programmes.js'
import type { Rows } from './rows.js'

/** Programmes that wait for another person to publish or decline them. */
export interface Proposals {
  /**
   * Stores a proposal under the request id, where the newest version is `expectedVersion` (0: none) and differs.
   *
   * @param note  for people
   */
  propose(
    command: Command,
    programme: PreparedProgramme,
    terms: { readonly expectedVersion: number; readonly note: string },
  ): Promise<ProposalReply>
  /** Publishes an open proposal of another actor whose base version is the newest, as `AdminProgrammes.publish` does. */
  approve(command: Command, proposalId: string, programme: PreparedProgramme): Promise<ApprovalReply>
  /** Ends an open proposal without publishing it. The reason is that of the command. */
  decline(command: Command, proposalId: string): Promise<DeclineReply>
  /** Newest first; `state` null: any. */
  list(
    state: ProposalFacts['state'] | null,
    rows: Rows<readonly [proposedAtUs: number, proposalId: string]>,
  ): Promise<readonly ProposalFacts[]>
  /** The document is read only where it is wanted. null: there is none. */
  find(
    proposalId: string,
    withDocument: boolean,
  ): Promise<{ readonly facts: ProposalFacts; readonly document: string } | null>
  /** The next proposal behind one, by id; null: there is none. Its document only where that may hold one of these ids. */
  findNaming(
    ids: readonly string[],
    after: string,
  ): Promise<{ readonly proposalId: string; readonly document: string | null } | null>
  replaceDocument(proposalId: string, document: string): Promise<void>
}

/** The facts of a proposal. Times in milliseconds since the epoch. */
export interface ProposalFacts {
  readonly proposalId: string
  readonly state: 'open' | 'approved' | 'declined'
  readonly baseVersion: number
  readonly note: string
  readonly proposedBy: string
  readonly proposedAt: number
  readonly proposedAtUs: number
  /** null while it is open. */
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  readonly reason: string
  /** What it became; null unless approved. */
  readonly version: number | null
  readonly documentBytes: number
}

interface VersionMismatch {
  readonly kind: 'version_mismatch'
  readonly current: number
}

/** The proposal is not there, or was decided about before: nothing was done. */
type NotOpen =
  | { readonly kind: 'unknown_proposal' }
  | { readonly kind: 'not_open'; readonly state: ProposalFacts['state'] }

export type ProposalReply =
  | { readonly kind: 'done'; readonly proposed: boolean }
  | VersionMismatch
  | FaultyPublication
  | CommandConflict

export type ApprovalReply =
  | { readonly kind: 'done'; readonly version: number }
  | { readonly kind: 'own_proposal' }
  | VersionMismatch
  | FaultyPublication
  | NotOpen
  | CommandConflict

export type DeclineReply = { readonly kind: 'done' } | NotOpen | CommandConflict
