import { basisFrom } from './base/basis.js'
import { compareCodePoints } from './base/code-points.js'
import type { Ladder } from './base/earning.js'
import type { CalculationInput } from './base/input.js'
import type { Money } from './base/money.js'
import {
  type BenefitReport,
  type Calculation,
  counterKey,
  type PricedBasket,
  type RankedReport,
  type Reason,
  reasons,
  type Want,
} from './base/outcome.js'
import type { PricedFor } from './earn/charge.js'
import { earningOf } from './earn/earning-of.js'
import { reportOffers } from './explain/explain.js'
import { periodsAt, type WallClock, wallClock } from './match/calendar.js'
import { type CompiledBenefit, type CompiledProgramme, touchedBy } from './match/compile.js'
import { type Experimented, experimentsAt } from './match/experiments.js'
import { lineIndexOf } from './match/line-index.js'
import { matchedIn } from './match/matched-lines.js'
import { isOpen, type Occasion } from './match/open.js'
import type { Offer } from './offers/offer.js'
import { type OfferSource, offerOf } from './offers/offers.js'
import { ladderAsReturned } from './returns/ladder-of.js'
import { choose } from './search/choose.js'
import { chooseSpending } from './search/choose-spending.js'
import { countedBy, type Used, usedOffers } from './search/outcome-key.js'
import { isAsSent } from './write/as-sent.js'
import { spendingOf } from './write/spending-of.js'
import { writeBasket } from './write/write.js'

/** Most benefits the basket does not touch that a calculation still lists, in the order of benefitId. */
const untouchedListedMax = 100

/** Prices a basket (3-benefits). Never throws on one that fits the schema and its arithmetic identities. */
export function calculate(programme: CompiledProgramme, input: CalculationInput): Calculation {
  const { calculation, occasion, it } = price(programme, input)
  if (programme.earning !== null) calculation.earning = earningOf(programme.earning, occasion, it)
  return calculation
}

export function calculateLadder(
  programme: CompiledProgramme,
  input: CalculationInput,
): { readonly calculation: Calculation; readonly ladder: Ladder } {
  const { calculation, occasion, it } = price(programme, input)
  return { calculation, ladder: ladderAsReturned(programme.earning, occasion, it) }
}

interface PricedWhole {
  readonly calculation: Calculation & { earning: Calculation['earning'] }
  readonly occasion: Occasion
  readonly it: PricedFor
}

function price(programme: CompiledProgramme, input: CalculationInput): PricedWhole {
  const { basket } = input
  const basis = basisFrom(basket, input.discountCode)
  const clock = lazyClock(basket.requestedAt, input.venue.timeZone)
  const hasOrderDiscounts = basis.orderDiscounts.some(({ amount }) => amount > 0)
  const periods = periodsAt(basket.requestedAt, input.venue, clock)
  const index = lineIndexOf(programme.keys, basis.lines)
  const ranks = touchedBy(programme, index)
  const source = { basis, matched: matchedIn(basis, index), facts: input, periods, hasOrderDiscounts }
  const occasion = { basket, member: input.member, venue: input.venue, clock }
  const { withheld, entered } = experimentsAt(programme.experiments, input.arms, occasion)
  const { offers, dropped } = offersFor(programme, occasion, { ranks, source, withheld })
  const problem = { basis, offers, hasOrderDiscounts, stepsMax: input.stepsMax }
  const chosen = offers.some(({ cost }) => cost !== null) ? chooseSpending(problem) : choose(problem)
  const { settled } = chosen
  const gap = Math.max(0, chosen.bound - settled.value)
  const used = usedOffers(settled)
  const reports = reportOffers(problem, { settled, used }, chosen.bound)
  const offered = offers.map(({ rank }, at) => ({ rank, report: reports[at]! }))
  const others = untouchedReports(programme, occasion, { ranks, source, withheld })
  const benefits = merged(merged(offered, dropped), others).map(({ report }) => report)
  const priced = writeBasket(settled, { basket, basis, discountCode: input.discountCode })
  // A basket of only added lines would become empty, which is no valid answer.
  const changed = priced.lines.length > 0 && !isAsSent(basket, priced)
  const calculation: PricedWhole['calculation'] = {
    outcome: changed
      ? { status: 'applied', basket: priced }
      : { status: 'unchanged', reason: furthestReason(benefits) },
    value: settled.value,
    loyaltyDiscountTotal: loyaltyDiscounts(priced),
    netAfter: settled.orders.net,
    // Also if unchanged: benefits on the basket as sent still use their limits.
    wants: wantsOf(used),
    spending: spendingOf(settled, { basis, used, priced }),
    optimal: gap === 0,
    gap,
    steps: chosen.steps,
    bounded: isBounded(offers, input),
    benefits,
    entered,
    earning: null,
  }
  return { calculation, occasion, it: pricedFor(input, source, { settled, priced, changed }) }
}

