import type { LadderRule } from '../base/earning.js'
import { type Money, type Quantity, sumOf, wholeUnits } from '../base/money.js'
import type { CompiledRule } from '../match/compile-rule.js'
import type { Matched, Positions } from '../match/matched-lines.js'
import { type ChargedLines, partAtFullPrice } from './charged-lines.js'

export interface RuleCharged extends ChargedLines {
  readonly matched: Matched
}

type Counted = Pick<LadderRule, 'lines' | 'ranges' | 'minimumSpend' | 'spending' | 'spendingRanges'>

export function ruleLinesOf(
  compiled: CompiledRule,
  charged: RuleCharged,
): { readonly counted: Counted; readonly count: number } | null {
  const { rule, select, minimumSpend, asksFullPrice } = compiled
  const { per, includeNoDiscount } = rule
  const own = takenBy(compiled, charged, (matched) =>
    (per.kind === 'amount' ? matched.money : matched.own)(select, includeNoDiscount),
  ).filter((taken) => amountOn(taken, charged, 'due') > 0)
  const spending =
    minimumSpend === null
      ? []
      : takenBy(compiled, charged, (matched) => matched.money(minimumSpend, minimumSpend.includeNoDiscount))
  const least = rule.minimumSpend?.amount ?? 0
  const paid = (all: readonly Taken[]) => sumOf(all.map((taken) => amountOn(taken, charged, 'paid')))
  const count = {
    visit: () => Math.min(1, own.length),
    amount: () => paid(own),
    units: () => sumOf(own.map((taken) => unitsOn(taken, charged))),
  }[per.kind]()
  if (count === 0 || paid(spending) < least) return null
  const positions = (all: readonly Taken[]) => all.map(({ at }) => at)
  const ranges = (all: readonly Taken[]) => all.map(({ from, until }) => [from, until] as const)
  const condition = {
    ...{ minimumSpend: least, spending: positions(spending) },
    ...(asksFullPrice ? { spendingRanges: ranges(spending) } : {}),
  }
  const counted = {
    ...{ lines: positions(own), ...(asksFullPrice ? { ranges: ranges(own) } : {}) },
    ...(minimumSpend === null ? {} : condition),
  }
  return { counted, count }
}

/** Thousandths of a charged line, in the order of its kinds. */
interface Taken {
  readonly at: number
  readonly from: Quantity
  readonly until: Quantity
}

// Where prices decide, a selector is asked of the units at full price, and of the others.
function takenBy(
  { asksFullPrice }: CompiledRule,
  { lines, parts, full, matched }: RuleCharged,
  positionsIn: (matched: Matched) => Positions,
): readonly Taken[] {
  if (!asksFullPrice) {
    const positions = positionsIn(matched).flatMap((at) => parts[at]!)
    return positions.map((at) => ({ at, from: 0, until: lines[at]!.quantity }))
  }
  const hasFull = (at: number) => parts[at]!.some((part) => full[part]! > 0)
  const hasOthers = (at: number) => parts[at]!.some((part) => full[part]! < lines[part]!.quantity)
  const ofFull = new Set(positionsIn(matched.judging(hasFull)))
  const ofOthers = new Set(positionsIn(matched.judging((at) => !hasOthers(at))))
  const taken = parts.flatMap((own, at) => {
    return own.map((part) => ({
      at: part,
      from: ofFull.has(at) ? 0 : full[part]!,
      until: ofOthers.has(at) ? lines[part]!.quantity : full[part]!,
    }))
  })
  return taken.filter(({ from, until }) => from < until)
}

function amountOn({ at, from, until }: Taken, { lines, full }: RuleCharged, kind: 'paid' | 'due'): Money {
  const line = lines[at]!
  const amount = line[kind]
  const upTo = (k: Quantity) =>
    k === line.quantity ? amount : k === 0 ? 0 : partAtFullPrice(line, { amount, full: full[at]! })
  return upTo(until) - upTo(from)
}

function unitsOn({ at, from, until }: Taken, { lines }: RuleCharged): number {
  const { quantity, weighed, kinds = [] } = lines[at]!
  // None at full price is free.
  const free = until === quantity ? sumOf(kinds.map((kind) => (kind.free ? kind.units : 0))) : 0
  return weighed ? 0 : wholeUnits(until - from) - free
}
