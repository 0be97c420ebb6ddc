import { Worker } from 'node:worker_threads'
import type { CalculationInput } from '../../engine/core/base/input.js'
import { quantityOne } from '../../engine/core/base/money.js'
import type { Calculation } from '../../engine/core/base/outcome.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { type CompiledProgramme, calculate, compileProgramme } from '../../engine/core/index.js'
import { youngGenerationMb } from '../../engine/thread/pricing-thread.js'
import { setV8Flags } from '../../engine/thread/v8-flags.js'
import { Dice } from '../../test/support/dice.js'
import type { BenchCase } from '../cases/bench-case.js'
import type { BenchSettings } from '../run/bench.js'
import { buildBasket } from './build-basket.js'
import { buildBenefit, percent, selectorOf } from './draw-benefits.js'
import { effortOf, engineCase, inputOf, type Row } from './engine-case.js'
import { hostileShapes } from './hostile-shapes.js'
import type { HostileAnswer, HostileTask } from './hostile-thread.js'
import { measure, spreadOf } from './measure.js'
import { createShop, type Product } from './shop.js'

export interface Pricing {
  readonly programme: CompiledProgramme
  readonly input: CalculationInput
}

const overlapping = { benefits: 10, products: 20, units: 60, pricings: 64 }
const hostileMiddleMaxMs = 50
const hostileMaxMs = 80
/** Pricings of each hostile basket: the one in the middle and the slowest count, and the first is shown separately. */
const hostileRuns = 10
const hostileEndMs = 15_000

export const searchCases: readonly BenchCase[] = [
  engineCase('engine/search/10-overlapping', searchOverlapping),
  engineCase('engine/search/hostile', searchHostile),
]

/** Ten buy_gets and bundles that compete for the same units: 60 of 20 products, on 20 lines. */
function searchOverlapping(settings: BenchSettings): Row[] {
  const dice = new Dice(settings.seed)
  const pricings = Array.from({ length: overlapping.pricings }, () => overlappingPricing(dice, settings.stepsMax))
  const answers = pricings.map(price)
  const proven = answers.filter(({ optimal }) => optimal).length
  const spread = measure((sample) => void price(pricings[sample % pricings.length]!), effortOf(settings))
  const steps = Math.max(...answers.map((answer) => answer.steps))
  const note = `${proven} of ${answers.length} proven optimal, at most ${steps} steps`
  const met = proven === answers.length && spread.p99 < 20_000
  const target = { text: 'all optimal, p99 < 20 ms', met }
  return [{ name: 'engine/search/10-overlapping', spread, unit: 'us', note, target }]
}

function overlappingPricing(dice: Dice, stepsMax: number): Pricing {
  const shop = createShop(dice, { name: 'overlap', products: overlapping.products, groups: 4 })
  const products = shop.products.map((product) => ({ ...product, weighed: false, noDiscount: false }))
  const benefits = Array.from({ length: overlapping.benefits }, (_, at) => overlappingBenefit(dice, products, at))
  const quantity = (overlapping.units / overlapping.products) * quantityOne
  const basket = buildBasket(products.map((product) => ({ product, quantity })))
  return { programme: compileProgramme(benefits), input: inputOf(basket, shop.venue, stepsMax) }
}

function overlappingBenefit(dice: Dice, products: readonly Product[], at: number): Benefit {
  const choose = (count: number) => Array.from({ length: count }, () => products[dice.below(products.length)]!)
  if (at % 2 === 0) {
    const select = selectorOf([...new Set(choose(8))])
    const get = { select, quantity: 1, percentage: percent([50, 100][dice.below(2)]!) }
    return buildBenefit(`overlap-${at}`, { kind: 'buy_get', buy: { select, quantity: 1 + dice.below(3) }, get })
  }
  const components = Array.from({ length: 2 + dice.below(2) }, () => {
    const of = [...new Set(choose(4))]
    return { select: selectorOf(of), quantity: 1 + dice.below(2), of }
  })
  const cheapest = components.reduce(
    (sum, { quantity, of }) => sum + quantity * Math.min(...of.map(({ unitPrice }) => unitPrice)),
    0,
  )
  return buildBenefit(`overlap-${at}`, {
    kind: 'bundle_price',
    components: components.map(({ select, quantity }) => ({ select, quantity })),
    price: Math.round(cheapest * 0.9),
  })
}

/** Adversarial shapes: one row each, on a thread that is ended when it does not return. */
async function* searchHostile({ seed, stepsMax }: BenchSettings): AsyncGenerator<Row> {
  setV8Flags()
  for (const { name } of hostileShapes) {
    const answer = await answerOf({ name, seed, stepsMax, runs: hostileRuns })
    const spread = spreadOf(answer?.tookMs ?? [hostileEndMs])
    // Elapsed time includes other work of the machine: it is shown, but judged only where processor time is unknown.
    const used = answer === null ? [hostileEndMs] : answer.usedMs.map((each, run) => each ?? answer.tookMs[run]!)
    const target = {
      text: `processor time < ${hostileMiddleMaxMs} ms in the middle, < ${hostileMaxMs} ms of every pricing`,
      met: spreadOf(used).median < hostileMiddleMaxMs && Math.max(...used) < hostileMaxMs,
    }
    yield { name: `engine/search/hostile/${name}`, spread, unit: 'ms', note: hostileNote(answer), target }
  }
}

/** null: the thread was ended. */
function answerOf(workerData: HostileTask): Promise<HostileAnswer | null> {
  return new Promise((resolve, reject) => {
    const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb }
    const thread = new Worker(new URL('./hostile-thread.js', import.meta.url), { workerData, resourceLimits })
    const end = (answer: HostileAnswer | null) => {
      clearTimeout(timer)
      void thread.terminate().then(() => resolve(answer))
    }
    const timer = setTimeout(() => end(null), hostileEndMs)
    thread.once('message', end)
    thread.once('error', reject)
  })
}

function hostileNote(answer: HostileAnswer | null): string {
  if (answer === null) return 'STALLED: ended from outside'
  const { optimal, value, gap, steps, tookMs, usedMs } = answer
  const found = `${optimal ? 'proven optimal' : `best found ${value}, at most ${gap} more`}, ${steps} steps`
  return `${found}; ${timesOf(tookMs)}${usedMs.includes(null) ? '' : `; of the processor ${timesOf(usedMs as number[])}`}`
}

// The first pricing is longer by the compilation of its code.
function timesOf(all: readonly number[]): string {
  const [first, ...later] = all
  const { median, max } = spreadOf(later)
  return `first ${first!.toFixed(0)} ms, then ${median.toFixed(0)} and at most ${max.toFixed(0)} ms`
}

function price({ programme, input }: Pricing): Calculation {
  return calculate(programme, input)
}
