import { type Money, percentageOf, percentageWhole, quantityOne, quantityTimes, sumOf } from '../core/base/money.js'
import { amountsSpent } from '../core/base/outcome.js'
import type { Guard } from '../core/base/programme.js'
import { Earned } from './earned.js'
import type { Objective } from './finding.js'
import { matches } from './needs.js'
import { leftAfter, linesOf, type Pricer, type Trial, type TrialItem, type TrialPrice } from './trial.js'

export interface Measured {
  readonly objective: Objective
  readonly score: number
  readonly off: Money
  readonly trial: Trial
  readonly price: TrialPrice
  readonly other: { readonly trial: Trial; readonly price: TrialPrice } | null
  readonly benefitIds: readonly string[]
  readonly guardId: string | null
}

export interface MeasureRules {
  readonly pricer: Pricer
  readonly guards: readonly Guard[]
  readonly rates: ReadonlyMap<string, number>
}

type Measure = (rules: MeasureRules, trial: Trial, price: TrialPrice) => readonly Measured[]

/** By each objective but `too_often`, which looks at several days (`often.ts`): one at most, and of guards one for each that is broken. */
export const measures: Readonly<Record<Exclude<Objective, 'too_often'>, Measure>> = {
  largest_share: (_, trial, price) => measuredOff('largest_share', trial, price),
  largest_amount: (_, trial, price) => measuredOff('largest_amount', trial, price),
  paid_for_more: paidForMore,
  split: splitSaves,
  guards: guardsBroken,
  value_for_nothing: valueForNothing,
}

function measuredOff(
  objective: 'largest_share' | 'largest_amount',
  trial: Trial,
  price: TrialPrice,
): readonly Measured[] {
  const off = price.before - price.after
  if (off <= 0 || price.calculation.spending.length > 0) return []
  const score = objective === 'largest_share' ? Math.floor((off / price.before) * percentageWhole) : off
  return [{ ...plain(objective, trial, price), score, off }]
}

function plain(objective: Objective, trial: Trial, price: TrialPrice): Omit<Measured, 'score' | 'off'> {
  return { objective, trial, price, other: null, benefitIds: price.benefitIds, guardId: null }
}

/** The basket without one unit of a line, or a thousandth of a weighed one, costs more. */
function paidForMore(rules: MeasureRules, trial: Trial, price: TrialPrice): readonly Measured[] {
  let worst: Measured | null = null
  for (const items of withLess(trial.items)) {
    // At its full price a smaller basket costs most.
    if (items.length === 0 || fullPrice(items) - price.paid <= (worst?.off ?? 0)) continue
    const fewer = { ...trial, items }
    const less = rules.pricer.price(fewer)
    const off = less.paid - price.paid
    if (off <= (worst?.off ?? 0)) continue
    worst = { ...plain('paid_for_more', trial, price), score: off, off, other: { trial: fewer, price: less } }
  }
  return worst === null ? [] : [worst]
}

function fullPrice(items: readonly TrialItem[]): Money {
  return sumOf(linesOf(items).map(({ product, quantity, own = 0 }) => quantityTimes(quantity, product.unitPrice) - own))
}

function* withLess(items: readonly TrialItem[]): Generator<readonly TrialItem[]> {
  for (const [at, item] of items.entries()) {
    const { below, ...plain } = item
    const step = item.product.weighed ? 1 : quantityOne
    if (item.product.weighed || item.quantity <= quantityOne) yield withoutLine(items, at)
    if (item.quantity > step) yield items.with(at, { ...item, quantity: item.quantity - step })
    if (below !== undefined) yield items.with(at, plain)
  }
}

export function withoutLine(items: readonly TrialItem[], at: number): readonly TrialItem[] {
  return items.filter((_, place) => place !== at)
}

function splitSaves(rules: MeasureRules, trial: Trial, price: TrialPrice): readonly Measured[] {
  let worst: Measured | null = null
  for (const [one, two] of splitsOf(trial.items)) {
    const first = { ...trial, items: one }
    const firstPrice = rules.pricer.price(first)
    const second = { ...trial, items: two }
    const secondPrice = rules.pricer.price(second, leftAfter(firstPrice.calculation.wants, {}))
    const off = price.paid - firstPrice.paid - secondPrice.paid
    if (off <= (worst?.off ?? roundingOf(trial, price))) continue
    const benefitIds = [...new Set([...firstPrice.benefitIds, ...secondPrice.benefitIds])].sort()
    const measured = { ...plain('split', first, firstPrice), benefitIds, score: off, off }
    worst = { ...measured, other: { trial: second, price: secondPrice } }
  }
  return worst === null ? [] : [worst]
}

