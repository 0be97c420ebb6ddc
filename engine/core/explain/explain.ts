import type { Basis } from '../base/basis.js'
import {
  aloneSetupSteps,
  aloneStepsInAllMax,
  aloneStepsMax,
  nanos,
  shares,
  stepsOf,
  stepsPerLine,
} from '../base/costs.js'
import { sumOf } from '../base/money.js'
import type { BenefitReport, Dropped, LineReport } from '../base/outcome.js'
import { heldBy } from '../lines/plan.js'
import type { Problem } from '../model/instance.js'
import { usesIn, withinUses } from '../offers/costs-left.js'
import { shortLimit, unlimited } from '../offers/limits-left.js'
import { isLeft, type Offer } from '../offers/offer.js'
import { orderAmountOf, type Settled } from '../order/orders.js'
import type { BasketChoice } from '../search/basket-instance.js'
import { chooseAmong } from '../search/choose-among.js'
import { chooseSpending } from '../search/choose-spending.js'
import { mostWorth } from '../search/most-worth.js'
import { takenBy, type Used, usedOffers } from '../search/outcome-key.js'
import { chooseCompatible } from '../search/small-basket.js'
import { gainOn, isPlain, type Rival, type Rivals, rivalsIn, sumOver } from './rivals.js'

export interface Outcome {
  readonly settled: Settled
  readonly used: ReadonlyMap<number, Used>
}

/**
 * A report for each offer of a basket, in their order: its value, or why it was not applied (3-benefits 4).
 *
 * @param most  upper bound of the value of any outcome
 */
export function reportOffers(problem: Problem, { settled, used: usedByRank }: Outcome, most: number): BenefitReport[] {
  const applied = appliedReports(problem, settled)
  for (const each of usedByRank.values()) if (each.offer.cost !== null) noteCost(applied, each)
  const used = [...usedByRank.values()]
  const isExclusive = used.some(({ offer }) => offer.benefit.combination === 'exclusive')
  const reporting = {
    problem,
    settled,
    used,
    most,
    appliedIds: appliedIdsOf(problem, usedByRank),
    isExclusive,
    alone: aloneIn(problem),
    rivalOf: rivalsIn(problem, settled),
  }
  return problem.offers.map((offer) => {
    const report = applied.get(offer.rank)
    if (report !== undefined) return report
    const dropped = droppedOffer(reporting, offer)
    return { benefitId: offer.benefit.benefitId, dropped, value: 0, lines: [] }
  })
}

interface Reporting {
  readonly problem: Problem
  readonly settled: Settled
  readonly used: readonly Used[]
  readonly most: number
  readonly appliedIds: readonly string[]
  readonly isExclusive: boolean
  readonly alone: Alone
  readonly rivalOf: Rivals
}

function appliedReports({ basis }: Problem, settled: Settled): Map<number, Applied> {
  const reports = new Map<number, Applied>()
  const note = (offer: Offer, line: LineReport | null, amount: number) => {
    const report = reportOn(reports, offer)
    report.value += amount
    if (line !== null) report.lines.push(line)
  }
  for (let at = 0; at < settled.lines.length; at++) {
    const { position, units } = basis.lines[at]!
    for (const { offer, pieces, bought, amount, share } of settled.lines[at]!.serves) {
      const line = { line: position, units: units === 0 ? 0 : pieces + bought, amount }
      note(offer, share === undefined ? line : { ...line, follows: share.leader }, amount)
    }
  }
  if (settled.stacked.length > 0) noteStacked(reports, basis, settled.stacked)
  for (const { offer, lines, shares, amount } of settled.orders.placed) {
    note(offer, null, amount)
    for (let index = 0; index < lines.length; index++) {
      const { position, units } = basis.lines[lines[index]!]!
      if (shares[index]! > 0) note(offer, { line: position, units, amount: shares[index]! }, 0)
    }
  }
  for (const { offer, gross } of settled.plan.free) note(offer, null, gross)
  return reports
}

type Applied = BenefitReport & { value: number; readonly lines: LineReport[]; spent?: BenefitReport['spent'] }

