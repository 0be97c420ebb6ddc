import type { Serve } from '../lines/fill.js'
import type { TieGround } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'
import { trimBought } from '../walk/trim-bought.js'
import type { Column } from './tie-terms.js'

/**
 * Reads the serves of each line off a whole-number point of the relaxation; null where the point does not add up, which
 * only the rounding of doubles can bring about: then nothing is built upon it.
 */
export function servesAt(
  ground: TieGround,
  columns: readonly Column[],
  values: readonly number[],
): (readonly Serve[])[] | null {
  const serves = trimBought(ground, new TieReading(ground, columns).servesAt(values))
  return isSound(ground, serves) ? serves : null
}

function isSound({ lines, offers }: TieGround, serves: readonly (readonly Serve[])[]): boolean {
  const fits = serves.every(
    (own, line) => own.reduce((sum, each) => sum + each.pieces + each.bought, 0) <= lines[line]!.pieces,
  )
  return (
    fits &&
    offers.every((offer) => {
      const own = serves.flat().filter((each) => each.offer === offer)
      const pieces = own.reduce((sum, each) => sum + each.pieces, 0)
      const bought = own.reduce((sum, each) => sum + each.bought, 0)
      return isWholeTimes(offer, pieces, bought)
    })
  )
}

function isWholeTimes({ shape, unitsMax }: Offer, pieces: number, bought: number): boolean {
  if (shape.kind === 'buy_get')
    return pieces % shape.get === 0 && bought === (pieces / shape.get) * shape.buy && pieces <= unitsMax
  if (shape.kind !== 'bundle') return pieces <= unitsMax
  const each = shape.components.reduce((sum, { quantity }) => sum + quantity, 0)
  return pieces % each === 0 && pieces / each <= unitsMax
}

class TieReading {
  constructor(
    private readonly ground: TieGround,
    private readonly columns: readonly Column[],
  ) {}

  /** The serves of each line at a whole-number point. */
  servesAt(values: readonly number[]): Serve[][] {
    const served = this.ground.lines.map(() => new Map<number, { pieces: number; bought: number }>())
    for (const [at, { role, offer, line }] of this.columns.entries()) {
      const count = Math.round(values[at]!)
      if (count === 0 || (role !== 'take' && role !== 'buy')) continue
      const serve = served[line]!.get(offer) ?? { pieces: 0, bought: 0 }
      if (role === 'take') serve.pieces += count
      else serve.bought += count
      served[line]!.set(offer, serve)
    }
    return served.map((serves) =>
      [...serves]
        .map(([offer, serve]) => ({ offer: this.ground.offers[offer]!, ...serve }))
        .filter(({ pieces, bought }) => pieces + bought > 0)
        .sort((a, b) => a.offer.rank - b.offer.rank),
    )
  }
}
