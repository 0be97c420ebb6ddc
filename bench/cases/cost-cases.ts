import { buildBasket } from '../../clients/demo/build-basket.js'
import type { VenueFacts } from '../../engine/core/base/basket.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import type { PricingEngine } from '../../engine/index.js'
import { createSameThreadEngine } from '../../engine/thread/same-thread.js'
import { Dice } from '../../test/support/dice.js'
import { drawMix, selectorOf } from '../engine/draw-benefits.js'
import { publishedBenefits } from '../engine/published-benefits.js'
import { createShop, type Product, type Shop } from '../engine/shop.js'
import { requestedAt } from '../load/draw-baskets.js'
import { seedOf } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { CostPoint, Result } from '../run/result.js'
import { type BenchCase, figure, target } from './bench-case.js'

type Work = () => Promise<void>

const lineSizes = [1, 2, 5, 10, 20, 50, 100, 200]
const benefitSizes = [100, 300, 1_000, 3_000, 10_000]
const benefitsThroughout = 1_000
const linesMax = 200
const matching = 100
const perLineMax = 1.2
const benefitsMax = 1.3
const basketsDrawn = 32
const rounds = 6
const stepsMax = 2_000
const settings = { linesMax, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax }
const key = '00000000-0000-4000-8000-000000000000'

/** Thread time of a whole request (read, price, write), by size of basket and programme. */
export const costCases: readonly BenchCase[] = [
  { name: 'cost/lines', run: linesCase },
  { name: 'cost/benefits', run: benefitsCase },
]

/** One programme for all sizes; a smaller basket has a subset of the products of a larger one. */
async function* linesCase(bench: Bench): AsyncGenerator<Result> {
  const dice = new Dice(seedOf(bench.settings.seed, 'cost/lines'))
  const shelf = await shelfOf(dice, benefitsThroughout)
  const cost = await costOf(
    bench,
    lineSizes.map((lines) => ({ size: lines, work: workOf(dice, shelf, lines) })),
  )
  const perLine = (lines: number) => costAt(cost, lines) / lines
  const ratio = perLine(200) / perLine(20)
  yield costResult('cost/lines', cost, {
    costOf: 'lines',
    figures: [figure('per line at 200 against 20', ratio, 'x'), figure('slope', slopeOf(cost), '')],
    targets: [target(`per line at 200 <= ${perLineMax} times that at 20`, ratio <= perLineMax)],
    note: `${benefitsThroughout} benefits, about one matching for every other line`,
  })
}

/** The same matching benefits and baskets for all sizes; only the number of other benefits grows. */
async function* benefitsCase(bench: Bench): AsyncGenerator<Result> {
  const works = []
  for (const benefits of benefitSizes) {
    const dice = new Dice(seedOf(bench.settings.seed, 'cost/benefits'))
    works.push({ size: benefits, work: workOf(dice, await shelfOf(dice, benefits), linesMax) })
  }
  const cost = await costOf(bench, works)
  const ratio = costAt(cost, benefitSizes.at(-1)!) / costAt(cost, benefitSizes[0]!)
  yield costResult('cost/benefits', cost, {
    costOf: 'benefits',
    figures: [figure('10,000 against 100', ratio, 'x'), figure('slope', slopeOf(cost), '')],
    targets: [target(`10,000 benefits <= ${benefitsMax} times 100`, ratio <= benefitsMax)],
    note: `${linesMax} lines, ${matching} benefits matching throughout`,
  })
}

interface Sized {
  readonly size: number
  readonly work: Work
}

/**
 * Measures all sizes in turn, round by round, and takes each one's minimum, which excludes other work of the machine.
 */
async function costOf(bench: Bench, works: readonly Sized[]): Promise<CostPoint[]> {
  const least = works.map(() => Number.POSITIVE_INFINITY)
  const budgetMs = (bench.settings.seconds * 1000) / works.length / rounds
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { work }] of works.entries()) {
      const micros = await microsOf(work, budgetMs)
      // The first round compiles the code.
      if (round > 0) least[at] = Math.min(least[at]!, micros)
    }
  }
  return works.map(({ size }, at) => ({ size, micros: least[at]! }))
}

