import { createClient } from '@connectrpc/connect'
import { useQuery, useTransport } from '@connectrpc/connect-query'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { EventService } from '../../../gateway/gen/loyalty/v1/event_service_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'

/** Until every gateway has a publication, and a little more. */
const inForceMs = 2_500

/** Clients of the services that change something; after a change everything that is shown is asked for again. */
export function useCommands() {
  const transport = useTransport()
  const queryClient = useQueryClient()
  const changed = () =>
    queryClient.invalidateQueries({
      predicate: (query) => query.queryKey[0] !== 'session' && !isPreview(query),
    })
  return {
    calculations: createClient(CalculationService, transport),
    programmes: createClient(ProgrammeService, transport),
    events: createClient(EventService, transport),
    members: createClient(MemberService, transport),
    values: createClient(ValueService, transport),
    rewards: createClient(RewardService, transport),
    returns: createClient(ReturnService, transport),
    venues: createClient(VenueService, transport),
    changed,
    /** After a publication: once more when it is in force on every gateway. */
    published: async () => {
      setTimeout(() => void changed(), inForceMs)
      await changed()
    },
  }
}

/** Options of a query that says what a command would change: asked anew for each dialog, and never after the change, which it would refuse. */
export const preview = {
  ...{ staleTime: 0, gcTime: 0, meta: { isPreview: true } },
  ...{ refetchOnWindowFocus: false, refetchOnReconnect: false },
} as const

export function isPreview({ meta }: Pick<Query, 'meta'>): boolean {
  return meta?.['isPreview'] === true
}

/** Whether the person who is signed in may make a call, such as `MemberService/BlockMember`; while that is not known: no. */
export function useMay(): (call: string) => boolean {
  const mayOrNot = useAccess()
  return (call) => mayOrNot(call) === true
}

/** The same; undefined: not known yet. */
export function useAccess(): (call: string) => boolean | undefined {
  const { data } = useQuery(AccessService.method.getAccess, {}, { staleTime: Number.POSITIVE_INFINITY })
  const calls = data === undefined ? undefined : new Set(data.calls)
  return (call) => calls?.has(call)
}

/** Whether another person must approve what is published; undefined: not known yet. */
export function useReviewRequired(): boolean | undefined {
  return useQuery(AccessService.method.getAccess, {}, { staleTime: Number.POSITIVE_INFINITY }).data?.reviewRequired
}
