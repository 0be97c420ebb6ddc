import { type BenefitReport, type Calculation, counterKey } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { search } from './best-outcome.js'
import { counterOf, unitsLeft } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { purseOf } from './purse.js'
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
    if (dropped.stage !== 'limit_exhausted') return []
    const benefit = benefitOf(question, benefitId)
    const limit = benefit.limits.find(({ limitId }) => limitId === dropped.limitId)!
    const left = question.input.available[counterKey(counterOf(limit, question.input))] ?? limit.maximum
    const needed = benefit.reward.kind === 'buy_get' && limit.counts === 'units' ? benefit.reward.get.quantity : 1
    return left === dropped.left && left < dropped.wanted && dropped.wanted >= needed
      ? []
      : [`${benefitId} wants ${dropped.wanted} of ${limit.limitId}, which has ${left}, and takes ${needed} each time`]
  })
}

/** Untrue statements of a complete explanation: whether a benefit gains alone, and with how much of a limit. */
export function untrueGains(question: PricingCase, { benefits }: Calculation): string[] {
  const basket = readSentBasket(question.input)
  const worth = (benefit: Benefit, left: number, held: boolean) => {
    const purse = purseOf([benefit], question.input, held)
    return search({ basket, input: question.input, players: [{ benefit, left }], purse }).value
  }
  const faultOf = ({ benefitId, dropped }: BenefitReport): string | null => {
    const benefit = benefitOf(question, benefitId)
    const gains = (left: number, held = false) => worth(benefit, left, held) > 0
    const all = Number.POSITIVE_INFINITY
    switch (dropped?.stage) {
      case 'existing_discount_kept':
        return gains(all, true) ? 'could gain' : null
      case 'value_held':
        if (gains(unitsLeft(benefit, question.input))) return 'gains with what is free'
        return gains(all, true) ? null : 'gains nothing with what is held'
      case 'limit_exhausted': {
        const isUnits = benefit.limits.find(({ limitId }) => limitId === dropped.limitId)!.counts === 'units'
        if (gains(unitsLeft(benefit, question.input))) return 'gains with what is left'
        return gains(isUnits ? dropped.wanted : all, true) ? null : 'gains nothing with what it wants'
      }
      case 'beaten':
        return gains(unitsLeft(benefit, question.input)) ? null : 'is beaten, and gains nothing alone'
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
