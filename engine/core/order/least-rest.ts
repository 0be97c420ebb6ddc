import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { adds, heldBy, replaces, stackOn } from '../lines/plan.js'
import type { BasketInstance } from '../model/instance.js'
import { type Offer, shareLeft } from '../offers/offer.js'

/**
 * Lower bounds of costs before order discounts, by basis position, minor units. On a tied line each piece takes the
 * best normal benefit, rounded by itself, and all stackable ones.
 */
export function leastRests({ basis, lineInstance, tying, cappedStacks }: BasketInstance): Money[] {
  const tied: Taking[][] = basis.lines.map(() => [])
  for (const offer of tying) {
    const taking = takingOf(offer, (at) => basis.lines[at]!.price)
    for (const at of offer.lines) tied[at]!.push(taking)
  }
  const hasCappedStack = new Set(cappedStacks.flatMap(({ lines }) => lines))
  return basis.lines.map((line, at) => {
    if (tied[at]!.length === 0 && !hasCappedStack.has(at)) return lineInstance.alone[at]!.restBound
    const { untied, stacks } = lineInstance.lineOffers[at]!
    const all = [...untied.map((offer) => ({ offer, share: 1 })), ...tied[at]!]
    return stackOn(line, stacks, leastOn(line, all, stacks.some(replaces))).rest
  })
}

/** `share`: upper bound of the share of its amount that the offer takes off its lines; less than 1 for a bundle. */
interface Taking {
  readonly offer: Offer
  readonly share: number
}

function takingOf(offer: Offer, priceOf: (at: number) => Money): Taking {
  const { shape } = offer
  return { offer, share: shape.kind === 'bundle' ? 1 - shareLeft(shape, priceOf) : 1 }
}

// Own discounts of the POS kept, or taken off.
function leastOn(line: BasisLine, all: readonly Taking[], isStackReplacing: boolean): Money {
  const beside = leftBy(
    line,
    all.filter(({ offer }) => adds(offer)),
    heldBy(line),
  )
  if (line.own === 0 || !(isStackReplacing || all.some(({ offer }) => replaces(offer))))
    return line.own === 0 ? leftBy(line, all, line.gross) : beside
  return Math.min(beside, leftBy(line, all, line.gross))
}

function leftBy(line: BasisLine, all: readonly Taking[], held: Money): Money {
  const most = all.reduce(
    (taken, { offer, share }) => Math.max(taken, Math.ceil(share * offer.amountOn(line, line.pieces, held))),
    0,
  )
  return most === 0 ? held : Math.max(0, held - most - line.pieces)
}
