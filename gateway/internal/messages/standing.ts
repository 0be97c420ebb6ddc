import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Standing, StoredMember } from '../../../store/ledger/members.js'
import { TierSource } from '../../gen/loyalty/v1/enums_pb.js'
import type { MemberStandingSchema } from '../../gen/loyalty/v1/member_service_pb.js'
import { timestamp } from './fields.js'

/** A member's tier and visits; without an earned or set tier, the one stored with it. */
export function messageFromStanding(
  { tier, visits }: Standing,
  stored: Pick<StoredMember, 'tier'>,
): MessageInitShape<typeof MemberStandingSchema> {
  if (tier === null) {
    const own = stored.tier === null ? {} : { tier: stored.tier, tierSource: TierSource.STORED }
    return { ...own, visits: BigInt(visits) }
  }
  const { tierId, until, reason } = tier
  return {
    tier: tierId,
    tierSource: reason === null ? TierSource.EARNED : TierSource.SET,
    tierUntil: timestamp(until),
    tierReason: reason ?? '',
    visits: BigInt(visits),
  }
}
