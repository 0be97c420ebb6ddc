import { randomBytes } from 'node:crypto'
import type { Command } from '../../store/ledger/calls.js'
import type { MemberName } from '../../store/ledger/value.js'
import type { NewView } from '../../store/ledger/views.js'
import type { AdminLedger } from '../../store/ledger.js'
import { type ClaimParts, claimSale, moveSale } from './claim-sale.js'
import { type ForgetParts, forgetMember } from './forget-members.js'
import { type MergeParts, mergeMembers } from './merge-members.js'
import { approve, type ProgrammeParts, propose, publish, schedule, storeDraft } from './programme-commands.js'
import { type ReturnParts, recordReturn } from './record-return.js'
import { type ReleaseParts, releaseReservation } from './release-reservation.js'

/** Views of a list: of one person, and shared ones. */
export const viewsMax = 200
/** As Standard Webhooks recommends, 24 to 64. */
const secretBytes = 32

export type CommandParts = ClaimParts &
  ForgetParts &
  MergeParts &
  ProgrammeParts &
  ReleaseParts &
  ReturnParts & { readonly adminLedger: AdminLedger }

export type Commands = ReturnType<typeof createCommands>

/**
 * Every change that an internal caller may ask for, by the name of its call. The type of each names its refusals: `internal/messages` maps
 * them, and its comment in `proto` documents them. A change of one step is the ledger's own method.
 */
export function createCommands(parts: CommandParts) {
  const { members, value, rewards, sales, venues, views, webhooks, drafts, programmes, proposals } = parts.adminLedger
  const bound =
    <More extends readonly unknown[], Reply>(
      useCase: (parts: CommandParts, command: Command, ...more: More) => Reply,
    ) =>
    (command: Command, ...more: More) =>
      useCase(parts, command, ...more)
  return {
    upsertMembers: members.store,
    blockMember: members.block,
    setTier: members.setTier,
    writeNote: (command: Command, member: MemberName, note: string) =>
      members.note({ ...command, reason: note }, member),
    mergeMembers: bound(mergeMembers),
    forgetMember: bound(forgetMember),

    claimSale: bound(claimSale),
    moveSale: bound(moveSale),
    settleDiscrepancies: sales.settle,
    recordReturn: bound(recordReturn),
    releaseReservation: bound(releaseReservation),

    adjustValue: value.adjust,
    transferValue: value.transfer,
    importBalances: value.importBalances,
    issueVouchers: rewards.issue,
    importCodes: rewards.importCodes,
    claimCode: rewards.claim,
    voidCode: rewards.voidCode,
    activateReward: rewards.activate,
    cancelActivation: rewards.cancel,

    publishProgramme: bound(publish),
    rollBack: programmes.rollBack,
    proposeProgramme: bound(propose),
    approveProposal: bound(approve),
    declineProposal: proposals.decline,
    schedulePublication: bound(schedule),
    storeDraft: bound(storeDraft),
    deleteDraft: drafts.remove,

    upsertVenue: venues.store,
    storeView: (command: Command, view: NewView) => views.store(command, view, viewsMax),
    deleteView: views.remove,
    createWebhook: (command: Command, webhook: { readonly url: string; readonly types: readonly string[] }) =>
      webhooks.add(command, { ...webhook, secret: randomBytes(secretBytes) }),
    deleteWebhook: webhooks.remove,
    redeliverEvents: webhooks.redeliver,
  }
}
