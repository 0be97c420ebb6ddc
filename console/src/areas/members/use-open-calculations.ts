import { useQuery } from '@connectrpc/connect-query'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'

/** Counted up to here. */
const countedMax = 500

/** How many calculations of a member are open now; undefined: not known yet. */
export function useOpenCalculations(memberId: string): number | undefined {
  const { data } = useQuery(
    CalculationService.method.listCalculations,
    { memberId, state: CalculationState.OPEN, pageSize: countedMax },
    { staleTime: 0 },
  )
  return data?.calculations.length
}
