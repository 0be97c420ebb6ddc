import { type BenefitReport, type Calculation, counterKey, type Dropped } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { search } from './best-outcome.js'
import { playerOf } from './later-stages.js'
import { counterOf } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { leastPayments, purseOf } from './purse.js'
import { readSentBasket } from './sent-basket.js'

/** Untrue statements of an explanation, for any budget: one sentence each. */
export function untrueReports(question: PricingCase, { benefits }: Calculation): string[] {
  const applied = benefits.filter(({ dropped }) => dropped === null).map(({ benefitId }) => benefitId)
  return benefits.flatMap(({ benefitId, dropped, value }): string[] => {
    if (dropped === null) return value > 0 ? [] : [`${benefitId} is applied, and worth ${value}`]
    if (dropped.stage === 'beaten') {
      const isSaid = dropped.by.length > 0 && dropped.by.every((id) => applied.includes(id))
      return isSaid ? [] : [`${benefitId} is beaten by ${dropped.by.join() || 'nobody'} of ${applied.join()}`]
    }
    const benefit = benefitOf(question, benefitId)
    if (dropped.stage === 'conditions_not_met' || dropped.stage === 'value_held') {
      return isTrueOfValue(question, benefit, dropped)
        ? []
        : [`${benefitId} lacks other value than ${JSON.stringify(dropped)}`]
    }
    if (dropped.stage !== 'limit_exhausted') return []
    const limit = benefit.limits.find(({ limitId }) => limitId === dropped.limitId)!
    const left = question.input.available[counterKey(counterOf(limit, question.input))] ?? limit.maximum
    const needed = benefit.reward.kind === 'buy_get' && limit.counts === 'units' ? benefit.reward.get.quantity : 1
    return left === dropped.left && left < dropped.wanted && dropped.wanted >= needed
      ? []
      : [`${benefitId} wants ${dropped.wanted} of ${limit.limitId}, which has ${left}, and takes ${needed} each time`]
  })
}

/** Checks the statement about an account: the missing value for the least payment, or the free value. */
function isTrueOfValue({ input }: PricingCase, benefit: Benefit, dropped: Dropped): boolean {
  const least = leastPayments(benefit) * (benefit.costs?.amount ?? 0)
  const [free, all] = [false, true].map((held) => purseOf([benefit], input, held).get(benefit.costs?.currencyId ?? ''))
  if (dropped.stage === 'value_held')
    return dropped.left === free && dropped.wanted > free && dropped.wanted % least === 0
  const [lacking, ...others] =
    dropped.stage !== 'conditions_not_met'
      ? []
      : dropped.missing.flatMap((each) => (each.kind === 'value' ? [each] : []))
  const isShort = benefit.costs !== null && least > all!
  return others.length === 0 && (isShort ? lacking?.amount === least - all! : lacking === undefined)
}

/** Untrue statements of a complete explanation: whether a benefit gains alone, and with how much of a limit. */
export function untrueGains(question: PricingCase, { benefits }: Calculation): string[] {
  const basket = readSentBasket(question.input)
  const { input } = question
  const all = { left: Number.POSITIVE_INFINITY, money: Number.POSITIVE_INFINITY }
  const faultOf = ({ benefitId, dropped }: BenefitReport): string | null => {
    const benefit = benefitOf(question, benefitId)
    const gains = (instead = {}, held = false) => {
      const purse = purseOf([benefit], input, held)
      return search({ basket, input, players: [playerOf(benefit, input, instead)], purse }).value > 0
    }
    switch (dropped?.stage) {
      case 'existing_discount_kept':
        return gains(all, true) ? 'could gain' : null
      case 'value_held':
        if (gains()) return 'gains with what is free'
        return gains(all, true) ? null : 'gains nothing with what is held'
      case 'limit_exhausted': {
        const { counts } = benefit.limits.find(({ limitId }) => limitId === dropped.limitId)!
        if (gains()) return 'gains with what is left'
        const wanted = { baskets: {}, units: { left: dropped.wanted }, amount: { money: dropped.wanted } }[counts]
        return gains({ ...all, ...wanted }, true) ? null : 'gains nothing with what it wants'
      }
      case 'beaten':
        return gains() ? null : 'is beaten, and gains nothing alone'
      default:
        return null
    }
  }
  return benefits.flatMap((report) => {
    const fault = faultOf(report)
    return fault === null ? [] : [`${report.benefitId} ${fault}`]
  })
}

function benefitOf({ benefits }: PricingCase, benefitId: string): Benefit {
  return benefits.find((benefit) => benefit.benefitId === benefitId)!
}
