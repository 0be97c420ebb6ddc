import type { Serve } from '../lines/fill.js'
import type { ComponentInstance } from '../model/component-instance.js'
import type { Offer } from '../offers/offer.js'

/**
 * Returns units that a `buy_get` bought without need: the cheapest that could be got first, so that units got stay the
 * cheapest of their time (3-benefits 2). Unchanged lines keep their list.
 *
 * @param serves  by line of the instance
 */
export function trimBought(instance: ComponentInstance, serves: readonly (readonly Serve[])[]): (readonly Serve[])[] {
  const trimmed = [...serves]
  for (const offer of instance.offers) {
    const { shape } = offer
    if (shape.kind === 'buy_get') trimOffer(instance, { offer, ...shape }, trimmed)
  }
  return trimmed
}

interface Trimmed {
  readonly offer: Offer
  readonly buy: number
  readonly get: number
}

function trimOffer(
  { lines, positions }: ComponentInstance,
  { offer, buy, get }: Trimmed,
  serves: (readonly Serve[])[],
): void {
  const ownOn = (at: number) => serves[at]!.find((each) => each.offer === offer)
  const served = [...lines.keys()].filter((at) => ownOn(at) !== undefined)
  let [got, bought] = [0, 0]
  for (const at of served) {
    got += ownOn(at)!.pieces
    bought += ownOn(at)!.bought
  }
  let spare = bought - (got / get) * buy
  if (spare <= 0) return
  const isGettable = (at: number) => Number(offer.lines.includes(positions[at]!))
  served.sort((a, b) => isGettable(b) - isGettable(a) || lines[a]!.price - lines[b]!.price || b - a)
  for (const at of served) {
    const serve = ownOn(at)!
    const back = Math.min(spare, serve.bought)
    if (back === 0) continue
    spare -= back
    serves[at] = serves[at]!.flatMap((each) => {
      if (each !== serve) return [each]
      return serve.pieces + serve.bought === back ? [] : [{ ...serve, bought: serve.bought - back }]
    })
  }
}
