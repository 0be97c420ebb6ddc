import { Engine, type RuleProperties } from 'json-rules-engine'
import type { Benefit } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import { basketOfEach } from '../engine/build-basket.js'
import { buildBenefit, percent } from '../engine/draw-benefits.js'
import { inputOf } from '../engine/engine-case.js'
import { createShop } from '../engine/shop.js'
import { seedOf } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure } from './bench-case.js'
import { type LoopReport, runClosedLoop } from './closed-loop.js'

interface PeerSize {
  readonly lines: number
  readonly promotions: number
}

const sizes: readonly PeerSize[] = [
  { lines: 20, promotions: 100 },
  { lines: 200, promotions: 100 },
]
const shelf = [10, 20, 25, 30, 50]
const stepsMax = 2_000

/**
 * A rules engine as the alternative: one rule per promotion, true where the basket has its product group, and own code
 * for the best percentage of each line. It has no choice across promotions, limits, rounding or explanations; on these
 * promotions both give the same discount.
 */
export const peerCases: readonly BenchCase[] = [{ name: 'peer/json-rules-engine', run: rulesCase }]

async function* rulesCase(bench: Bench): AsyncGenerator<Result> {
  for (const size of sizes) yield* compare(bench, size)
}

async function* compare(bench: Bench, { lines, promotions }: PeerSize): AsyncGenerator<Result> {
  const name = `peer/json-rules-engine/${lines}x${promotions}`
  const dice = new Dice(seedOf(bench.settings.seed, name))
  const shop = createShop(dice, { name: 'peer', products: lines, groups: lines })
  const promoted = Array.from({ length: promotions }, (_, at) => ({
    group: shop.groups[at] ?? `elsewhere-${at}`,
    percentage: shelf[dice.below(shelf.length)]!,
  }))
  const products = shop.products.map((one) => ({ ...one, noPercentageDiscount: false }))
  const input = inputOf(withoutDiscounts(basketOfEach(dice, products)), shop.venue, stepsMax)
  const programme = compileProgramme(promoted.map(benefitOf))
  const loop = { seconds: bench.settings.seconds / 4, inFlight: 1 }
  const ours = await runClosedLoop(loop, async () => calculate(programme, input))
  const value = calculate(programme, input).value
  for (const way of ways) {
    const rules = new Engine(promoted.map(way.ruleOf))
    const theirs = await runClosedLoop(loop, () => way.discount(rules, input.basket.lines))
    const discount = await way.discount(rules, input.basket.lines)
    if (discount !== value) throw new Error(`${name}: ${value} taken off here, ${discount} by the rules`)
    yield peerResult(`${name}/${way.name}`, { ours, theirs, value, note: way.note })
  }
}

function peerResult(
  name: string,
  what: { readonly ours: LoopReport; readonly theirs: LoopReport; readonly value: number; readonly note: string },
): Result {
  const { ours, theirs, value, note } = what
  return {
    name,
    unit: 'ms',
    spread: { ...theirs.latency, p999: null },
    figures: [
      figure('ours p50', ours.latency.p50, 'ms'),
      figure('cpu of ours', ours.cpuMs, 'ms'),
      figure('cpu of theirs', theirs.cpuMs, 'ms'),
      figure('ours faster by', theirs.cpuMs / ours.cpuMs, 'x'),
      figure('taken off by both, minor units', value, ''),
    ],
    targets: [],
    note: `json-rules-engine 7, ${note}; the caller's own loop prices, no choice between promotions, no limits, no explanation. The times are theirs`,
  }
}

interface Promoted {
  readonly group: string
  readonly percentage: number
}

interface Way {
  readonly name: string
  readonly note: string
  ruleOf(promoted: Promoted): RuleProperties
  discount(rules: Engine, lines: Lines): Promise<number>
}

const ways: readonly Way[] = [
  {
    name: 'by-basket',
    note: 'one run over the groups in the basket: a rule cannot look at a line',
    ruleOf: ({ group, percentage }) => ({
      conditions: { all: [{ fact: 'groups', operator: 'contains', value: group }] },
      event: { type: 'discount', params: { group, percentage } },
    }),
    async discount(rules, lines) {
      const { events } = await rules.run({ groups: lines.map(({ productGroupId }) => productGroupId) })
      const best = new Map<string, number>()
      for (const { params } of events) {
        const { group, percentage } = params as unknown as Promoted
        best.set(group, Math.max(best.get(group) ?? 0, percentage))
      }
      return lines.reduce((sum, line) => sum + discountOf(line, best.get(line.productGroupId ?? '') ?? 0), 0)
    },
  },
  {
    name: 'by-line',
    note: 'one run for each line, whose group and flags the rules look at',
    ruleOf: ({ group, percentage }) => ({
      conditions: {
        all: [
          { fact: 'productGroupId', operator: 'equal', value: group },
          { fact: 'noDiscount', operator: 'equal', value: false },
        ],
      },
      event: { type: 'discount', params: { percentage } },
    }),
    async discount(rules, lines) {
      let sum = 0
      for (const line of lines) {
        const { productGroupId, noDiscount, quantity, unitPrice } = line
        const { events } = await rules.run({ productGroupId, noDiscount, quantity, unitPrice })
        sum += discountOf(line, Math.max(0, ...events.map(({ params }) => (params as unknown as Promoted).percentage)))
      }
      return sum
    },
  },
]

/** Rounds half up, as the service does. */
function discountOf({ noDiscount, totals }: Lines[number], percentage: number): number {
  return noDiscount ? 0 : Math.floor((totals.gross * percentage + 50) / 100)
}

function benefitOf({ group, percentage }: Promoted, at: number): Benefit {
  const select = { productGroupIds: [group] }
  const reward: Benefit['reward'] = { kind: 'line_percentage', select, percentage: percent(percentage) }
  return buildBenefit(`peer-${String(at).padStart(3, '0')}`, reward)
}

type Lines = ReturnType<typeof basketOfEach>['lines']

function withoutDiscounts(basket: ReturnType<typeof basketOfEach>) {
  const lines = basket.lines.map((line) => ({
    ...line,
    discounts: [],
    totals: { ...line.totals, lineDiscount: 0, net: line.totals.gross },
  }))
  const gross = lines.reduce((sum, { totals }) => sum + totals.gross, 0)
  return { ...basket, lines, totals: { gross, lineDiscount: 0, orderDiscount: 0, net: gross } }
}
