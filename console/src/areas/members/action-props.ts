import { useQuery } from '@connectrpc/connect-query'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { Member, MemberStanding } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'

export interface ActionProps {
  readonly member: Member
  readonly standing: MemberStanding | undefined
  readonly accounts: readonly Account[]
  readonly onClose: () => void
}

const countedMax = 500

/** The number of open calculations of a member; undefined: not known yet. */
export function useOpenCalculations(memberId: string): number | undefined {
  const { data } = useQuery(
    CalculationService.method.listCalculations,
    { memberId, state: CalculationState.OPEN, pageSize: countedMax },
    { staleTime: 0 },
  )
  return data?.calculations.length
}
