import { basisFrom } from '../base/basis.js'
import type { Line } from '../base/basket.js'
import { compareCodePoints } from '../base/code-points.js'
import type { Ladder, LadderKind, LadderLine, LadderRule } from '../base/earning.js'
import type { CalculationInput } from '../base/input.js'
import { type Money, percentageWhole, wholeUnits } from '../base/money.js'
import type { OutcomeLine } from '../base/outcome.js'
import { givenBy, paidFor, type SentHow, unitsGivenBefore } from '../earn/charge.js'
import type { PricedFor } from '../earn/earning-of.js'
import type { SettledServe } from '../lines/settle-lines.js'
import { wallClock } from '../match/calendar.js'
import type { CompiledProgramme } from '../match/compile.js'
import { type CompiledEarning, type CompiledRule, saidFree } from '../match/compile-rule.js'
import { lineIndexOf } from '../match/line-index.js'
import { type Matched, matchedIn } from '../match/matched-lines.js'
import { isOpenBy, type Occasion } from '../match/open.js'
import { percentageOn } from '../offers/rate.js'

/** The ladder of a basket charged as sent that has no member: nothing was earned. */
export function ladderOfSent({ lines }: CalculationInput['basket'], paid: Money | null = null): Ladder {
  const shares = paidFor(lines, paid)
  return {
    lines: lines.map(({ lineId, quantity, totals, addedByLoyalty }, at) => {
      const added = addedByLoyalty ? { added: true as const } : {}
      return { lineId, quantity, paid: shares[at]!, due: totals.net, ...added }
    }),
    rules: [],
  }
}

/** The ladder of a basket that was charged as sent, with discounts of an earlier answer. */
export function ladderAsSent({ keys, earning, benefits }: CompiledProgramme, input: CalculationInput): Ladder {
  const { basket, discountCode, member, venue } = input
  const ladder = ladderOfSent(basket, input.paidTotal)
  const basis = basisFrom(basket, discountCode)
  const isGiven = givenBy(earning?.givesFree ?? saidFree(benefits.map(({ benefit }) => benefit)), discountCode)
  const lines: LadderLine[] = [...ladder.lines]
  const parts: number[][] = basis.lines.map(({ position, sent, units }) => {
    lines[position] = { ...lines[position]!, ...kindsAsSent(sent, units, isGiven) }
    return [position]
  })
  if (earning === null) return { lines, rules: [] }
  const matched = matchedIn(basis, lineIndexOf(keys, basis.lines))
  const occasion = { basket, member, venue, clock: () => wallClock(basket.requestedAt, venue.timeZone) }
  return { lines, rules: rulesOf(earning, occasion, { lines, parts, basis, matched }) }
}

/** The ladder of a basket that was charged as returned. */
export function ladderAsReturned(earning: CompiledEarning | null, occasion: Occasion, it: PricedFor): Ladder {
  const { basis, matched, settled, priced, paidTotal = null } = it
  const shares = paidFor(priced.lines, paidTotal)
  const parts: number[][] = []
  const lines = priced.lines.map((line, index): LadderLine => {
    const { kind, lineId, quantity, totals } = line
    if (kind === 'sent') parts.push([index])
    else if (kind === 'split') parts.at(-1)!.push(index)
    // Line discounts are on the old part; split parts have a price of their own.
    const at = parts.length - 1
    const units = kind !== 'added' && basis.lines[at]!.units === 0 ? 0 : wholeUnits(quantity)
    const serves = kind === 'sent' ? settled.lines[at]!.serves : []
    const added = kind === 'added' ? { added: true as const } : {}
    return {
      ...{ lineId, quantity, paid: shares[index]!, due: totals.net, ...added },
      ...kindsOf(line, units, { serves, capped: settled.capped }),
    }
  })
  return { lines, rules: earning === null ? [] : rulesOf(earning, occasion, { lines, parts, basis, matched }) }
}

type Kinds = Pick<LadderLine, 'weighed' | 'hold' | 'kinds'>

interface Served {
  readonly serves: readonly SettledServe[]
  readonly capped: ReadonlySet<number>
}

function kindsOf({ totals, discounts, amounts }: OutcomeLine, units: number, { serves, capped }: Served): Kinds {
  const served = serves.flatMap(({ offer, pieces, amount, share }): LadderKind[] => {
    const { benefitId, reward } = offer.benefit
    // A follower is served as its leader is.
    const own = share === undefined ? pieces : (units * share.pieces) / share.of
    if (own === 0 || !Number.isInteger(own) || reward.kind === 'price_override') return []
    const isFree = offer.shape.kind !== 'bundle' && percentageOn(offer) === percentageWhole
    return [{ units: own, taken: amount, benefitId, free: isFree && !capped.has(offer.rank) }]
  })
  const own = discounts.reduce((sum, { kind }, at) => sum + (kind === 'kept' ? amounts[at]! : 0), 0)
  return inOrder(units, served, totals.gross - own)
}

function kindsAsSent(sent: Line, units: number, isGiven: SentHow['isGiven']): Kinds {
  const free = units === 0 ? 0 : unitsGivenBefore(sent, units, isGiven)
  if (free === 0) return inOrder(units, [], 0)
  const taken = sent.discounts.reduce((sum, each) => sum + (isGiven(each) ? each.amount : 0), 0)
  const own = sent.totals.lineDiscount - taken
  return inOrder(units, [{ units: free, taken, benefitId: '', free: true }], sent.totals.gross - own)
}

function inOrder(units: number, served: readonly LadderKind[], hold: Money): Kinds {
  const left = served.reduce((sum, kind) => sum - kind.units, units)
  if (units === 0) return { weighed: true }
  if (served.length === 0 || (served.length === 1 && left === 0)) return {}
  const others = left === 0 ? [] : [{ units: left, taken: 0, benefitId: '', free: false }]
  return { hold, kinds: [...others, ...served].sort(byWeight) }
}

// The heaviest first: exact, as the products may pass 2^53.
function byWeight(a: LadderKind, b: LadderKind): number {
  const heavier = BigInt(a.taken) * BigInt(b.units) - BigInt(b.taken) * BigInt(a.units)
  if (heavier !== 0n) return heavier < 0n ? -1 : 1
  return compareCodePoints(a.benefitId, b.benefitId)
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
    const spent = (spending ?? []).reduce((sum, at) => sum + charged.lines[at]!.paid, 0)
    const isMet = spent >= (rule.minimumSpend?.amount ?? 0)
    if (!isMet || countOn(compiled, lines, charged) === 0) return []
    const { ruleId, per, onReturn, minimumSpend, maximum } = rule
    const condition = minimumSpend === null ? {} : { minimumSpend: minimumSpend.amount, spending: spending! }
    return [{ ruleId, per: per.kind, onReturn, capped: maximum !== null, lines, ...condition }]
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
    const { quantity, paid, weighed, kinds = [] } = lines[at]!
    const free = kinds.reduce((units, kind) => units + (kind.free ? kind.units : 0), 0)
    return sum + (per.kind === 'amount' ? paid : weighed ? 0 : wholeUnits(quantity) - free)
  }, 0)
}
