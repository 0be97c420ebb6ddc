import type { CalculationSummary, PricedBuyer } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'

/** When and for whom a basket was priced: what texts set beside the terms that kept a benefit closed. */
export interface Occasion {
  readonly at: Date
  readonly buyer: PricedBuyer
}

/** null: nobody bought, or it is no longer known. */
export function occasionOf(
  { requestedAt }: Pick<CalculationSummary, 'requestedAt'>,
  buyer: PricedBuyer | undefined,
): Occasion | null {
  return buyer === undefined ? null : { at: new Date(requestedAt), buyer }
}
