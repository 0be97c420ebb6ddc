import t from 'tap'
import { drawMix, publishedBenefits } from '../../bench/engine/draw-benefits.js'
import { hostileShapes } from '../../bench/engine/hostile-shapes.js'
import { spreadOf } from '../../bench/engine/measure.js'
import { realisticPricing } from '../../bench/engine/realistic-pricing.js'
import { createShop } from '../../bench/engine/shop.js'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import { Dice } from '../support/dice.js'

t.test('a percentile is a sample that occurred', async (t) => {
  const samples = Array.from({ length: 200 }, (_, at) => 200 - at)
  t.same(spreadOf(samples), { median: 100, p95: 190, p99: 198, max: 200, count: 200, cpu: null })
  t.same(spreadOf([5]), { median: 5, p95: 5, p99: 5, max: 5, count: 1, cpu: null })
})

t.test('the same seed draws the same programme, another one another', async (t) => {
  const draw = (seed: number) => {
    const dice = new Dice(seed)
    return publishedBenefits(drawMix(dice, createShop(dice, { name: 'shop', products: 30, groups: 3 }), 50))
  }
  t.equal(draw(3), draw(3))
  t.not(draw(3), draw(4))
})

t.test('a realistic basket is drawn in every family, and each of its programmes could be published', async (t) => {
  const families = new Map<string, number>()
  for (let seed = 1; seed <= 300; seed++) {
    const { programme, input, discounts } = realisticPricing(new Dice(seed), 0)
    const { lines, orderDiscounts } = input.basket
    const benefits = programme.benefits.map(({ benefit }) => benefit)
    t.ok(lines.length <= 30 || (lines.length >= 40 && lines.length <= 200))
    t.ok(benefits.length > 10 && benefits.length <= 1000)
    t.equal(orderDiscounts.length, { 'one order discount': 1, 'two order discounts': 2, lines: 0, none: 0 }[discounts])
    if (seed <= 20) t.equal(benefitsFromJson(publishedBenefits(benefits)).length, benefits.length)
    for (const family of [discounts, lines.length < 40 ? 'small' : 'large']) {
      families.set(family, (families.get(family) ?? 0) + 1)
    }
  }
  t.equal(families.size, 6)
  for (const [family, count] of families) t.ok(count >= 15, `${count} ${family}`)
})

t.test('every drawn and every hostile programme could be published', async (t) => {
  const dice = new Dice(5)
  const drawn = drawMix(dice, createShop(dice, { name: 'shop', products: 100, groups: 10 }), 400)
  t.equal(benefitsFromJson(publishedBenefits(drawn)).length, 400)
  for (const { name, shape } of hostileShapes) {
    const { benefits, basket } = shape(new Dice(5))
    t.equal(benefitsFromJson(publishedBenefits(benefits)).length, benefits.length, name)
    t.ok(basket.lines.length <= 200, name)
  }
})
