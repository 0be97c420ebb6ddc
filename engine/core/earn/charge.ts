import type { Basis } from '../base/basis.js'
import type { Basket, Line, Totals } from '../base/basket.js'
import { floorProduct, type Money, percentageWhole, sumOf } from '../base/money.js'
import type { PricedBasket } from '../base/outcome.js'
import { wholeUnits } from '../base/quantity.js'
import { spread } from '../base/spread.js'
import type { SettledLine } from '../lines/settle-lines.js'
import { saidOf } from '../match/compile-rule.js'
import { percentageOn } from '../offers/rate.js'
import type { Settled } from '../order/settle-basket.js'

/**
 * A basket as it may be charged, by basis position, so without lines that we added. Of a line that was split, all parts
 * together. In memory that a thread keeps: good until the next basket.
 */
export interface Charge {
  /** What the line was charged. */
  readonly nets: Float64Array
  /** What it was to be charged. */
  readonly due: Float64Array
  /** Whole units that count (page 4, section 2): on lines with net above 0, without those given for nothing. */
  readonly units: Float64Array
}

/**
 * The basket as returned.
 *
 * @param paid  what was paid for it; null, or not below its net: its net
 */
export function chargeAsReturned({ lines }: PricedBasket, settled: Settled, paid: Money | null): Charge {
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
    // What a line is discounted stands on its old part; what is split from it has a price of its own.
    units[at]! += wholeUnits(quantity) - (isOld ? unitsGiven(settled.lines[at]!, settled.capped) : 0)
  }
  return kept.returned
}

/**
 * The basket as sent, with the discounts of an earlier answer that it may carry.
 *
 * @param paid  as above
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

interface SentHow {
  readonly paid: Money | null
  /** Whether a discount, by what it says, may be one of ours that gives units for nothing. */
  readonly isGiven: (discount: Line['discounts'][number]) => boolean
}

/** Tells discounts of ours whose benefits give units for nothing by their text and campaign. */
export function givenBy(givesFree: ReadonlySet<string>, discountCode: string): SentHow['isGiven'] {
  return (discount) => discount.lineDiscountCode === discountCode && givesFree.has(saidOf(discount))
}

/** Written over by each basket: made anew, the arrays would be most of the work. */
const kept = { returned: chargeOf(0), sent: chargeOf(0) }

function roomFor(charge: Charge, lineCount: number): Charge {
  return charge.nets.length >= lineCount ? charge : chargeOf(2 * lineCount)
}

function chargeOf(size: number): Charge {
  return { nets: new Float64Array(size), due: new Float64Array(size), units: new Float64Array(size) }
}

function sharesOf(lines: readonly { readonly totals: Totals }[], paid: Money): readonly Money[] {
  const nets = lines.map(({ totals }) => totals.net)
  return paid >= sumOf(nets) ? nets : spread(paid, nets)
}

// Where its maximum amount bites, a benefit stands at less than 100 %.
function unitsGiven({ serves }: SettledLine, capped: ReadonlySet<number>): number {
  let given = 0
  for (let index = 0; index < serves.length; index++) {
    const { offer, pieces } = serves[index]!
    if (percentageOn(offer) === percentageWhole && !capped.has(offer.rank)) given += pieces
  }
  return given
}

// k of q units given for nothing take floor(k x hold / q) off the line: from the amount, the fewest that do.
function unitsGivenBefore({ discounts, totals }: Line, units: number, isGiven: SentHow['isGiven']): number {
  if (discounts.length === 0) return 0
  let [hold, given] = [totals.gross, 0]
  for (const discount of discounts) {
    if (isGiven(discount)) given += discount.amount
    else hold -= discount.amount
  }
  return given === 0 ? 0 : units - floorProduct(hold - given, units, hold)
}