function roundingOf({ items }: Trial, price: TrialPrice): Money {
  return 2 * items.length * Math.max(1, price.benefitIds.length)
}

function* splitsOf(items: readonly TrialItem[]): Generator<readonly [readonly TrialItem[], readonly TrialItem[]]> {
  const whole = items.filter(({ quantity, product }) => !product.weighed && quantity >= 2 * quantityOne)
  if (whole.length === items.length) {
    const half = ({ quantity }: TrialItem) => Math.floor(quantity / 2 / quantityOne) * quantityOne
    yield [
      items.map((item) => ({ ...item, quantity: half(item) })),
      items.map((item) => ({ ...item, quantity: item.quantity - half(item) })),
    ]
  }
  for (let at = 1; at < items.length; at++) yield [items.slice(0, at), items.slice(at)]
}

function guardsBroken({ guards }: MeasureRules, trial: Trial, price: TrialPrice): readonly Measured[] {
  return guards.flatMap((guard) => guardBroken(guard, trial, price) ?? [])
}

function guardBroken(guard: Guard, trial: Trial, price: TrialPrice): Measured | null {
  const { outcome } = price.calculation
  if (outcome.status !== 'applied') return null
  let worst: Measured | null = null
  for (const [at, { product, quantity, own = 0 }] of linesOf(trial.items).entries()) {
    if (!matches(guard.select, product)) continue
    const gross = quantityTimes(quantity, product.unitPrice)
    const lines = outcome.basket.lines.filter(({ source }) => source === at)
    const net = lines.reduce((sum, { totals }) => sum + totals.net, 0)
    const discounts = lines.reduce((sum, line) => sum + line.discounts.length + line.orderDiscountAllocations.length, 0)
    const off = excessOver(guard, { gross, own, net }) - (guard.rule.kind === 'never_discounted' ? 0 : discounts)
    const score = Math.floor((off / Math.max(1, gross)) * percentageWhole)
    if (off <= 0 || score <= (worst?.score ?? -1)) continue
    worst = { ...plain('guards', trial, price), guardId: guard.guardId, score, off }
  }
  return worst
}

function excessOver(
  { rule }: Guard,
  { gross, own, net }: { readonly gross: Money; readonly own: Money; readonly net: Money },
): number {
  switch (rule.kind) {
    case 'never_discounted':
      return gross - own - net
    case 'at_most':
      return gross - own - net - percentageOf(rule.percentage, gross)
    case 'net_at_least':
      return percentageOf(rule.percentage, gross) - net
  }
}

function valueForNothing({ rates }: MeasureRules, trial: Trial, price: TrialPrice): readonly Measured[] {
  const { lots, ruleIds } = new Earned(trial.setting.venue).sell(price)
  let worth = 0
  for (const { currencyId, amount } of lots)
    worth += Math.floor(amount * (rates.get(rateKey(currencyId, trial.setting.venue.currency)) ?? 0))
  const isWorthMore = worth > 0 && worth >= price.paid
  if (!isWorthMore) return []
  const score = Math.floor((worth / Math.max(1, price.paid)) * percentageWhole)
  const benefitIds = [...price.benefitIds, ...ruleIds]
  return [{ ...plain('value_for_nothing', trial, price), benefitIds, score, off: worth }]
}

export function noteRate(rates: Map<string, number>, trial: Trial, price: TrialPrice): void {
  const spent = [...amountsSpent(price.calculation.spending)]
  const [only] = spent
  if (spent.length !== 1 || only === undefined) return
  const [currencyId, amount] = only
  const key = rateKey(currencyId, trial.setting.venue.currency)
  rates.set(key, Math.max(rates.get(key) ?? 0, (price.paid - price.after) / amount))
}

function rateKey(currencyId: string, currency: string): string {
  return `${currencyId}/${currency}`
}
