import { textOfSpending } from '../../../engine/wire/write-stored.js'
import { anEarning } from '../earning-builders.js'
import { type BasketModel, countOf, paidOf } from './basket-model.js'
import { currencyOf, rules } from './rules.js'

export function spendingOf({ costs }: BasketModel): string | null {
  return textOfSpending(
    costs.map(({ units, ...cost }, at) => ({
      ...{ ...cost, benefitId: `benefit-${at}` },
      lines: [...units].map(([position, each]) => ({ lineId: `line-${position}`, units: each })),
    })),
  )
}

export function earningOf(basket: BasketModel, paidTotal: number | null): string | null {
  const of = (side: 'sent' | 'returned') =>
    rules.map((rule) => countOf(rule, basket, side, { paid: paidOf(basket, side, paidTotal) }))
  return earningText(basket, { sent: of('sent'), returned: of('returned') })
}

/** By place of the rule, as a calculation stores it. */
export function earningText(
  { factors, requestedAt, day, timeZone }: BasketModel,
  { sent, returned }: { readonly sent: readonly number[]; readonly returned: readonly number[] },
): string | null {
  const counted = rules.flatMap(({ kinds: _, minimumSpend: __, cooldownMinutes, maximum, ...rule }, at) => {
    if (factors[at] === 0 || (sent[at] === 0 && returned[at] === 0)) return []
    const { ruleId, currencyId, give, per, every } = rule
    const { opensAfterDays, expires } = currencyOf(rule)
    return [
      {
        ...{ ruleId, currencyId, give, per, ...(per === 'visit' ? {} : { every }), factor: factors[at]! },
        ...{ sent: sent[at]!, returned: returned[at]!, ...(cooldownMinutes === null ? {} : { cooldownMinutes }) },
        ...(maximum === null ? {} : { maximum }),
        ...(opensAfterDays === 0 ? {} : { opensAfterDays }),
        ...(expires === null ? {} : { expires }),
      },
    ]
  })
  return counted.length === 0 ? null : anEarning(counted, { at: requestedAt, day, timeZone })
}