function noteCost(reports: Map<number, Applied>, { offer, ...counted }: Used): void {
  const { currencyId, amount } = offer.cost!
  reports.get(offer.rank)!.spent = { currencyId, amount: usesIn(offer, counted) * amount }
}

function reportOn(reports: Map<number, Applied>, { rank, benefit: { benefitId } }: Offer): Applied {
  let known = reports.get(rank)
  if (known === undefined) {
    known = { benefitId, dropped: null, value: 0, lines: [] }
    reports.set(rank, known)
  }
  return known
}

function noteStacked(reports: Map<number, Applied>, { lines: all }: Basis, stacked: Settled['stacked']): void {
  for (const { offer, lines, amounts } of stacked) {
    const report = reportOn(reports, offer)
    for (let index = 0; index < lines.length; index++) {
      const { position, units } = all[lines[index]!]!
      report.value += amounts[index]!
      report.lines.push({ line: position, units, amount: amounts[index]! })
    }
  }
}

function droppedOffer(reporting: Reporting, offer: Offer): Dropped {
  const { problem, most, appliedIds } = reporting
  const kept = (): Dropped => ({
    stage: 'existing_discount_kept',
    lines: offer.unflagged.map((at) => problem.basis.lines[at]!.position),
  })
  const wished = unlimited(offer, problem.basis.lines)
  const isLimited = wished !== offer
  if ((!isLimited && most <= 0) || !gainsAlone(reporting, wished)) return kept()
  if (isLimited && (most <= 0 || !gainsAlone(reporting, offer))) return exhausted(reporting, offer, wished) ?? kept()
  return appliedIds.length === 0 ? kept() : beaten(reporting, offer)
}

function gainsAlone({ problem, alone }: Reporting, offer: Offer): boolean {
  if (!isLeft(offer)) return false
  if (!isPlain(problem, offer)) return worthAlone(problem, offer, alone) > 0
  const { lines } = problem.basis
  for (let index = 0; index < offer.lines.length; index++) {
    if (gainOn(lines[offer.lines[index]!]!, offer) > 0) return true
  }
  return false
}

// Value of the benefit as the only one; an upper bound if the budget is exhausted.
function worthAlone(problem: Problem, offer: Offer, alone: Alone): number {
  const { basis, hasOrderDiscounts } = problem
  if (offer.shape.kind === 'order' && !hasOrderDiscounts && offer.cost === null) {
    return orderAmountOf(
      offer,
      sumOver(offer, (at) => heldBy(basis.lines[at]!)),
    )
  }
  if (isPlain(problem, offer) && offer.unitsMax === Number.POSITIVE_INFINITY) {
    return sumOver(offer, (at) => gainOn(basis.lines[at]!, offer))
  }
  return alone.worthOf(offer)
}

interface Alone {
  outcomeOf(offer: Offer): Settled | null
  worthOf(offer: Offer): number
  outcomeAmong(offers: readonly Offer[]): Settled | null
}

function aloneIn(problem: Problem): Alone {
  const outcomes = new Map<Offer, BasketChoice | null>()
  const worths = new Map<Offer, number>()
  let left = Math.min(problem.stepsMax, aloneStepsInAllMax)
  const search = (offers: readonly Offer[], stepsMax: number, isSmall = false) => {
    if (left <= 0) return null
    const chosenBy = isSmall || offers.some(({ followers }) => followers !== null) ? chooseCompatible : chooseAmong
    const within = { ...problem, offers, stepsMax: Math.min(left, stepsMax) }
    const chosen = offers.every(({ cost }) => cost === null) ? chosenBy(within, offers) : chooseSpending(within)
    left -= chosen.steps + setupSteps(problem.basis)
    return chosen
  }
  // With a gap but no gain, search again with half of the remaining budget, small baskets by enumeration: one time first,
  // which has fewer assignments.
  const outcomeOf = (offer: Offer) => {
    const known = outcomes.get(offer)
    if (known !== undefined) return known
    let outcome = search([offer], aloneStepsMax)
    const isOpen = outcome !== null && outcome.bound > 0
    for (const each of isOpen ? [...oneTimeOf(offer), offer] : []) {
      if (outcome!.settled.value <= 0) outcome = search([each], Math.ceil(left * shares.first), true) ?? outcome
    }
    outcomes.set(offer, outcome)
    return outcome
  }
  const worthOf = (offer: Offer) => {
    const known = worths.get(offer)
    if (known !== undefined) return known
    const worth = outcomeOf(offer)?.settled.value ?? mostWorth(problem.basis, offer)
    worths.set(offer, worth)
    return worth
  }
  return {
    outcomeOf: (offer) => outcomeOf(offer)?.settled ?? null,
    worthOf,
    outcomeAmong: (offers) => search(offers, aloneStepsMax)?.settled ?? null,
  }
}

