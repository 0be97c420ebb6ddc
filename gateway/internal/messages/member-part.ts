import type { MessageInitShape } from '@bufbuild/protobuf'
import type { StoredMember } from '../../../store/ledger/members.js'
import type { Member, MemberSchema } from '../../gen/loyalty/v1/member_service_pb.js'

/** A member of a request in the form of a programme document. */
export function partFromMember({ $typeName: _, $unknown: __, segments, ...member }: Member) {
  return { ...member, segments: segments.length === 0 ? undefined : segments }
}

export function messageFromMember(member: StoredMember): MessageInitShape<typeof MemberSchema> {
  const { loyaltyIds, tier, segments, ...rest } = member
  return { ...rest, loyaltyIds: [...loyaltyIds], segments: [...segments], ...(tier === null ? {} : { tier }) }
}
