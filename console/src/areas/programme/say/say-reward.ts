import { listIn, numberIn, type ProgrammePart, partIn, textIn } from './parts-of.js'
import { linesText, unitsText } from './say-lines.js'
import { venuesOf } from './say-terms.js'
import type { Saying } from './saying.js'

/** What a benefit does to the basket, such as "30 % off Bakery". */
export function rewardText(saying: Saying, benefit: ProgrammePart): string {
  const reward = partIn(benefit, 'reward')
  if (reward === null) return ''
  const { t } = saying
  const money = (name: string) => saying.money(Number(reward[name]), venuesOf(benefit))
  const lines = linesText(saying, partIn(reward, 'select'))
  const percentage = saying.number(Number(reward['percentage']))
  switch (textIn(reward, 'kind')) {
    case 'line_percentage':
      return withMost(saying, benefit, reward, t('says.percentage', { percentage, lines }))
    case 'order_percentage':
      return withMost(
        saying,
        benefit,
        reward,
        t('says.orderPercentage', { percentage, of: basketText(saying, reward) }),
      )
    case 'line_amount':
      return t(reward['per'] === 'line' ? 'says.amountLine' : 'says.amountUnit', { amount: money('amount'), lines })
    case 'order_amount':
      return t('says.orderAmount', { amount: money('amount'), of: basketText(saying, reward) })
    case 'member_price':
    case 'price_override':
      return t('says.price', { price: money('unitPrice'), lines })
    case 'volume_percentage':
      return t('says.volume', { lines, steps: stepsText(saying, reward) })
    case 'buy_get':
      return withTimes(saying, reward, buyGetText(saying, reward))
    case 'bundle_price': {
      const parts = saying.list(listIn(reward, 'components').map((units) => unitsText(saying, units)))
      return withTimes(saying, reward, t('says.bundle', { parts, price: money('price') }))
    }
    case 'free_product': {
      const product = saying.productName(textIn(reward, 'productId'))
      return t('says.free', { count: Number(reward['quantity']), product })
    }
    default:
      return textIn(reward, 'kind')
  }
}

/** The basket, or what of it counts. */
function basketText(saying: Saying, reward: ProgrammePart): string {
  const select = partIn(reward, 'select')
  return select === null ? saying.t('says.basket') : linesText(saying, select)
}

function withMost(saying: Saying, benefit: ProgrammePart, reward: ProgrammePart, what: string): string {
  const most = numberIn(reward, 'maximumAmount')
  return most === null ? what : saying.t('says.most', { what, amount: saying.money(most, venuesOf(benefit)) })
}

function withTimes({ t }: Saying, reward: ProgrammePart, what: string): string {
  const times = numberIn(reward, 'maximumTimes')
  return times === null ? what : t('says.times', { what, count: times })
}

function stepsText({ t, list, number }: Saying, reward: ProgrammePart): string {
  return list(
    listIn(reward, 'tiers').map((step) =>
      t('says.step', { percentage: number(Number(step['percentage'])), count: Number(step['quantity']) }),
    ),
  )
}

function buyGetText(saying: Saying, reward: ProgrammePart): string {
  const [buy, get] = [partIn(reward, 'buy') ?? {}, partIn(reward, 'get') ?? {}]
  const values = { buy: unitsText(saying, buy), get: unitsText(saying, get) }
  const percentage = Number(get['percentage'])
  return percentage === 100
    ? saying.t('says.buyGetFree', values)
    : saying.t('says.buyGet', { ...values, percentage: saying.number(percentage) })
}
