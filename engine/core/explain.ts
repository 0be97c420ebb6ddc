import type { BasisLine } from './basis.js'
import { chooseAmong, type Market } from './choose-among.js'
import type { Offer } from './offer.js'
import { orderAmountOf, sumOf } from './orders.js'
import type { BenefitReport, Dropped } from './outcome.js'
import { usedOffers } from './outcome-key.js'
import { heldBy, isLoose, type LineOffers, planLine } from './plan.js'
import type { Settled } from './settle.js'

type ReportLine = BenefitReport['lines'][number]

/** Reports of the offers of a basket, one per offer in their order: applied with its worth, or why not (3-benefits 4). */
export function reportOffers(market: Market, settled: Settled): BenefitReport[] {
  const applied = appliedReports(market, settled)
  const reporting = { market, settled, appliedIds: appliedIdsOf(settled) }
  return market.offers.map((offer) => {
    const report = applied.get(offer.rank)
    if (report !== undefined) return report
    const dropped = droppedOffer(reporting, offer)
    return { benefitId: offer.benefit.benefitId, dropped, value: 0, lines: [] }
  })
}

interface Reporting {
  readonly market: Market
  readonly settled: Settled
  readonly appliedIds: readonly string[]
}

function appliedReports({ basis }: Market, settled: Settled): Map<number, BenefitReport> {
  const reports = new Map<number, { value: number; lines: ReportLine[]; offer: Offer }>()
  const note = ({ rank, ...rest }: Offer, line: ReportLine | null, amount: number) => {
    const known = reports.get(rank) ?? { value: 0, lines: [], offer: { rank, ...rest } }
    known.value += amount
    if (line !== null) known.lines.push(line)
    reports.set(rank, known)
  }
  for (const [at, { serves, stacks }] of settled.lines.entries()) {
    const { position, units } = basis.lines[at]!
    for (const { offer, pieces, bought, amount } of serves) {
      note(offer, { line: position, units: units === 0 ? 0 : pieces + bought, amount }, amount)
    }
    for (const { offer, amount } of stacks) note(offer, { line: position, units, amount }, amount)
  }
  for (const { offer, lines, shares, amount } of settled.orders.placed) {
    note(offer, null, amount)
    for (const [index, at] of lines.entries()) {
      const { position, units } = basis.lines[at]!
      if (shares[index]! > 0) note(offer, { line: position, units, amount: shares[index]! }, 0)
    }
  }
  for (const { offer, gross } of settled.plan.free) note(offer, null, gross)
  const finished = [...reports].map(([rank, { value, lines, offer }]): [number, BenefitReport] => {
    return [rank, { benefitId: offer.benefit.benefitId, dropped: null, value, lines }]
  })
  return new Map(finished)
}

function droppedOffer(reporting: Reporting, offer: Offer): Dropped {
  const { market } = reporting
  const { basis } = market
  if (!gainsAlone(market, unlimited(offer))) {
    return { stage: 'existing_discount_kept', lines: offer.lines.map((at) => basis.lines[at]!.position) }
  }
  if (offer.unitsMax !== Number.POSITIVE_INFINITY && !gainsAlone(market, offer)) return exhausted(offer, basis.lines)
  return beaten(reporting, offer)
}

/** Whether a benefit would make the basket cheaper if it were the only one. */
export function gainsAlone(market: Market, offer: Offer): boolean {
  if (offer.unitsMax === 0) return false
  if (!isPlain(market, offer)) return worthAlone(market, offer) > 0
  return offer.lines.some((at) => gainOn(market.basis.lines[at]!, offer) > 0)
}

// Whether lines can be looked at one by one, without the order level and without other lines.
function isPlain({ hasOrderDiscounts }: Market, offer: Offer): boolean {
  return offer.shape.kind === 'line' && !hasOrderDiscounts && !isLoose(offer)
}

