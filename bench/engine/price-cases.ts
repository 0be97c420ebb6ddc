import type { CalculationInput } from '../../engine/core/base/input.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { type CompiledProgramme, calculate, compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import type { BenchCase } from '../cases/bench-case.js'
import type { BenchSettings } from '../run/bench.js'
import { basketOfEach } from './build-basket.js'
import { drawMix, selectorOf } from './draw-benefits.js'
import { effortOf, engineCase, inputOf, type Row } from './engine-case.js'
import { measure, measureSides, type Spread } from './measure.js'
import { createShop, type Shop } from './shop.js'

interface Size {
  readonly lines: number
  readonly benefits: number
  readonly matching: number
}

interface Workload {
  readonly programme: CompiledProgramme
  readonly inputs: readonly CalculationInput[]
}

const basketsPerCase = 64
/** Largest cost ratio of ten times the benefits with as many matching. */
const ratioMax = 1.3

export const priceCases: readonly BenchCase[] = [
  engineCase('engine/price/200x1000', priceLarge),
  engineCase('engine/price/200x10000', priceMany),
]

function priceLarge(settings: BenchSettings): Row[] {
  const work = workloadOf({ lines: 200, benefits: 1000, matching: 100 }, settings)
  const spread = measure(pricing(work), effortOf(settings))
  const target = { text: 'median < 1 ms, p99 < 4 ms', met: spread.median < 1000 && spread.p99 < 4000 }
  return [{ name: 'engine/price/200x1000', spread, unit: 'us', note: provenText(work), target }]
}

/** Measures both programmes in turns, for a fair ratio. */
function priceMany(settings: BenchSettings): Row[] {
  const few = workloadOf({ lines: 200, benefits: 1000, matching: 100 }, settings)
  const many = workloadOf({ lines: 200, benefits: 10_000, matching: 100 }, settings)
  const [base, spread] = measureSides([pricing(few), pricing(many)], effortOf(settings)) as [Spread, Spread]
  const ratio = spread.median / base.median
  const note = `${ratio.toFixed(2)} times 200x1000 (median ${base.median.toFixed(0)} us)`
  const target = { text: `at most ${ratioMax} times 200x1000`, met: ratio <= ratioMax }
  return [{ name: 'engine/price/200x10000', spread, unit: 'us', note, target }]
}

function pricing({ programme, inputs }: Workload): (sample: number) => void {
  return (sample) => void calculate(programme, inputs[sample % inputs.length]!)
}

/** Draws the matching benefits first: with one seed they are the same among a thousand and ten thousand. */
function workloadOf({ lines, benefits, matching }: Size, { seed, stepsMax }: BenchSettings): Workload {
  const dice = new Dice(seed)
  const here = createShop(dice, { name: 'here', products: lines, groups: Math.ceil(lines / 10) })
  const matched = drawMix(dice, here, matching, 'here')
  const inputs = Array.from({ length: basketsPerCase }, () =>
    inputOf(basketOfEach(dice, here.products), here.venue, stepsMax),
  )
  const elsewhere = createShop(dice, { name: 'elsewhere', products: benefits, groups: Math.ceil(benefits / 10) })
  const others = drawMix(dice, elsewhere, benefits - matching, 'elsewhere')
  const benefitsOfAll = [...matched, ...others.map((benefit) => tiedElsewhere(benefit, elsewhere))]
  const programme = compileProgramme(benefitsOfAll)
  return { programme, inputs }
}

/** The benefit for products of another shop only, so that no basket of this one touches it. */
export function tiedElsewhere(benefit: Benefit, { products }: Shop): Benefit {
  const { reward } = benefit
  const select = selectorOf(products.slice(0, 3))
  if (reward.kind === 'order_percentage' || reward.kind === 'order_amount')
    return { ...benefit, reward: { ...reward, select } }
  if (reward.kind === 'free_product') return { ...benefit, conditions: { requires: [{ select, quantity: 1 }] } }
  return benefit
}

function provenText({ programme, inputs }: Workload): string {
  const answers = inputs.map((input) => calculate(programme, input))
  const proven = answers.filter(({ optimal }) => optimal).length
  const steps = Math.max(...answers.map((answer) => answer.steps))
  return `${proven} of ${inputs.length} baskets proven optimal, at most ${steps} steps`
}