/** Processor time of one pass, in microseconds. */
async function microsOf(work: Work, budgetMs: number): Promise<number> {
  const untilMs = performance.now() + budgetMs
  const cpu = process.cpuUsage()
  let passes = 0
  do {
    for (let basket = 0; basket < basketsDrawn; basket += 1) await work()
    passes += basketsDrawn
  } while (performance.now() < untilMs)
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / passes
}

interface Shelf {
  readonly shop: Shop
  readonly engine: PricingEngine
}

async function shelfOf(dice: Dice, benefits: number): Promise<Shelf> {
  const shop = createShop(dice, { name: 'here', products: linesMax, groups: linesMax / 10 })
  const matched = drawMix(dice, shop, matching, 'here')
  const elsewhere = createShop(new Dice(benefits), { name: 'elsewhere', products: benefits, groups: benefits / 10 })
  const others = drawMix(new Dice(benefits), elsewhere, benefits - matching, 'elsewhere')
  const all = [...matched, ...others.map((one) => tiedElsewhere(one, elsewhere))]
  const engine = createSameThreadEngine(settings)
  await engine.loadProgramme(1, publishedBenefits(all.map((one) => ({ ...one, limits: [] }))))
  return { shop, engine }
}

function workOf(dice: Dice, { shop, engine }: Shelf, lines: number): Work {
  const bodies = Array.from({ length: basketsDrawn }, () => bodyOf(dice, shop, lines))
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'] }
  const facts = { programmeVersion: 1, member, venue: shop.venue, available: {} }
  let next = 0
  return async () => {
    const read = await engine.readBasket(bodies[next++ % basketsDrawn]!, key)
    if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.message}`)
    await engine.priceBasket(read.ticket, facts)
    engine.forget(read.ticket)
  }
}

function bodyOf(dice: Dice, { products, venue }: Shop, lines: number): Buffer {
  const left = [...products]
  const picked = Array.from({ length: lines }, () => left.splice(dice.below(left.length), 1)[0]!)
  const basket = buildBasket(programmeVenue(venue, products), {
    calculationId: key,
    supersedesCalculationId: null,
    loyaltyId: 'LOY-1',
    requestedAt,
    channel: 'pos',
    picks: picked.map(({ productId, weighed }) => ({
      productId,
      quantity: weighed ? (1 + dice.below(2_000)) / 1_000 : 1 + dice.below(3) * dice.below(2),
    })),
  })
  return Buffer.from(JSON.stringify(basket))
}

function programmeVenue(venue: VenueFacts, products: readonly Product[]) {
  return { ...venue, name: venue.venueId, environment: 'staging' as const, baxIds: ['1'], products }
}

/** Ties a benefit that would match every basket to the other shop's products. */
function tiedElsewhere(benefit: Benefit, { products }: Shop): Benefit {
  const { reward } = benefit
  const select = selectorOf(products.slice(0, 3))
  if (reward.kind === 'order_percentage' || reward.kind === 'order_amount') {
    return { ...benefit, reward: { ...reward, select } }
  }
  if (reward.kind === 'free_product') return { ...benefit, conditions: { requires: [{ select, quantity: 1 }] } }
  return benefit
}

function costAt(cost: readonly CostPoint[], size: number): number {
  return cost.find((point) => point.size === size)!.micros
}

/** The exponent by which cost grows with size: the least-squares line through the logarithms. */
export function slopeOf(cost: readonly CostPoint[]): number {
  const points = cost.map(({ size, micros }) => [Math.log(size), Math.log(micros)] as const)
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)]
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread
}

function costResult(
  name: string,
  cost: readonly CostPoint[],
  extra: Pick<Result, 'figures' | 'targets' | 'note'> & { readonly costOf: string },
): Result {
  const sorted = cost.map(({ micros }) => micros).sort((left, right) => left - right)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!
  const spread = { p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: null, max: sorted.at(-1)!, count: sorted.length }
  const points = cost.map(({ size, micros }) => `${size}: ${micros.toFixed(0)} us`).join(', ')
  const note = `${extra.note}; processor time of a request by ${extra.costOf}: ${points}; the spread is over the sizes`
  return { name, unit: 'us', spread, ...extra, note, cost }
}
