import type { ActionProps } from './action-props.js'
import { AdjustDialog } from './adjust-dialog.js'
import { BlockDialog } from './block-dialog.js'
import { ClaimDialog } from './claim-dialog.js'
import { ForgetDialog } from './forget-dialog.js'
import { GrantDialog } from './grant-dialog.js'
import { MergeDialog } from './merge-dialog.js'
import { TierDialog } from './tier-dialog.js'

/** What can be done with a member, in the order of the buttons, and the call that does it. */
export const actionCalls = {
  adjust: 'ValueService/AdjustValue',
  grant: 'RewardService/IssueVouchers',
  tier: 'MemberService/SetTier',
  claim: 'MemberService/ClaimSale',
  block: 'MemberService/BlockMember',
  merge: 'MemberService/MergeMembers',
  forget: 'MemberService/ForgetMember',
} as const
export type ActionName = keyof typeof actionCalls
export const actionNames = Object.keys(actionCalls) as readonly ActionName[]

const dialogs = {
  adjust: AdjustDialog,
  grant: GrantDialog,
  tier: TierDialog,
  claim: ClaimDialog,
  block: BlockDialog,
  merge: MergeDialog,
  forget: ForgetDialog,
} as const

export function MemberAction({ name, ...props }: ActionProps & { readonly name: ActionName }) {
  const ActionDialog = dialogs[name]
  return <ActionDialog {...props} />
}
