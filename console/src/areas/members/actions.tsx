import type { ActionProps } from './action-props.js'
import { AdjustDialog } from './adjust-dialog.js'
import { BlockDialog } from './block-dialog.js'
import { ClaimDialog } from './claim-dialog.js'
import { ForgetDialog } from './forget-dialog.js'
import { MergeDialog } from './merge-dialog.js'
import { TierDialog } from './tier-dialog.js'

/** What support may do with a member, in the order of the buttons. */
export const actionNames = ['adjust', 'tier', 'claim', 'block', 'merge', 'forget'] as const
export type ActionName = (typeof actionNames)[number]

const dialogs = {
  adjust: AdjustDialog,
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
