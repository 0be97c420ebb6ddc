import type { Basis } from '../base/basis.js'
import { linesOf } from '../model/components.js'
import type { Offer, Shape } from '../offers/offer.js'

/**
 * A basket of only an offer's lines, where its value alone is the same. Not with order discounts of the POS; free
 * products keep the basket.
 */
export function narrowedTo(basis: Basis, offer: Offer): { readonly basis: Basis; readonly offer: Offer } {
  if (offer.shape.kind === 'free') return { basis, offer }
  const places = new Array<number>(basis.lines.length).fill(-1)
  for (const at of linesOf(offer)) places[at] = 0
  const positions: number[] = []
  for (let at = 0; at < places.length; at++) if (places[at] === 0) places[at] = positions.push(at) - 1
  if (positions.length === basis.lines.length) return { basis, offer }
  const placed = (lines: readonly number[]) => lines.map((at) => places[at]!)
  const lines = positions.map((at) => basis.lines[at]!)
  let [gross, net] = [0, 0]
  for (const line of lines) {
    gross += line.gross
    net += line.net
  }
  const shape = placedShape(offer.shape, placed)
  return { basis: { ...basis, lines, gross, net }, offer: { ...offer, lines: placed(offer.lines), shape } }
}

function placedShape(shape: Shape, placed: (lines: readonly number[]) => number[]): Shape {
  switch (shape.kind) {
    case 'buy_get':
      return { ...shape, buyLines: placed(shape.buyLines) }
    case 'bundle':
      return {
        ...shape,
        components: shape.components.map(({ lines, quantity }) => ({ lines: placed(lines), quantity })),
      }
    default:
      return shape
  }
}
