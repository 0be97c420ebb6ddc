import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import { buildBasket } from './build-basket.js'
import { buildBenefit, percent } from './draw-benefits.js'
import { type EngineCase, type EngineSettings, effortOf, inputOf, type Row } from './engine-case.js'
import { measureSides, type Spread } from './measure.js'
import { isMedusaInstalled, loadMedusa, type MedusaEngine, medusaItems, medusaPromotion } from './medusa-engine.js'
import { createShop, type Shop } from './shop.js'

const fasterMin = 10
const lines = 200
const promotions = 100

/** Rewards with the same meaning in both engines. */
interface Shared {
  readonly name: string
  readonly groups: number
  reward(dice: Dice, groups: readonly string[], at: number): Benefit['reward']
  readonly combination: Benefit['combination']
}

const shelf = [10, 20, 25, 30, 50]

const shared: readonly Shared[] = [
  { name: 'percentages', groups: promotions, reward: percentage, combination: 'normal' },
  { name: 'stacked-percentages', groups: promotions / 4, reward: percentage, combination: 'stackable' },
  { name: 'buy-gets', groups: lines, reward: buyGet, combination: 'normal' },
]

export const medusaCase: EngineCase = { name: 'engine/peer/medusa', run: peerMedusa }

/** Both engines on the same basket in turns, Medusa's without its database. No rows where it is not installed. */
function* peerMedusa(settings: EngineSettings): Generator<Row> {
  if (!isMedusaInstalled()) return
  const medusa = loadMedusa()
  for (const one of shared) yield* compare(medusa, one, settings)
}

function* compare(medusa: MedusaEngine, one: Shared, settings: EngineSettings): Generator<Row> {
  const dice = new Dice(settings.seed)
  const shop = createShop(dice, { name: 'peer', products: lines, groups: one.groups })
  const benefits = benefitsOf(dice, shop, one)
  const basket = basketOf(dice, shop)
  const programme = compileProgramme(benefits)
  const input = inputOf(basket, shop.venue, settings.stepsMax)
  const items = medusaItems(basket)
  const theirs = benefits.map(medusaPromotion)
  const [our, their] = measureSides(
    [() => void calculate(programme, input), () => void medusa.discountOf(theirs, items)],
    effortOf(settings, 20),
  ) as [Spread, Spread]
  const { value, optimal } = calculate(programme, input)
  const discount = medusa.discountOf(theirs, items)
  const faster = their.median / our.median
  // This engine rounds each line once per benefit, Medusa never: half a minor unit of difference each at most.
  const roundings = one.combination === 'stackable' ? (lines * promotions) / one.groups / 2 : lines / 2
  const name = `engine/peer/medusa/${one.name}/${lines}x${promotions}`
  const met = faster >= fasterMin && value >= discount - roundings
  const note = `${faster.toFixed(0)} times faster; takes off ${value}${optimal ? '' : ' (not proven)'}, Medusa ${discount.toFixed(2)}`
  const target = { text: `${fasterMin} times faster, same or larger discount`, met }
  yield { name, spread: our, unit: 'us', note, target }
  yield {
    name: `${name}/theirs`,
    spread: their,
    unit: 'us',
    note: 'Medusa 2.21.2 computeActions, no database',
    target: null,
  }
}

function benefitsOf(dice: Dice, { groups }: Shop, one: Shared): Benefit[] {
  return Array.from({ length: promotions }, (_, at) =>
    buildBenefit(`peer-${String(at).padStart(3, '0')}`, one.reward(dice, groups, at), {
      combination: one.combination,
    }),
  )
}

function percentage(dice: Dice, groups: readonly string[], at: number): Benefit['reward'] {
  const select = { productGroupIds: [groups[at % groups.length]!] }
  return { kind: 'line_percentage', select, percentage: percent(shelf[dice.below(shelf.length)]!) }
}

/** Buys of one group and gets of another: where a unit fits both, the engines differ in meaning. */
function buyGet(dice: Dice, groups: readonly string[], at: number): Benefit['reward'] {
  const [bought, got] = [groups[2 * at]!, groups[2 * at + 1]!]
  const buy = { select: { productGroupIds: [bought] }, quantity: 1 + dice.below(3) }
  const get = { select: { productGroupIds: [got] }, quantity: 1, percentage: percent(shelf[dice.below(shelf.length)]!) }
  return { kind: 'buy_get', buy, get }
}

function basketOf(dice: Dice, { products }: Shop) {
  return buildBasket(
    products.map((product) => ({
      product: { ...product, noDiscount: false, noPercentageDiscount: false },
      quantity: (1 + dice.below(6)) * quantityOne,
    })),
  )
}
