import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MemberFacts } from '../../../engine/core/base/basket.js'
import type { PricedBuyerSchema } from '../../gen/loyalty/v1/calculation_service_pb.js'
import { timestamp } from './fields.js'

/** A member as a basket was priced for it; null: none. */
export function messageFromBuyer(member: MemberFacts | null): MessageInitShape<typeof PricedBuyerSchema> | undefined {
  if (member === null) return undefined
  const { memberId, tier, segments, visits, birthday, joinedOn, lastVisitAt = null, balances = {} } = member
  return {
    memberId,
    segments: [...segments],
    ...(tier === null ? {} : { tier }),
    ...(visits === undefined ? {} : { visits: BigInt(visits) }),
    ...(birthday === undefined ? {} : { birthday }),
    ...(joinedOn === undefined ? {} : { joinedOn }),
    lastVisitAt: timestamp(lastVisitAt),
    balances: Object.fromEntries(Object.entries(balances).map(([id, amount]) => [id, BigInt(amount)])),
  }
}
