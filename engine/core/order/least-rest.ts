import type { Money } from '../base/money.js'
import { heldBy, stackOn } from '../lines/plan.js'
import type { LineField } from '../model/instance.js'

/**
 * What each line costs at least before order discounts, whatever is chosen, by basis position: every piece gets what the
 * best normal benefit of the line takes off it, a bundle all of it, and every stackable one comes on top. Each piece may
 * be rounded by itself.
 */
export function leastRests({ basis, ground, tying }: LineField): Money[] {
  const { lines } = basis
  const most = lines.map((line, at) => {
    const { free } = ground.lineOffers[at]!
    return free.reduce((all, offer) => Math.max(all, offer.amountOn(line, line.pieces, line.gross)), 0)
  })
  for (const offer of tying) {
    for (const at of offer.lines) {
      most[at] = Math.max(most[at]!, offer.amountOn(lines[at]!, lines[at]!.pieces, lines[at]!.gross))
    }
  }
  return lines.map((line, at) => {
    const roundings = most[at] === 0 ? 0 : line.pieces
    const least = Math.max(0, heldBy(line) - most[at]! - roundings)
    return stackOn(line, ground.lineOffers[at]!.stacks, least).rest
  })
}
