import t from 'tap'
import type { Basket, Line } from '../../../../engine/core/base/basket.js'
import type { CalculationInput } from '../../../../engine/core/base/input.js'
import { counterKey } from '../../../../engine/core/base/outcome.js'
import type { Benefit, Limit, Selector } from '../../../../engine/core/base/programme.js'
import { assertHolds } from '../../../oracle/assert-holds.js'
import { shelf } from '../../../oracle/generate-basket.js'
import { countsUnits } from '../../../oracle/generate-benefit.js'
import { counterOf } from '../../../oracle/open-benefits.js'
import type { PricingCase } from '../../../oracle/pricing-case.js'
import { takenLines } from '../../../oracle/select-lines.js'
import { readSentBasket } from '../../../oracle/sent-basket.js'
import type { Dice } from '../../../support/dice.js'
import { sized } from '../../../support/sized.js'
import { aLine, aProduct, basketOf, price } from '../builders.js'
import { type At, droppedAt } from './dropped-at.js'

const cases = sized(300, 10_000)

function priced({ benefits, input }: PricingCase, changes: Partial<CalculationInput> = {}) {
  const { basket, ...asked } = { ...input, stepsMax: 5000, ...changes }
  return price(basket, benefits, asked)
}

/** The stage of one benefit, asked about alone. */
function stageOf({ input }: PricingCase, benefit: Benefit, changes: Partial<CalculationInput> = {}): string {
  return priced({ benefits: [benefit], input }, changes).benefits[0]?.dropped?.stage ?? 'applied'
}

/** Every benefit requires units of the lines that some of them look at. */
function requiring({ benefits, input }: PricingCase, dice: Dice): PricingCase {
  const selects = [undefined, ...benefits.map(({ reward }) => ('select' in reward ? reward.select : undefined))]
  const wanted = () => ({ select: dice.pick(selects) ?? {}, quantity: dice.between(1, 6) })
  return {
    benefits: benefits.map((benefit): Benefit => {
      const requires = Array.from({ length: dice.between(0, 2) }, wanted)
      return requires.length === 0 ? benefit : { ...benefit, conditions: { ...benefit.conditions, requires } }
    }),
    input,
  }
}

t.test('with all that is missing a basket meets the conditions', async (t) => {
  assertHolds(t, cases, (drawn, dice) => {
    const question = requiring(drawn, dice)
    return droppedAt('conditions_not_met', priced(question).benefits, question.benefits).every(
      ({ benefit, dropped }) => {
        const more = linesFor(dropped.missing)
        if (!selectorsOf(benefit).every((select) => isTaken(more, select, question.input))) return true
        const changes = {
          basket: withLines(question.input.basket, more),
          venue: withProducts(question.input, dropped.missing),
        }
        return stageOf(question, benefit, changes) !== 'conditions_not_met'
      },
    )
  })
})

t.test('lines that may not be discounted are those that keep the benefit away', async (t) => {
  assertHolds(t, cases, ({ benefits, input }, dice) => {
    const flagged = input.basket.lines.map((line) => {
      return { ...line, noDiscount: dice.chance(0.8), noPercentageDiscount: dice.chance(0.5) }
    })
    const basket = { ...input.basket, lines: flagged }
    const question = { benefits, input: { ...input, basket } }
    return droppedAt('not_discountable', priced(question).benefits, question.benefits).every(({ benefit, dropped }) => {
      const lines = basket.lines.map((line, position) =>
        dropped.lines.includes(position) ? { ...line, noDiscount: false, noPercentageDiscount: false } : line,
      )
      const isOffered = dropped.lines.length === 0
      return isOffered || stageOf(question, benefit, { basket: { ...basket, lines } }) !== 'not_discountable'
    })
  })
})

/** Every benefit has a limit for ever and one for the day, with few units left. */
function limitedTwice({ benefits, input }: PricingCase, dice: Dice): PricingCase {
  const limited = benefits.map((benefit, number): Benefit => {
    const limit = {
      limitId: `l${number}`,
      scope: 'everyone',
      counts: countsUnits(benefit) && dice.chance(0.5) ? 'units' : 'baskets',
      maximum: dice.between(1, 5),
    } as const
    const limits = dice.chance(0.2)
      ? []
      : [limit].flatMap((each): Limit[] => [
          { ...each, period: 'ever' },
          { ...each, limitId: `${each.limitId}-day`, period: 'day' },
        ])
    return { ...benefit, limits }
  })
  const counters = limited.flatMap(({ limits }) => limits.map((limit) => keyOf(limit, input)))
  const available = Object.fromEntries(counters.map((counter) => [counter, dice.between(0, 2)]))
  return { benefits: limited, input: { ...input, available } }
}