/** Budget for working out what one benefit would be worth alone. */
const aloneStepsMax = 400

// What a benefit would be worth if it were the only one.
function worthAlone(market: Market, offer: Offer): number {
  const { basis, hasOrderDiscounts } = market
  if (offer.shape.kind === 'order' && !hasOrderDiscounts) {
    return orderAmountOf(offer, sumOf(offer.lines.map((at) => heldBy(basis.lines[at]!))))
  }
  if (isPlain(market, offer) && offer.unitsMax === Number.POSITIVE_INFINITY) {
    return sumOf(offer.lines.map((at) => gainOn(basis.lines[at]!, offer)))
  }
  return chooseAmong({ ...market, stepsMax: aloneStepsMax }, [offer]).settled.value
}

// The offer as it would be if its limits had everything left.
function unlimited(offer: Offer): Offer {
  const unitsMax = Number.POSITIVE_INFINITY
  const { shape, benefit } = offer
  if (shape.kind !== 'buy_get' && shape.kind !== 'bundle') return { ...offer, unitsMax }
  const { reward } = benefit
  const times = reward.kind === 'buy_get' || reward.kind === 'bundle_price' ? reward.maximumTimes : undefined
  return { ...offer, unitsMax, shape: { ...shape, timesMax: times ?? Number.POSITIVE_INFINITY } }
}

// What a benefit alone takes off a line, with as many units as are left for it.
function gainOn(line: BasisLine, offer: Offer): number {
  if (offer.unitsMax >= line.pieces) return heldBy(line) - planLine(line, onlyOffer(offer)).rest
  const plan = planLine(line, noOffers, [{ offer, pieces: offer.unitsMax, bought: 0 }])
  return Math.max(0, heldBy(line) - plan.rest)
}

const noOffers: LineOffers = { free: [], stacks: [] }

function onlyOffer(offer: Offer): LineOffers {
  return offer.benefit.combination === 'stackable' ? { free: [], stacks: [offer] } : { free: [offer], stacks: [] }
}

function exhausted(offer: Offer, lines: readonly BasisLine[]): Dropped {
  const least = offer.limits.reduce((a, b) => (b.left < a.left ? b : a))
  const pieces = offer.lines.reduce((sum, at) => sum + lines[at]!.units, 0)
  const wanted = least.counts === 'baskets' ? 1 : offer.shape.kind === 'free' ? offer.shape.quantity : pieces
  return { stage: 'limit_exhausted', limitId: least.limitId, period: least.period, left: least.left, wanted }
}

function beaten({ market, settled, appliedIds }: Reporting, offer: Offer): Dropped {
  const closest = offer.shape.kind === 'line' ? closestLine(market, settled, offer) : null
  if (closest !== null) return closest
  return { stage: 'beaten', by: appliedIds, gap: Math.max(0, settled.value - worthAlone(market, offer)) }
}

// The line on which the benefit came closest to what stands there now.
function closestLine({ basis }: Market, settled: Settled, offer: Offer): Dropped | null {
  let gap = Number.POSITIVE_INFINITY
  let by: readonly string[] = []
  for (const at of offer.lines) {
    const { serves, stacks, rest } = settled.lines[at]!
    const gain = gainOn(basis.lines[at]!, offer)
    const behind = heldBy(basis.lines[at]!) - rest - gain
    if (gain === 0 || behind < 0 || behind >= gap) continue
    const winners = [...serves.map((each) => each.offer), ...stacks.map((each) => each.offer)]
    if (winners.length === 0) continue
    gap = behind
    by = winners.map(({ benefit }) => benefit.benefitId)
  }
  return by.length === 0 ? null : { stage: 'beaten', by, gap }
}

function appliedIdsOf(settled: Settled): string[] {
  return [...usedOffers(settled).values()]
    .sort((a, b) => a.offer.rank - b.offer.rank)
    .map(({ offer }) => offer.benefit.benefitId)
}
