import {
  ReservationState,
  ReservationStateSchema,
  type RuleCount,
  RulePer,
  type Spending,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { wordFromEnum } from '../../gateway/rpc/messages/words.js'
import { moneyText } from './money.js'
import { oneLine } from './plain-text.js'

/** What each rule counts of the basket that is to be charged, and what the sale earned or would earn by it, in smallest units. */
export function earningLines(counts: readonly RuleCount[], currency: string): readonly string[] {
  return counts.map((count) => {
    const { ruleId, currencyId, factor, given, wouldEarn, sent, returned } = count
    const times = factor === '1' ? '' : `, times ${factor}`
    const asSent = sent === returned ? '' : ` (${countText(count, sent, currency)} as sent)`
    const due = wouldEarn === undefined ? '' : `: would earn ${wouldEarn} of ${currencyId}`
    const earned = given === undefined ? due : `: earned ${given} of ${currencyId}`
    return oneLine(`  ${ruleId}  counts ${countText(count, returned, currency)}${asSent}${times}${earned}`)
  })
}

/** What each benefit costs the member, in smallest units, and what has become of that. */
export function spendingLines(spending: readonly Spending[]): readonly string[] {
  return spending.map(({ benefitId, currencyId, amount, times, state }) => {
    const payments = times === 1n ? '' : ` (${times} x ${amount})`
    const now = state === ReservationState.UNSPECIFIED ? '' : `: ${wordFromEnum(ReservationStateSchema, state)}`
    return oneLine(`  ${benefitId}  ${amount * times} of ${currencyId}${payments}${now}`)
  })
}

function countText({ per }: RuleCount, counted: bigint, currency: string): string {
  switch (per) {
    case RulePer.AMOUNT:
      return moneyText(counted, currency)
    case RulePer.VISIT:
      return counted === 1n ? 'the visit' : 'no visit'
    default:
      return `${counted} ${counted === 1n ? 'unit' : 'units'}`
  }
}
