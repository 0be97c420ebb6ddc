import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import type { RunningService } from '../e2e/service.js'
import { Dice } from '../support/dice.js'

const root = join(import.meta.dirname, '..', '..', '..')

/** Text that would run, or become an element, where it were taken for HTML; short enough to follow an id. */
export const hostileText = ' <img src=x onerror=window.ran=1>'

export function sampleProgramme(): BasketBody {
  return JSON.parse(readFileSync(join(root, 'engine', 'programme', 'sample-programme.json'), 'utf8'))
}

/** The sample programme with script in every text that people write, ids included. */
export function hostileProgramme(): BasketBody {
  return JSON.parse(JSON.stringify(sampleProgramme()), function (key, value) {
    const name = Array.isArray(this) ? '' : key
    if (Array.isArray(value) && isFree(key))
      return value.map((text) => (typeof text === 'string' ? hostile(text) : text))
    return typeof value === 'string' && isFree(name) ? hostile(value) : value
  })
}

const hostile = (text: string): string => (text.includes(hostileText) ? text : text + hostileText)

/** True when a field of the programme holds free text: a name, a text or an id. */
function isFree(key: string): boolean {
  return /^(name|text|campaign|description|tier|tiers|segments|ean|eans)$|Ids?$/.test(key)
}

/** The sales. */
export interface Sold {
  /** An applied calculation that became a sale. */
  readonly calculationId: string
  /** One that is still open. */
  readonly openId: string
  /** A sale that disagrees with its calculation. */
  readonly disagreeingId: string
}

const unsoldShare = 0.2
const disagreeingShare = 0.1

/** Sends baskets of the programme's members, and the sales of most of them, as POSes of every venue do. */
export async function sell(service: RunningService, programme: BasketBody, baskets: number): Promise<Sold> {
  const dice = new Dice(1)
  const sold: Partial<Record<keyof Sold, string>> = {}
  for (let at = 0; at < baskets || Object.keys(sold).length < 3; at += 1) {
    const basket = drawn(programme, dice)
    const answer = await service.send('/v1/pos/basket', JSON.stringify(basket))
    if (answer.status !== 200) throw new Error(answer.text)
    const { status, basket: after = basket } = answer.json
    if (dice.chance(unsoldShare)) {
      if (status === 'applied') sold.openId = basket['calculationId']
      continue
    }
    const isDisagreeing = status === 'applied' && dice.chance(disagreeingShare)
    const paidTotal = after.totals.net - (isDisagreeing ? 1 : 0)
    const loyaltyDiscountTotal = basket['totals'].net - after.totals.net
    const sale = aSale(basket, { status, paidTotal, loyaltyDiscountTotal, receiptNumber: 1_000 + at })
    const recorded = await service.send('/v1/pos/sale', JSON.stringify(sale))
    if (recorded.status !== 200) throw new Error(recorded.text)
    if (isDisagreeing) sold.disagreeingId = basket['calculationId']
    else if (status === 'applied') sold.calculationId = basket['calculationId']
  }
  return sold as Sold
}

/** A basket of any venue and card of the programme. */
export function drawn({ venues, members }: BasketBody, dice: Dice): BasketBody {
  const venue = dice.pick<BasketBody>(venues)
  const cards = [...members.flatMap(({ loyaltyIds }: BasketBody) => loyaltyIds), 'TEST-20-PERCENT', 'NOBODY-HAS-THIS']
  const register = { baxId: venue['baxIds'][0], cashRegisterId: String(dice.between(1, 3)), channel: 'pos' }
  let basket = aBasket(dice.pick(cards), { venueId: venue['venueId'], ...register }).with({
    calculationId: randomUUID(),
    currency: venue['currency'],
  })
  for (const { name: _name, noPercentageDiscount: _none, ...product } of dice.some<BasketBody>(venue['products'])) {
    basket = basket.line({ ...product, unitPrice: product['unitPrice'], quantity: dice.between(1, 3) })
  }
  return basket.body()
}
