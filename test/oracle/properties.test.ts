import t from 'tap'
import type { Line } from '../../engine/core/base/basket.js'
import type { Calculation } from '../../engine/core/base/outcome.js'
import type { Benefit, Reward } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { aBenefit } from '../engine/core/builders.js'
import { Dice } from '../support/dice.js'
import { sized } from '../support/sized.js'
import { aCase, aLine } from './a-case.js'
import { assertHolds } from './assert-holds.js'
import { shopCase, shops } from './draw-rules.js'
import type { PricingCase } from './pricing-case.js'
import { withTotals } from './with-totals.js'

const cases = sized(60, 10_000)

function priced({ benefits, input }: PricingCase): Calculation {
  return calculate(compileProgramme(benefits), { ...input, stepsMax: 20_000 })
}

/** True: both are proven and of the same value, or one is not proven. */
function areEqual(one: PricingCase, other: PricingCase): boolean {
  const [first, second] = [priced(one), priced(other)]
  return !first.optimal || !second.optimal || first.value === second.value
}

function withLines({ benefits, input }: PricingCase, lines: readonly Line[]): PricingCase {
  return { benefits, input: { ...input, basket: withTotals({ ...input.basket, lines })! } }
}

/** The benefits that pass a test. */
function only({ benefits, input }: PricingCase, isWanted: (benefit: Benefit) => boolean): PricingCase {
  return { benefits: benefits.filter(isWanted), input }
}

function reordered({ lines }: PricingCase['input']['basket'], dice: Dice): Line[] {
  const keys = lines.map(() => dice.next())
  const places = [...keys.keys()].sort((a, b) => keys[a]! - keys[b]!)
  return places.map((at) => ({ ...lines[at]!, parent: places.indexOf(lines[at]!.parent) }))
}

/** One line without lines below as two. */
function split({ lines }: PricingCase['input']['basket'], dice: Dice): readonly Line[] {
  const at = dice.below(lines.length)
  const line = lines[at]!
  const units = dice.between(1, Math.max(1, line.quantity / 1000 - 1)) * 1000
  const isWhole = line.weighed !== true && line.quantity % 1000 === 0
  if (!isWhole || units >= line.quantity || lines.some(({ parent }) => parent === at)) return lines
  const parts = [line.quantity - units, units].map((quantity, part) => ({
    ...line,
    lineId: `${line.lineId}/${part}`,
    quantity,
  }))
  return [...lines.toSpliced(at, 1, parts[0]!), parts[1]!]
}

/** A line without discounts of the POS, which belong to a line and not to its units; its prices divide by everything. */
function even(line: Line): Line {
  const { unitPrice, overrideUnitPrice, quantity } = line
  return {
    ...line,
    unitPrice: (unitPrice % 10_000) * 1_000_000,
    overrideUnitPrice: overrideUnitPrice === null ? null : (overrideUnitPrice % 10_000) * 1_000_000,
    quantity: quantity % 1000 === 0 ? quantity : 500,
    discounts: [],
    orderDiscountAllocations: [],
    addedByLoyalty: false,
    splitFromLineId: null,
  }
}

/** True: it gives no amount to a whole line, nor depends on lines after another amount was spread over them. */
function seesNoLines({ reward, combination }: Benefit): boolean {
  const isSpread = reward.kind.startsWith('bundle_') || reward.kind.startsWith('order_') || 'maximumAmount' in reward
  return combination !== 'stackable' && !isSpread && !(reward.kind === 'line_amount' && reward.per === 'line')
}

for (const [shop, habits] of Object.entries(shops)) {
  const draw = (seed: number) => shopCase(seed, habits)

  t.test(`how lines of a ${shop} are ordered, merged and split changes no total`, async (t) => {
    assertHolds(
      t,
      cases,
      (drawn, dice) => {
        const evenly = withLines(drawn, drawn.input.basket.lines.map(even))
        const question = only(evenly, dice.chance(0.5) ? seesNoLines : (benefit) => benefit === drawn.benefits[0])
        const isPerLine = question.benefits.some(({ reward }) => reward.kind === 'line_amount' && reward.per === 'line')
        const { basket } = question.input
        const isSplitAlike = isPerLine || areEqual(question, withLines(question, split(basket, dice)))
        return isSplitAlike && areEqual(question, withLines(question, reordered(basket, dice)))
      },
      draw,
    )
  })

  t.test(`a deposit, a bag or a gift card changes nothing for the others in a ${shop}`, async (t) => {
    assertHolds(
      t,
      cases,
      (drawn, dice) => {
        const question = only(drawn, (benefit) => !JSON.stringify(benefit).includes('includeNoDiscount'))
        const { lines } = question.input.basket
        const parent = dice.pick([-1, dice.below(lines.length)])
        const more = aLine(dice.pick(['deposit', lines[0]!.productId]), dice.between(1, 3), 200, {
          noDiscount: true,
          parent,
        })
        const isGift = question.benefits.some(
          ({ reward }) => reward.kind === 'free_product' && reward.productId === more.productId,
        )
        return isGift || areEqual(question, withLines(question, [...lines, { ...more, lineId: 'more' }]))
      },
      draw,
    )
  })

  t.test(`more units raise no total of a ${shop} by more than their price`, async (t) => {
    assertHolds(
      t,
      cases,
      (drawn, dice) => {
        // A gift is worth its price, though it lowers no total; spent value is worth something, too.
        const question = only(
          drawn,
          ({ reward, costs }) => reward.kind !== 'free_product' && costs === null && areTiersRising(reward),
        )
        const { lines } = question.input.basket
        const like = dice.pick(lines)
        const bare = {
          discounts: [],
          orderDiscountAllocations: [],
          addedByLoyalty: false,
          splitFromLineId: null,
          parent: -1,
        }
        const more = { ...like, ...bare, lineId: 'more' }
        const [before, after] = [priced(question), priced(withLines(question, [...lines, more]))]
        return !before.optimal || !after.optimal || after.value >= before.value
      },
      draw,
    )
  })
}

function areTiersRising(reward: Reward): boolean {
  if (reward.kind !== 'volume_percentage') return true
  const { tiers } = reward
  return tiers.every(({ percentage }, at) => percentage >= (tiers[at - 1]?.percentage ?? 0))
}

t.test('a percentage on kilograms has no step at a whole one', async (t) => {
  const near = [-2, -1, 0, 1, 2]
  for (let seed = 1; seed <= cases; seed += 1) {
    const dice = new Dice(seed)
    const [kilograms, price, percentage] = [dice.between(1, 20), dice.between(1, 50_000), dice.between(1, 1_000_000)]
    const reward = dice.pick<Reward>([
      { kind: 'line_percentage', percentage },
      { kind: 'order_percentage', percentage },
      { kind: 'volume_percentage', tiers: [{ quantity: 500, percentage }], measure: true },
    ])
    const values = near.map((grams) => {
      const line = aLine('cheese', 1, price, {
        quantity: kilograms * 1000 + grams,
        ...dice.pick([{}, { weighed: true }]),
      })
      return priced(aCase([line], [aBenefit('off', reward)])).value
    })
    const stepMax = price / 1000 + 1
    for (const [at, value] of values.slice(1).entries()) {
      const step = value - values[at]!
      if (step < 0 || step > stepMax) t.fail(`seed ${seed}: ${JSON.stringify({ reward, kilograms, price, values })}`)
    }
  }
  t.pass('no step')
})
