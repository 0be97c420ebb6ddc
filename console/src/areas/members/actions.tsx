import type { DescMethod } from '@bufbuild/protobuf'
import { MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { RewardService } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { callOf, rolesOf } from '../../api/roles-of.js'
import { useAccess } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Dialog } from '../../parts/command-dialog.js'
import { NoPermission } from '../../parts/states.js'
import type { ActionName } from './action-names.js'
import type { ActionProps } from './action-props.js'
import { AdjustDialog } from './adjust-dialog.js'
import { BlockDialog } from './block-dialog.js'
import { ClaimDialog } from './claim-dialog.js'
import { ExchangeDialog } from './exchange-dialog.js'
import { ForgetDialog } from './forget-dialog.js'
import { GrantDialog } from './grant-dialog.js'
import { MergeDialog } from './merge-dialog.js'
import { TierDialog } from './tier-dialog.js'

/** The call that each change makes. */
export const actionCalls: Readonly<Record<ActionName, DescMethod>> = {
  claim: MemberService.method.claimSale,
  adjust: ValueService.method.adjustValue,
  grant: RewardService.method.issueVouchers,
  exchange: RewardService.method.activateReward,
  tier: MemberService.method.setTier,
  block: MemberService.method.blockMember,
  merge: MemberService.method.mergeMembers,
  forget: MemberService.method.forgetMember,
}

const dialogs = {
  adjust: AdjustDialog,
  grant: GrantDialog,
  exchange: ExchangeDialog,
  tier: TierDialog,
  block: BlockDialog,
  merge: MergeDialog,
  forget: ForgetDialog,
} as const

interface MemberActionProps extends ActionProps {
  readonly name: ActionName
  /** The sale that is claimed; undefined: not chosen yet. */
  readonly sale: string | undefined
}

/** The dialog of a change; who may not make it sees which role may. */
export function MemberAction({ name, sale, ...props }: MemberActionProps) {
  const t = useWords()
  const may = useAccess()(callOf(actionCalls[name]))
  if (may === undefined) return null
  if (!may) {
    return (
      <Dialog title={t(`action.${name}`)} onClose={props.onClose}>
        <NoPermission roles={rolesOf(actionCalls[name]).join(',')} />
        <button type="button" onClick={props.onClose}>
          {t('dialog.close')}
        </button>
      </Dialog>
    )
  }
  if (name === 'claim') return <ClaimDialog {...props} sale={sale} />
  const ActionDialog = dialogs[name]
  return <ActionDialog {...props} />
}
