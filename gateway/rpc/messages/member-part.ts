import type { Member } from '../../gen/loyalty/v1/member_service_pb.js'

/** A member of a request as it would stand in a programme. */
export function partFromMember({ $typeName: _, $unknown: __, segments, ...member }: Member) {
  return { ...member, segments: segments.length === 0 ? undefined : segments }
}
