import { audit } from './audit.js'
import { check } from './check.js'
import { checkPos } from './check-pos.js'
import type { Command } from './command.js'
import { diff } from './diff.js'
import { discrepancies } from './discrepancies.js'
import { eventsWatch } from './events-watch.js'
import { explain } from './explain.js'
import { limits } from './limits.js'
import { list } from './list.js'
import { logMember } from './log-member.js'
import { memberClaim } from './member-claim.js'
import { memberForget } from './member-forget.js'
import { memberMerge } from './member-merge.js'
import { memberShow, memberTier } from './member-tier.js'
import { membersImport } from './members-import.js'
import { proposalAdd, proposalApprove, proposalDecline, proposalList, proposalShow } from './proposal.js'
import { publish } from './publish.js'
import { reconcile } from './reconcile.js'
import { report } from './report.js'
import { returnQuote, returnRecord } from './return-change.js'
import { returnLadder, returnList } from './return-read.js'
import { rewardActivate, rewardCancel } from './reward-activate.js'
import { rewardClaim, rewardVoid } from './reward-codes.js'
import { rewardImport } from './reward-import.js'
import { rewardIssue } from './reward-issue.js'
import { rewardList } from './reward-list.js'
import { rollback } from './rollback.js'
import { schema } from './schema.js'
import { secretNew } from './secret-new.js'
import { send } from './send.js'
import { shadow } from './shadow.js'
import { sign } from './sign.js'
import { simulate } from './simulate.js'
import { tail } from './tail.js'
import { validate } from './validate.js'
import { valueAdjust, valueTransfer } from './value-change.js'
import { valueImport } from './value-import.js'
import { valueBalances, valueLiability, valueMovements } from './value-read.js'
import { venueImport } from './venue-import.js'
import { webhookAdd, webhookList, webhookRedeliver, webhookRemove } from './webhook.js'

/** Every command, by its words. */
export const commands: readonly Command[] = [
  audit,
  check,
  checkPos,
  diff,
  discrepancies,
  eventsWatch,
  explain,
  limits,
  list,
  logMember,
  memberClaim,
  memberForget,
  memberMerge,
  memberShow,
  memberTier,
  membersImport,
  proposalAdd,
  proposalApprove,
  proposalDecline,
  proposalList,
  proposalShow,
  publish,
  reconcile,
  report,
  returnLadder,
  returnList,
  returnQuote,
  returnRecord,
  rewardActivate,
  rewardCancel,
  rewardClaim,
  rewardImport,
  rewardIssue,
  rewardList,
  rewardVoid,
  rollback,
  schema,
  secretNew,
  send,
  shadow,
  sign,
  simulate,
  tail,
  validate,
  valueAdjust,
  valueBalances,
  valueImport,
  valueLiability,
  valueMovements,
  valueTransfer,
  venueImport,
  webhookAdd,
  webhookList,
  webhookRedeliver,
  webhookRemove,
]
