import type { Member, MemberStanding } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'

/** What every dialog about a member gets. */
export interface ActionProps {
  readonly member: Member
  readonly standing: MemberStanding | undefined
  readonly accounts: readonly Account[]
  readonly onClose: () => void
}
