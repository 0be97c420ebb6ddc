import type { CalculationSummary, PricedBuyer } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { Channel } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { contractWord } from '../../parts/enum-word.js'
import type { Occasion } from './closed-by.js'

/** Where and when a basket was sent. */
export type Sent = Pick<CalculationSummary, 'venueId' | 'channel' | 'requestedAt'>

/** By what benefits were open or not; null: that is not known. */
export function occasionOf(sent: Sent, buyer: PricedBuyer | undefined, zone: string | undefined): Occasion | null {
  if (buyer === undefined || zone === undefined) return null
  const { venueId, channel, requestedAt } = sent
  return { at: new Date(requestedAt), zone, venueId, channel: contractWord(Channel, channel), buyer }
}
