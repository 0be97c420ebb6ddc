import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { allows, Role } from '../../../gateway/gen/loyalty/v1/roles_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { TimelineService } from '../../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { ViewService } from '../../../gateway/gen/loyalty/v1/view_service_pb.js'
import { isPreview } from './query-client.js'

/** Time until every gateway has a publication, with a reserve. */
const inForceMs = 2_500

export function useCommands() {
  const transport = useTransport()
  return {
    calculations: createClient(CalculationService, transport),
    programmes: createClient(ProgrammeService, transport),
    events: createClient(EventService, transport),
    members: createClient(MemberService, transport),
    values: createClient(ValueService, transport),
    rewards: createClient(RewardService, transport),
    returns: createClient(ReturnService, transport),
    sales: createClient(SaleService, transport),
    timelines: createClient(TimelineService, transport),
    venues: createClient(VenueService, transport),
    views: createClient(ViewService, transport),
  }
}

export function useChanged() {
  const queryClient = useQueryClient()
  const changed = () =>
    queryClient.invalidateQueries({ predicate: (query) => query.queryKey[0] !== 'session' && !isPreview(query) })
  return {
    changed,
    /** After a publication: once more when it is in force on every gateway. */
    published: async () => {
      setTimeout(() => void changed(), inForceMs)
      await changed()
    },
  }
}

export function useMay(): (call: string) => boolean {
  const mayOrNot = useAccess()
  return (call) => mayOrNot(call) === true
}

/** The same; undefined: not known yet. */
export function useAccess(): (call: string) => boolean | undefined {
  const data = useRights()
  const calls = data === undefined ? undefined : new Set(data.calls)
  return (call) => calls?.has(call)
}

export function useReviewRequired(): boolean | undefined {
  return useRights()?.reviewRequired
}

/** A publication acknowledges its worst baskets; undefined: not known yet. */
export function useWorstRequired(): boolean | undefined {
  return useRights()?.worstRequired
}

function useRights() {
  return useQuery(AccessService.method.getAccess, {}, { staleTime: Number.POSITIVE_INFINITY }).data
}

/** The name of a call as the service lists it, such as `MemberService/BlockMember`. */
export function callOf({ parent, name }: DescMethod): string {
  return `${parent.name}/${name}`
}

export function rolesOf(method: DescMethod): readonly string[] {
  return [...getOption(method, allows).map((role) => Role[role]!.toLowerCase()), 'admin']
}
