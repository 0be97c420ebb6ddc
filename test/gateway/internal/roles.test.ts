import t from 'tap'
import { rolesOf } from '../../../gateway/internal/access.js'
import { methods } from '../../hostile/raw-call.js'

/** Every call that changes something, by the roles that may make it besides admins. */
const mayChange: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['EventService/CreateWebhook', 'EventService/DeleteWebhook', 'EventService/RedeliverEvents'],
    ...[
      'MemberService/ForgetMember',
      'PosService/CalculateBasket',
      'PosService/RecordSale',
      'SystemService/ListSettings',
    ],
    ...['ValueService/ImportBalances', 'VenueService/UpsertVenue'],
  ],
  support: [
    ...['CalculationService/ReleaseReservation', 'MemberService/UpsertMembers', 'MemberService/BlockMember'],
    ...['MemberService/SetTier', 'MemberService/MergeMembers', 'MemberService/ClaimSale', 'MemberService/MoveSale'],
    ...['MemberService/ExportMember', 'ReturnService/RecordReturn', 'RewardService/ClaimCode'],
    ...['RewardService/ActivateReward', 'RewardService/CancelActivation', 'ValueService/AdjustValue'],
    ...['SaleService/SettleDiscrepancies', 'TimelineService/WriteNote', 'ValueService/TransferValue'],
  ],
  marketing: [
    ...['ProgrammeService/PublishProgramme', 'ProgrammeService/RollBack', 'ProgrammeService/ProposeProgramme'],
    ...['ProgrammeService/StoreDraft', 'ProgrammeService/DeleteDraft', 'ProgrammeService/SchedulePublication'],
    ...['ProgrammeService/ApproveProposal', 'ProgrammeService/DeclineProposal', 'RewardService/ImportCodes'],
  ],
  'support,marketing': [
    ...['AuditService/ListAuditRecords', 'RewardService/IssueVouchers', 'RewardService/VoidCode'],
    'RewardService/ListSegments',
    ...['ViewService/StoreView', 'ViewService/DeleteView'],
  ],
}

t.test(
  'a call that changes something is for the roles that it is meant for, any other one for every role',
  async (t) => {
    const expected = new Map(
      Object.entries(mayChange).flatMap(([roles, names]) => names.map((name) => [name, roles] as const)),
    )
    for (const method of methods) {
      const name = `${method.parent.name}/${method.name}`
      t.same(
        rolesOf(method).join(),
        [expected.get(name) ?? 'reader,support,marketing', 'admin'].filter(Boolean).join(),
        name,
      )
      expected.delete(name)
    }
    t.same([...expected.keys()], [], 'calls that are not there')
  },
)
