import type { Basis } from '../base/basis.js'
import type { Basket, Line, Totals } from '../base/basket.js'
import { floorProduct, type Money, percentageWhole, quantityOne, sumOf } from '../base/money.js'
import type { PricedBasket } from '../base/outcome.js'
import { spread } from '../base/spread.js'
import type { SettledLine } from '../lines/settle-lines.js'
import { saidOf } from '../match/compile-rule.js'
import type { Matched } from '../match/matched-lines.js'
import { percentageOn } from '../offers/rate.js'
import type { Settled } from '../order/orders.js'

export interface PricedFor {
  readonly basket: Basket
  readonly basis: Basis
  readonly matched: Matched
  readonly settled: Settled
  readonly priced: PricedBasket
  readonly changed: boolean
  readonly discountCode: string
  readonly paidTotal?: Money
}

/** Amounts by basis position, without added lines; parts of a split line are summed. Valid until the next basket. */
export interface Charge {
  readonly nets: Float64Array
  readonly due: Float64Array
  readonly units: Float64Array
}

/**
 * The basket as returned.
 *
 * @param paid  minor units; null or above its net: its net
 */
export function chargeAsReturned(
  { lines }: PricedBasket,
  settled: Settled,
  { basis, paid }: { readonly basis: Basis; readonly paid: Money | null },
): Charge {
  const shares = paid === null ? null : sharesOf(lines, paid)
  kept.returned = roomFor(kept.returned, settled.lines.length)
  const { nets, due, units } = kept.returned
  let at = -1
  for (let index = 0; index < lines.length; index++) {
    const { kind, quantity, totals } = lines[index]!
    if (kind === 'added') continue
    const isOld = kind === 'sent'
    if (isOld) {
      at++
      nets[at] = 0
      due[at] = 0
      units[at] = 0
    }
    if (totals.net === 0) continue
    nets[at]! += shares === null ? totals.net : shares[index]!
    due[at]! += totals.net
    if (basis.lines[at]!.units === 0) continue
    units[at]! += quantity / quantityOne - (isOld ? unitsGiven(settled.lines[at]!, settled.capped) : 0)
  }
  return kept.returned
}

/**
 * The basket as sent, with discounts of an earlier answer.
 *
 * @param paid  minor units; null or above its net: its net
 */
export function chargeAsSent(basket: Basket, basis: Basis, { paid, isGiven }: SentHow): Charge {
  const shares = paid === null ? null : sharesOf(basket.lines, paid)
  kept.sent = roomFor(kept.sent, basis.lines.length)
  const charge = kept.sent
  for (let at = 0; at < basis.lines.length; at++) {
    const { position, sent, units } = basis.lines[at]!
    const { net } = sent.totals
    charge.nets[at] = shares === null ? net : shares[position]!
    charge.due[at] = net
    charge.units[at] = net === 0 || units === 0 ? 0 : units - unitsGivenBefore(sent, units, isGiven)
  }
  return charge
}

export interface SentHow {
  readonly paid: Money | null
  /** True: the discount may be one of the service's that gives units for nothing. */
  readonly isGiven: (discount: Line['discounts'][number]) => boolean
}

export function givenBy(givesFree: ReadonlySet<string>, discountCode: string): SentHow['isGiven'] {
  return (discount) => discount.lineDiscountCode === discountCode && givesFree.has(saidOf(discount))
}

const kept = { returned: chargeOf(0), sent: chargeOf(0) }

function roomFor(charge: Charge, lineCount: number): Charge {
  return charge.nets.length >= lineCount ? charge : chargeOf(2 * lineCount)
}

function chargeOf(size: number): Charge {
  return { nets: new Float64Array(size), due: new Float64Array(size), units: new Float64Array(size) }
}

/** The amount paid for each line (4-member-value 9); `paid` as of `chargeAsReturned`. */
export function paidFor(lines: readonly { readonly totals: Totals }[], paid: Money | null): readonly Money[] {
  return paid === null ? lines.map(({ totals }) => totals.net) : sharesOf(lines, paid)
}

function sharesOf(lines: readonly { readonly totals: Totals }[], paid: Money): readonly Money[] {
  const nets = lines.map(({ totals }) => totals.net)
  return paid >= sumOf(nets) ? nets : spread(paid, nets)
}

function unitsGiven({ serves }: SettledLine, capped: ReadonlySet<number>): number {
  let given = 0
  for (let index = 0; index < serves.length; index++) {
    const { offer, pieces } = serves[index]!
    if (offer.shape.kind === 'bundle' || capped.has(offer.rank)) continue
    if (percentageOn(offer) === percentageWhole) given += pieces
  }
  return given
}

export function unitsGivenBefore({ discounts, totals }: Line, units: number, isGiven: SentHow['isGiven']): number {
  if (discounts.length === 0) return 0
  let [hold, given, parts] = [totals.gross, 0, 0]
  for (const discount of discounts) {
    if (isGiven(discount)) {
      given += discount.amount
      parts++
    } else hold -= discount.amount
  }
  if (given === 0) return 0
  // Other discounts apply to all units, or to units that were not given.
  return unitsTaking(given, { parts, units, hold }) || unitsTaking(given, { parts, units, hold: totals.gross })
}

// k of q units for nothing take floor(k x hold / q) off the line, in two parts one less; the smallest k that fits the amount.
// An amount that fits no k was limited by a maximum, and gives no unit for nothing.
function unitsTaking(given: Money, { parts, units, hold }: Record<'parts' | 'units' | 'hold', number>): number {
  const whole = units - floorProduct(hold - given, units, hold)
  return given > floorProduct(whole, hold, units) - parts ? whole : 0
}
