import { useQuery } from '@connectrpc/connect-query'
import { CalculationService } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { useProductNames } from '../../api/venues.js'
import { readAnswer, readRequest } from '../calculations/read-basket.js'

/** Names of the lines of a sale, by the products of its basket; a line that is not known keeps its id. */
export function useLineNames(calculationId: string, venueId: string): (lineId: string) => string {
  const { data } = useQuery(CalculationService.method.getCalculation, { calculationId }, { retry: false })
  const nameOf = useProductNames(venueId)
  const lines = [...(readRequest(data?.requestJson)?.lines ?? []), ...(readAnswer(data?.answerJson)?.lines ?? [])]
  const products = new Map(lines.map(({ lineId, productId }) => [lineId, productId]))
  return (lineId) => {
    const productId = products.get(lineId)
    return productId === undefined ? lineId : nameOf(productId)
  }
}
