import type { Dice } from '../../support/dice.js'
import type { BasketModel, CostModel, LineModel } from './basket-model.js'
import { currencies, exchanges, rules, timeZones } from './rules.js'

/** Opening and expiry of the value of a step, in hours after the history's beginning; null: at once, never. */
interface Hours {
  readonly opensIn: number | null
  readonly lasts: number | null
}

export type SaleStatus = 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'

/** One thing that happens. Members, currencies, codes and baskets are named by their place. */
export type Step =
  | ({ readonly what: 'adjust'; readonly member: number; readonly currency: number; readonly amount: number } & Hours)
  | {
      readonly what: 'transfer'
      readonly from: number
      readonly to: number
      readonly currency: number
      readonly amount: number
    }
  | { readonly what: 'import'; readonly rows: readonly ImportRow[] }
  | {
      readonly what: 'issue'
      readonly members: readonly number[]
      readonly currency: number
      readonly amount: number
      readonly lasts: number | null
    }
  | {
      readonly what: 'import_code'
      readonly code: number
      readonly currency: number
      readonly amount: number
      readonly lasts: number | null
    }
  | { readonly what: 'claim'; readonly member: number; readonly code: number }
  | { readonly what: 'void'; readonly code: number }
  | { readonly what: 'wrong_codes'; readonly member: number; readonly times: number }
  | { readonly what: 'activate'; readonly member: number; readonly exchange: number; readonly times: number }
  | { readonly what: 'cancel'; readonly activation: number }
  | { readonly what: 'block'; readonly member: number; readonly blocked: boolean }
  | { readonly what: 'age'; readonly hours: number }
  | { readonly what: 'sweep' }
  | { readonly what: 'basket'; readonly slot: number }
  | {
      readonly what: 'sale'
      readonly slot: number
      readonly status: SaleStatus
      readonly paid: 'right' | 'less' | 'more'
    }
  /** `shares`: returned of each line, a number to be taken modulo the rest; null: nothing. */
  | { readonly what: 'return'; readonly slot: number; readonly shares: readonly (number | null)[] }
  | { readonly what: 'forget'; readonly member: number }

export interface ImportRow extends Hours {
  readonly member: number
  readonly currency: number
  readonly amount: number
  readonly reference: number
}

export interface History {
  readonly members: number
  readonly baskets: readonly BasketModel[]
  readonly steps: readonly Step[]
}

const membersMax = 3
const basketsMax = 7
const linesMax = 3
const statuses: readonly SaleStatus[] = [
  'applied',
  'applied',
  'applied',
  'unchanged',
  'failed',
  'cancelled',
  'member_not_found',
]
const factors = [10_000, 10_000, 20_000, 15_000, 3_333, 0] as const
/** A quarter of an hour off the times of rules, so that no two moments are nearly the same. */
const quarter = 0.25

/** A random history: everything is drawn before, so that steps can be left out of it. */
export function drawHistory(dice: Dice, stepsMax: number): History {
  const members = dice.between(1, membersMax)
  const baskets = Array.from({ length: dice.between(1, basketsMax) }, (_, slot) => drawBasket(dice, members, slot))
  const steps = Array.from({ length: dice.between(3, stepsMax) }, () => drawStep(dice, members, baskets.length))
  steps.unshift(...drawBeginning(dice, members))
  if (dice.chance(0.1)) steps.push({ what: 'forget', member: dice.below(members) })
  return { members, baskets, steps }
}

/** Something to spend, some of it not for long. */
function drawBeginning(dice: Dice, members: number): Step[] {
  return Array.from({ length: members * 2 }, (_, at) => ({
    ...{ what: 'adjust', member: at % members, currency: dice.below(currencies.length), amount: dice.between(5, 20) },
    ...{ opensIn: null, lasts: dice.maybe(0.6, () => dice.pick([0, 0, 0, 1, 30, 900]) + quarter) },
  }))
}

function drawBasket(dice: Dice, members: number, slot: number): BasketModel {
  const isApplied = dice.chance(0.7)
  const day = `2026-${dice.pick(['10', '11'])}-${String(dice.between(1, 9)).padStart(2, '0')}`
  const timeZone = dice.pick(timeZones)
  // The same hours are of the same date in all of them.
  const requestedAt = `${day}T${String(dice.between(6, 14)).padStart(2, '0')}:${dice.pick(['00', '00', '30'])}:00Z`
  const member = dice.chance(0.9) ? dice.below(members) : null
  const lines = Array.from({ length: dice.between(1, linesMax) }, () => drawLine(dice, isApplied))
  const costs = isApplied && member !== null && dice.chance(0.5) ? drawCosts(dice, lines) : []
  return {
    ...{ member, isApplied, requestedAt, day, timeZone, lines, costs },
    factors: rules.map(() => dice.pick(factors)),
    supersedes: slot > 0 && dice.chance(0.3) ? dice.below(slot) : null,
  }
}

