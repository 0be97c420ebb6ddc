import { Engine, type RuleProperties } from 'json-rules-engine'
import type { Basket } from '../../engine/core/base/basket.js'
import { quantityOne } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import { buildBasket } from '../engine/build-basket.js'
import { buildBenefit, percent } from '../engine/draw-benefits.js'
import { inputOf } from '../engine/engine-case.js'
import { createShop } from '../engine/shop.js'
import { seedOf } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure } from './bench-case.js'
import { runClosedLoop } from './closed-loop.js'

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
  const picks = shop.products.map((one) => ({
    product: { ...one, noPercentageDiscount: false },
    quantity: (1 + dice.below(3)) * quantityOne,
  }))
  const input = inputOf(buildBasket(picks), shop.venue, stepsMax)
  const programme = compileProgramme(promoted.map(benefitOf))
  const rules = new Engine(promoted.map(ruleOf))
  const value = calculate(programme, input).value
  const discount = await discountByRules(rules, input.basket.lines)
  if (discount !== value) throw new Error(`${name}: ${value} taken off here, ${discount} by the rules`)
  const loop = { seconds: bench.settings.seconds / 4, inFlight: 1 }
  const ours = await runClosedLoop(loop, async () => calculate(programme, input))
  const theirs = await runClosedLoop(loop, () => discountByRules(rules, input.basket.lines))
  yield {
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
    note: 'json-rules-engine 7, one run over the groups in the basket: no choice between promotions, limits or explanation. The times are theirs',
  }
}

interface Promoted {
  readonly group: string
  readonly percentage: number
}

function ruleOf({ group, percentage }: Promoted): RuleProperties {
  return {
    conditions: { all: [{ fact: 'groups', operator: 'contains', value: group }] },
    event: { type: 'discount', params: { group, percentage } },
  }
}

async function discountByRules(rules: Engine, lines: Lines): Promise<number> {
  const { events } = await rules.run({ groups: lines.map(({ productGroupId }) => productGroupId) })
  const best = new Map<string, number>()
  for (const { params } of events) {
    const { group, percentage } = params as unknown as Promoted
    best.set(group, Math.max(best.get(group) ?? 0, percentage))
  }
  return lines.reduce((sum, line) => sum + discountOf(line, best.get(line.productGroupId ?? '') ?? 0), 0)
}

/** Rounds half up, as the service does. */
function discountOf({ noDiscount, totals }: Lines[number], percentage: number): number {
  return noDiscount ? 0 : Math.floor((totals.gross * percentage + 50) / 100)
}

function benefitOf({ group, percentage }: Promoted, at: number): Benefit {
  const select = { productGroupIds: [group] }
  const reward: Benefit['reward'] = { kind: 'line_percentage', select, percentage: percent(percentage) }
  return buildBenefit(`peer-${String(at).padStart(3, '0')}`, reward)
}

type Lines = Basket['lines']
