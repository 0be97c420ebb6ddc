import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ReturnService } from '../../../gateway/gen/loyalty/v1/return_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { sessionQuery } from './session.js'

/** Clients of the services that change something; after a change everything that is shown is asked for again. */
export function useCommands() {
  const transport = useTransport()
  const queryClient = useQueryClient()
  return {
    members: createClient(MemberService, transport),
    values: createClient(ValueService, transport),
    rewards: createClient(RewardService, transport),
    returns: createClient(ReturnService, transport),
    changed: () => queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' }),
  }
}

/** Whether the person who is signed in may change anything. */
export function useMayChange(): boolean {
  return useQuery(sessionQuery).data?.role === 'admin'
}