t.test('with as much as is wanted left, a limit does not keep a benefit away', async (t) => {
  assertHolds(t, cases, (drawn, dice) => {
    const question = limitedTwice(drawn, dice)
    const all = droppedAt('limit_exhausted', priced(question).benefits, question.benefits)
    return all.every(({ benefit }) => isGrantedStepByStep(question, benefit))
  })
})

t.test(
  'a benefit waits for the end of the day where that is what is named, and for no less where it is not',
  async (t) => {
    assertHolds(t, cases, (drawn, dice) => {
      const question = limitedTwice(drawn, dice)
      const all = droppedAt('limit_exhausted', priced(question).benefits, question.benefits)
      return all.every(({ benefit, dropped: { limitId } }) => {
        const days = benefit.limits.filter(({ period }) => period === 'day')
        const renewed = Object.fromEntries(days.map((day) => [keyOf(day, question.input), day.maximum]))
        const available = { ...question.input.available, ...renewed }
        return (stageOf(question, benefit, { available }) === 'limit_exhausted') === !limitId.endsWith('-day')
      })
    })
  },
)

/** Lines of the missing units and spend of every product, in every group. */
function linesFor(missing: At<'conditions_not_met'>['missing']): Line[] {
  return missing.flatMap((each, index) =>
    shelf.flatMap(({ productId, productMasterId, ean }, place) =>
      ['G1', 'G2'].flatMap((productGroupId) => {
        if (each.kind === 'product') return []
        const figures = each.kind === 'units' ? { quantity: each.units, price: 1 } : { price: each.amount }
        const line = aLine({ id: `${index}-${place}-${productGroupId}`, ...figures })
        return [{ ...line, productId, productGroupId, productMasterId, ean }]
      }),
    ),
  )
}

function withLines(basket: Basket, more: readonly Line[]): Basket {
  const { requestedAt, channel, venueId, orderDiscounts } = basket
  return basketOf([...basket.lines, ...more], { requestedAt, channel, venueId, orderDiscounts })
}

function withProducts({ venue }: CalculationInput, missing: At<'conditions_not_met'>['missing']) {
  const added = missing.flatMap((each) => (each.kind === 'product' ? [aProduct({ productId: each.productId })] : []))
  return { ...venue, products: [...venue.products, ...added] }
}

/** All that must take a line for a benefit to apply. */
function selectorsOf({ conditions, reward }: Benefit): (Selector | undefined)[] {
  const wants = [...(conditions?.requires ?? []), ...(conditions?.minimumSpend ? [conditions.minimumSpend] : [])]
  if (reward.kind === 'buy_get') return [...wants, reward.buy, reward.get].map(({ select }) => select)
  if ('components' in reward) return [...wants, ...reward.components].map(({ select }) => select)
  return [...wants, ...(reward.kind === 'free_product' ? [] : [reward])].map(({ select }) => select)
}

function isTaken(lines: readonly Line[], select: Selector | undefined, input: CalculationInput): boolean {
  return takenLines(readSentBasket({ ...input, basket: basketOf(lines) }), select).some((taken) => taken)
}

function keyOf(limit: Limit, input: CalculationInput): string {
  return counterKey(counterOf(limit, input))
}

/** Repeatedly grants the wanted units of the named limit, once per limit of the benefit. */
function isGrantedStepByStep(question: PricingCase, benefit: Benefit): boolean {
  const { input } = question
  const available = { ...input.available }
  for (let step = 0; step <= benefit.limits.length; step++) {
    const dropped = priced({ benefits: [benefit], input }, { available }).benefits[0]?.dropped ?? null
    if (dropped?.stage !== 'limit_exhausted') return dropped?.stage !== 'existing_discount_kept'
    const named = benefit.limits.find(({ limitId }) => limitId === dropped.limitId)!
    available[keyOf(named, input)] = dropped.wanted
  }
  return false
}
