import type { MessageInitShape } from '@bufbuild/protobuf'
import { spendingFromText } from '../../../engine/wire/write-stored.js'
import type { InspectedHold } from '../../../store/ledger/calculations.js'
import { CostPerSchema, ReservationStateSchema, type SpendingSchema } from '../../gen/loyalty/v1/holds_pb.js'
import { timestamp } from './fields.js'
import { enumFromWord } from './words.js'

/**
 * The cost of benefits to the member, from that stored with the calculation.
 *
 * @param holds  present or former holds of the calculation on accounts
 */
export function messagesFromSpending(
  spending: string | null,
  holds: readonly InspectedHold[],
): MessageInitShape<typeof SpendingSchema>[] {
  return spendingFromText(spending).map(({ benefitId, currencyId, per, amount, times }) => {
    const hold = holds.find((each) => each.currencyId === currencyId)
    return {
      ...{ benefitId, currencyId, per: enumFromWord(CostPerSchema, per) },
      ...{ amount: BigInt(amount), times: BigInt(times) },
      ...(hold && { state: enumFromWord(ReservationStateSchema, hold.state) }),
      ...(hold?.heldUntil != null && { heldUntil: timestamp(hold.heldUntil) }),
    }
  })
}