function oneTimeOf(offer: Offer): readonly Offer[] {
  return offer.shape.kind === 'buy_get' || offer.shape.kind === 'bundle' ? [withinUses(offer, 1)] : []
}

function setupSteps({ lines, orderDiscounts }: Basis): number {
  return aloneSetupSteps + Math.ceil(lines.length * (stepsPerLine + stepsOf(orderDiscounts.length * nanos.placed)))
}

function exhausted(reporting: Reporting, offer: Offer, wished: Offer): Dropped | null {
  const outcome = reporting.alone.outcomeOf(wished)
  const used = outcome === null ? [] : [...usedOffers(outcome).values()]
  const units = Math.max(leastUnits(offer, outcome), sumOf(used.map((each) => each.units)))
  const amount = used.length === 0 ? null : sumOf(used.map((each) => each.amount))
  const { lines } = reporting.problem.basis
  const short = shortLimit(offer, { units, amount, lines }, (limited) => gainsAlone(reporting, limited))
  return short ?? heldBack(offer, { units, amount: amount ?? 1 })
}

// A free product is added only after all units that the basket has.
function leastUnits({ shape }: Offer, outcome: Settled | null): number {
  if (shape.kind === 'buy_get') return shape.get
  return shape.kind === 'free' ? 1 + sumOf((outcome?.plan.free ?? []).map(({ units }) => shape.had + units - 1)) : 1
}

function heldBack(offer: Offer, counted: Pick<Used, 'units' | 'amount'>): Dropped | null {
  const { cost } = offer
  const wanted = cost === null ? 0 : usesIn(offer, counted) * cost.amount
  if (cost === null || cost.free >= Math.min(wanted, cost.balance)) return null
  return { stage: 'value_held', currencyId: cost.currencyId, left: cost.free, wanted }
}

function beaten(reporting: Reporting, offer: Offer): Dropped {
  const { problem, settled, appliedIds, isExclusive, alone, rivalOf } = reporting
  const isShared = offer.benefit.combination !== 'exclusive' && !isExclusive
  const isGrouped = isShared && reporting.used.some((each) => isMate(each.offer, offer))
  const rival =
    (isGrouped ? mateRival(reporting, offer) : isShared ? rivalOf(offer) : null) ??
    loneRival(settled, worthAlone(problem, offer, alone), appliedIds)
  const { value, by, gives, instead } = rival
  return { stage: 'beaten', by, gap: Math.max(0, settled.value - value), gives, instead }
}

function isMate(one: Offer, other: Offer): boolean {
  return one.benefit.group !== null && one.benefit.group === other.benefit.group
}

function mateRival({ settled, used, alone }: Reporting, offer: Offer): Rival | null {
  const applied = used.map((each) => each.offer)
  const others = applied.filter((each) => !isMate(each, offer))
  const outcome = alone.outcomeAmong([...others, offer].sort((a, b) => a.rank - b.rank))
  const gives = outcome === null ? 0 : (takenBy(outcome).get(offer.rank) ?? 0)
  if (outcome === null || gives === 0) return null
  const by = applied.filter((each) => isMate(each, offer)).map(({ benefit }) => benefit.benefitId)
  return { value: outcome.value, by, gives, instead: settled.value - outcome.value + gives }
}

function loneRival({ value }: Settled, worth: number, by: readonly string[]): Rival {
  return { value: worth, by, gives: Math.min(worth, value), instead: value }
}

function appliedIdsOf({ offers }: Problem, used: ReadonlyMap<number, Used>): string[] {
  const ids: string[] = []
  for (const { rank, benefit } of offers) if (used.has(rank)) ids.push(benefit.benefitId)
  return ids
}
