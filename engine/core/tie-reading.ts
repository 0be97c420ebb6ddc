import type { Serve } from './fill.js'
import type { Offer } from './offer.js'
import type { Column, TieGround } from './tie-model.js'

/**
 * Reads the serves of each line off a whole-number point of the relaxation; null where the point does not add up, which
 * only the rounding of doubles can bring about: then nothing is built upon it.
 */
export function servesAt(ground: TieGround, columns: readonly Column[], values: readonly number[]): Serve[][] | null {
  const serves = new TieReading(ground, columns).servesAt(values)
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
    for (const [at, { role, offer, line, size }] of this.columns.entries()) {
      const count = Math.round(values[at]!) * size
      if (count === 0 || (role !== 'take' && role !== 'buy')) continue
      const serve = served[line]!.get(offer) ?? { pieces: 0, bought: 0 }
      if (role === 'take') serve.pieces += count
      else serve.bought += count
      served[line]!.set(offer, serve)
    }
    for (const [offer, { shape }] of this.ground.offers.entries()) {
      if (shape.kind === 'buy_get') this.trimBought(offer, served)
    }
    return served.map((serves) =>
      [...serves]
        .map(([offer, serve]) => ({ offer: this.ground.offers[offer]!, ...serve }))
        .filter(({ pieces, bought }) => pieces + bought > 0)
        .sort((a, b) => a.offer.rank - b.offer.rank),
    )
  }

  // More than is needed may be bought at a point; the cheapest that could also be got go first, so that what is got
  // stays the cheapest of its time.
  private trimBought(offer: number, served: readonly Map<number, { pieces: number; bought: number }>[]): void {
    const { shape, lines } = this.ground.offers[offer]!
    if (shape.kind !== 'buy_get') return
    const places = [...served.keys()].filter((line) => served[line]!.has(offer))
    const got = places.reduce((sum, line) => sum + served[line]!.get(offer)!.pieces, 0)
    const bought = places.reduce((sum, line) => sum + served[line]!.get(offer)!.bought, 0)
    let spare = bought - (got / shape.get) * shape.buy
    const gettable = new Set(lines.map((position) => this.ground.indexOf.get(position)))
    const order = places.sort(
      (a, b) =>
        Number(gettable.has(b)) - Number(gettable.has(a)) ||
        this.ground.lines[a]!.price - this.ground.lines[b]!.price ||
        b - a,
    )
    for (const line of order) {
      const serve = served[line]!.get(offer)!
      const back = Math.min(spare, serve.bought)
      serve.bought -= back
      spare -= back
    }
  }
}