// By name: a spread of the input would take longer than the counting.
function pricedFor(
  { basket, discountCode, paidTotal }: CalculationInput,
  { basis, matched }: OfferSource,
  { settled, priced, changed }: Pick<PricedFor, 'settled' | 'priced' | 'changed'>,
): PricedFor {
  return { basket, basis, matched, settled, priced, changed, discountCode, paidTotal }
}

function loyaltyDiscounts({ lines, orderDiscounts }: PricedBasket): Money {
  let total = 0
  for (const { discounts, amounts } of lines) {
    for (let at = 0; at < discounts.length; at++) if (discounts[at]!.kind === 'added') total += amounts[at]!
  }
  for (const each of orderDiscounts) if (each.kind === 'added') total += each.discount.amount
  return total
}

function lazyClock(moment: number, timeZone: string): () => WallClock {
  let clock: WallClock | null = null
  return () => {
    clock ??= wallClock(moment, timeZone)
    return clock
  }
}

interface Listing extends Pick<Experimented, 'withheld'> {
  readonly ranks: ReadonlyMap<number, readonly number[]>
  readonly source: OfferSource
}

interface Offering {
  readonly offers: Offer[]
  readonly dropped: RankedReport[]
}

function offersFor(programme: CompiledProgramme, occasion: Occasion, { ranks, source, withheld }: Listing): Offering {
  const offers: Offer[] = []
  const dropped: RankedReport[] = []
  for (const rank of Int32Array.from(ranks.keys()).sort()) {
    const compiled = programme.benefits[rank]!
    if (withheld.has(rank) || !isOpen(compiled, occasion)) continue
    const offered = offerOf(compiled, ranks.get(rank)!, source)
    if (offered.offer !== null) offers.push(offered.offer)
    else dropped.push(reportOf(compiled, offered.dropped))
  }
  return { offers, dropped }
}

function untouchedReports(
  programme: CompiledProgramme,
  occasion: Occasion,
  { ranks, source, withheld }: Listing,
): RankedReport[] {
  const reports: RankedReport[] = []
  let listed = 0
  for (const compiled of programme.benefits) {
    if (listed === untouchedListedMax) break
    if (ranks.has(compiled.rank) || withheld.has(compiled.rank) || !isOpen(compiled, occasion)) continue
    listed++
    reports.push(compiled.untouched ?? untouchedReport(compiled, source))
  }
  return reports
}

function merged(one: readonly RankedReport[], other: readonly RankedReport[]): readonly RankedReport[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one
  const all: RankedReport[] = []
  let next = 0
  for (const each of one) {
    while (next < other.length && other[next]!.rank < each.rank) all.push(other[next++]!)
    all.push(each)
  }
  while (next < other.length) all.push(other[next++]!)
  return all
}

// One of its selectors takes no line, so it drops out.
function untouchedReport(compiled: CompiledBenefit, source: OfferSource): RankedReport {
  return reportOf(compiled, offerOf(compiled, [], source).dropped)
}

function reportOf({ benefit, rank }: CompiledBenefit, dropped: BenefitReport['dropped']): RankedReport {
  return { rank, report: { benefitId: benefit.benefitId, dropped, value: 0, lines: [] } }
}

function furthestReason(benefits: readonly BenefitReport[]): Reason {
  let furthest = 0
  for (const { dropped } of benefits) {
    furthest = Math.max(furthest, reasons.indexOf(reasonOf(dropped)))
  }
  return reasons[furthest]!
}

function reasonOf(dropped: BenefitReport['dropped']): Reason {
  if (dropped === null || dropped.stage === 'beaten') return 'existing_discount_kept'
  return dropped.stage === 'value_held' ? 'limit_exhausted' : dropped.stage
}

function isBounded(offers: readonly Offer[], { available }: CalculationInput): boolean {
  for (const _ in available) {
    return offers.some(({ limits }) => limits.some((limit) => available[counterKey(limit)] !== undefined))
  }
  return false
}

function wantsOf(used: ReadonlyMap<number, Used>): Want[] {
  const wants: Want[] = []
  for (const each of used.values()) {
    for (const { limitId, subject, period, counts, maximum } of each.offer.limits) {
      wants.push({ limitId, subject, period, units: countedBy(counts, each), maximum })
    }
  }
  return wants.sort((a, b) => compareCodePoints(counterKey(a), counterKey(b)))
}
