import { basisFrom } from '../base/basis.js'
import type { Ladder, LadderLine, LadderRule } from '../base/earning.js'
import type { CalculationInput } from '../base/input.js'
import { type Money, wholeUnits } from '../base/money.js'
import { givenBy, paidFor, unitsGiven, unitsGivenBefore } from '../earn/charge.js'
import type { PricedFor } from '../earn/earning-of.js'
import { wallClock } from '../match/calendar.js'
import type { CompiledProgramme } from '../match/compile.js'
import type { CompiledEarning, CompiledRule } from '../match/compile-rule.js'
import { lineIndexOf } from '../match/line-index.js'
import { type Matched, matchedIn } from '../match/matched-lines.js'
import { isOpenBy, type Occasion } from '../match/open.js'

/** The ladder of a basket charged as sent that has no member: nothing was earned. */
export function ladderOfSent({ lines }: CalculationInput['basket'], paid: Money | null = null): Ladder {
  const shares = paidFor(lines, paid)
  return {
    lines: lines.map(({ lineId, quantity, totals }, at) => {
      return { lineId, quantity, net: shares[at]!, due: totals.net, free: 0 }
    }),
    rules: [],
  }
}

/** The ladder of a basket that was charged as sent, with discounts of an earlier answer. */
export function ladderAsSent({ keys, earning }: CompiledProgramme, input: CalculationInput): Ladder {
  const { basket, discountCode, member, venue } = input
  const ladder = ladderOfSent(basket, input.paidTotal)
  if (earning === null) return ladder
  const basis = basisFrom(basket, discountCode)
  const isGiven = givenBy(earning.givesFree, discountCode)
  const lines: LadderLine[] = [...ladder.lines]
  const parts: number[][] = basis.lines.map(({ position, sent, units }) => {
    const free = units === 0 ? wholeUnits(sent.quantity) : unitsGivenBefore(sent, units, isGiven)
    if (free > 0) lines[position] = { ...lines[position]!, free }
    return [position]
  })
  const matched = matchedIn(basis, lineIndexOf(keys, basis.lines))
  const occasion = { basket, member, venue, clock: () => wallClock(basket.requestedAt, venue.timeZone) }
  return { lines, rules: rulesOf(earning, occasion, { lines, parts, basis, matched }) }
}

/** The ladder of a basket that was charged as returned. */
export function ladderAsReturned(earning: CompiledEarning | null, occasion: Occasion, it: PricedFor): Ladder {
  const { basis, matched, settled, priced, paidTotal = null } = it
  const shares = paidFor(priced.lines, paidTotal)
  const parts: number[][] = []
  const lines = priced.lines.map(({ kind, lineId, quantity, totals }, index) => {
    if (kind === 'sent') parts.push([index])
    else if (kind === 'split') parts.at(-1)!.push(index)
    const at = parts.length - 1
    const isWeighed = kind !== 'added' && basis.lines[at]!.units === 0
    const given = kind === 'sent' ? unitsGiven(settled.lines[at]!, settled.capped) : 0
    const free = isWeighed ? wholeUnits(quantity) : given
    return { lineId, quantity, net: shares[index]!, due: totals.net, free }
  })
  return { lines, rules: earning === null ? [] : rulesOf(earning, occasion, { lines, parts, basis, matched }) }
}

interface Charged extends Pick<PricedFor, 'basis'> {
  readonly lines: readonly LadderLine[]
  /** Positions in `lines` by basis position. */
  readonly parts: readonly (readonly number[])[]
  readonly matched: Matched
}

// Open rules whose conditions hold, as earningOf counts them.
function rulesOf({ rules }: CompiledEarning, occasion: Occasion, charged: Charged): LadderRule[] {
  return rules.flatMap((compiled) => {
    if (!isOpenBy(compiled.rule, compiled, occasion)) return []
    const spending = spendingOf(compiled, charged)
    const lines = linesOf(compiled, charged)
    const { rule } = compiled
    const spent = (spending ?? []).reduce((sum, at) => sum + charged.lines[at]!.net, 0)
    const isMet = spent >= (rule.minimumSpend?.amount ?? 0)
    return isMet && countOn(compiled, lines, charged) > 0 ? [{ rule, lines, spending }] : []
  })
}

function spendingOf({ minimumSpend }: CompiledRule, { matched, parts }: Charged): readonly number[] | null {
  return minimumSpend === null
    ? null
    : matched.money(minimumSpend, minimumSpend.includeNoDiscount).flatMap((at) => parts[at]!)
}

function linesOf({ rule, select }: CompiledRule, { lines, matched, parts }: Charged): readonly number[] {
  const { per, includeNoDiscount } = rule
  return (per.kind === 'amount' ? matched.money : matched.own)(select, includeNoDiscount)
    .flatMap((at) => parts[at]!)
    .filter((at) => lines[at]!.due > 0)
}

function countOn({ rule: { per } }: CompiledRule, positions: readonly number[], { lines }: Charged): number {
  if (per.kind === 'visit') return positions.length
  return positions.reduce((sum, at) => {
    const { quantity, net, free } = lines[at]!
    return sum + (per.kind === 'amount' ? net : wholeUnits(quantity) - free)
  }, 0)
}
