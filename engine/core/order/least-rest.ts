import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
import { adds, heldBy, replaces, stackOn } from '../lines/plan.js'
import type { LineField } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'

/**
 * What each line costs at least before order discounts, whatever is chosen, by basis position. A line that no benefit ties
 * to others has a bound of its own. On the others every piece gets what the best normal benefit of the line takes off it, a
 * bundle all of it, and every stackable one comes on top. Each piece may be rounded by itself.
 */
export function leastRests({ basis, ground, tying, loose }: LineField): Money[] {
  const tied: Offer[][] = basis.lines.map(() => [])
  for (const offer of tying) for (const at of offer.lines) tied[at]!.push(offer)
  const isLoose = new Set(loose.flatMap(({ lines }) => lines))
  return basis.lines.map((line, at) => {
    if (tied[at]!.length === 0 && !isLoose.has(at)) return ground.alone[at]!.restBound
    const { free, stacks } = ground.lineOffers[at]!
    return stackOn(line, stacks, leastOn(line, [...free, ...tied[at]!], stacks.some(replaces))).rest
  })
}

// With own discounts of the POS taken off, or beside them.
function leastOn(line: BasisLine, offers: readonly Offer[], isStackReplacing: boolean): Money {
  const beside = leftBy(line, offers.filter(adds), heldBy(line))
  if (line.own === 0 || !(isStackReplacing || offers.some(replaces)))
    return line.own === 0 ? leftBy(line, offers, line.gross) : beside
  return Math.min(beside, leftBy(line, offers, line.gross))
}

function leftBy(line: BasisLine, offers: readonly Offer[], held: Money): Money {
  const most = offers.reduce((all, offer) => Math.max(all, offer.amountOn(line, line.pieces, held)), 0)
  return most === 0 ? held : Math.max(0, held - most - line.pieces)
}
