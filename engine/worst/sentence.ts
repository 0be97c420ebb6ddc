import type { Money } from '../core/base/money.js'
import { quantityOne } from '../core/base/money.js'
import { digitsOf } from '../programme/currency-digits.js'
import type { Finding, Reason } from './finding.js'
import type { TrialItem } from './trial.js'

/** Such as "1 Television, 2 Carrier bag: 8,999.00 NOK off, by trap: goods without discounts count as bought". */
export function sentenceOf(finding: Finding): string {
  const { objective, reason, trial, price, other, off, score, benefitIds, guardId } = finding
  const { currency } = trial.setting.venue
  const amount = moneyText(off, currency)
  const by = benefitIds.join(' and ')
  const goods = goodsText(trial.items)
  switch (objective) {
    case 'paid_for_more':
      return `${goods}: ${amount} less than ${goodsText(other!.trial.items)}, by ${by}: ${because[reason]}.`
    case 'split':
      return `${goods} and ${goodsText(other!.trial.items)} on two receipts: ${amount} less than on one, by ${by}.`
    case 'guards':
      return `${goods}: ${amount} more off than ${guardId} allows, by ${by}.`
    case 'value_for_nothing':
      return `${goods}: it earns value for ${amount} and costs ${moneyText(price.after, currency)}, by ${by}.`
    case 'too_often':
      return `${goods}: ${score} times, ${amount} off together, by ${by}: ${because[reason]}.`
    default:
      return `${goods}: ${amount} off, by ${by}: ${because[reason]}.`
  }
}

const because: Readonly<Record<Reason, string>> = {
  guard_broken: 'a guard does not hold',
  limit_new_at_midnight: 'its limit of a day is new at midnight',
  again_each_day: 'it is given on each of these days',
  again_at_once: 'it is given with every receipt',
  earned_pays_for_itself: 'the value that is earned buys as much as was paid',
  cheaper_with_more: 'one more unit reaches a threshold',
  cheaper_on_two_receipts: 'it is given once a receipt',
  excluded_goods_count: 'goods without discounts count as bought',
  cheap_goods_give_dear: 'cheap goods give dear ones',
  gifts_add_up: 'the gifts are given together',
  benefits_add_up: 'they are given together',
  amount_of_another_currency: 'the amount is meant in another currency',
  amount_near_the_price: 'the amount is half of the price or more',
  price_far_below: 'a quarter of the price or less is left',
  no_maximum: 'the percentage has no bound',
  as_written: 'as it is written',
}

function goodsText(items: readonly TrialItem[]): string {
  return items
    .map(
      ({ product, quantity, below }) =>
        `${quantity / quantityOne} ${product.name}${below ? ` with ${below.name}` : ''}`,
    )
    .join(', ')
}

function moneyText(minor: Money, currency: string): string {
  const digits = digitsOf(currency)
  const amount = (minor / 10 ** digits).toLocaleString('en-GB', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `${amount} ${currency}`
}