function drawLine(dice: Dice, isApplied: boolean): LineModel {
  const isWeighed = dice.chance(0.2)
  const units = dice.between(1, 5)
  const quantity = isWeighed ? dice.between(1, 5_000) * 3 + 1_001 : units * 1_000
  const sent = {
    net: dice.chance(0.1) ? 0 : dice.between(1, 200),
    free: isWeighed || dice.chance(0.8) ? 0 : dice.below(units),
  }
  const returned = { net: dice.between(0, sent.net), free: isWeighed ? 0 : dice.below(units) }
  return { kind: dice.below(3), quantity, sent, returned: isApplied ? returned : sent }
}

/** One or two costed benefits; a unit is discounted by one of them at most. */
function drawCosts(dice: Dice, lines: readonly LineModel[]): CostModel[] {
  const free = lines.map(({ quantity, returned }) => (quantity % 1_000 === 0 ? quantity / 1_000 - returned.free : 0))
  const costs = Array.from({ length: dice.between(1, 2) }, (): CostModel => {
    const per = dice.pick(['unit', 'times', 'basket'] as const)
    const units = new Map<number, number>()
    for (const at of free.keys()) {
      if (free[at] === 0 || dice.chance(0.3)) continue
      const taken = dice.between(1, free[at]!)
      free[at]! -= taken
      units.set(at, taken)
    }
    const all = [...units.values()].reduce((sum, each) => sum + each, 0)
    const times = per === 'unit' ? all : per === 'times' ? dice.between(1, 2) : 1
    return { currencyId: dice.pick(currencies).currencyId, per, amount: dice.between(1, 5), times, units }
  })
  return costs.filter(({ units }) => units.size > 0)
}

function drawStep(dice: Dice, members: number, baskets: number): Step {
  const member = dice.below(members)
  const currency = dice.below(currencies.length)
  const amount = dice.between(1, 12)
  const lasts = dice.maybe(0.6, () => (dice.chance(0.4) ? 0 : dice.between(1, 120)) + quarter)
  const opensIn = dice.maybe(0.3, () => dice.between(-5, 48) + quarter)
  const slot = dice.below(baskets)
  const dates = { opensIn, lasts: lasts === null ? null : lasts + Math.max(0, opensIn ?? 0) }
  const steps: readonly (readonly [weight: number, make: () => Step])[] = [
    [9, () => ({ what: 'basket', slot })],
    [
      10,
      () => ({
        what: 'sale',
        slot,
        status: dice.pick(statuses),
        paid: dice.pick(['right', 'right', 'right', 'less', 'more']),
      }),
    ],
    [4, () => ({ what: 'adjust', member, currency, amount: dice.chance(0.5) ? amount : -amount, ...dates })],
    [3, () => ({ what: 'transfer', from: member, to: dice.below(members), currency, amount })],
    [1, () => ({ what: 'import', rows: drawImport(dice, members) })],
    [1, () => ({ what: 'issue', members: dice.some([...Array(members).keys()]), currency, amount, lasts })],
    [1, () => ({ what: 'import_code', code: dice.below(3), currency, amount, lasts })],
    [2, () => ({ what: 'claim', member, code: dice.below(3) })],
    [0.3, () => ({ what: 'void', code: dice.below(3) })],
    [0.3, () => ({ what: 'wrong_codes', member, times: dice.between(3, 9) })],
    [2, () => ({ what: 'activate', member, exchange: dice.below(exchanges.length), times: dice.between(1, 2) })],
    [2, () => ({ what: 'cancel', activation: dice.below(4) })],
    [0.5, () => ({ what: 'block', member, blocked: dice.chance(0.5) })],
    [
      7,
      () => ({
        what: 'return',
        slot,
        shares: Array.from({ length: linesMax }, () => dice.maybe(0.6, () => dice.below(1e9))),
      }),
    ],
    [4, () => ({ what: 'age', hours: dice.pick([0.25, 0.25, 0.25, 0.25, 1, 1, 5, 24, 24, 72, 240, 800]) })],
    [1, () => ({ what: 'sweep' })],
  ]
  let left = dice.next() * steps.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, make] of steps) {
    left -= weight
    if (left < 0) return make()
  }
  return { what: 'sweep' }
}

function drawImport(dice: Dice, members: number): ImportRow[] {
  const first = dice.below(3)
  return Array.from({ length: dice.between(1, 2) }, (_, at) => {
    const lasts = dice.maybe(0.5, () => dice.between(49, 120) + quarter)
    const opensIn = dice.maybe(0.3, () => dice.between(-5, 48) + quarter)
    return {
      ...{ member: dice.below(members), currency: dice.below(currencies.length), amount: dice.between(1, 12) },
      ...{ opensIn, lasts, reference: (first + at) % 3 },
    }
  })
}
