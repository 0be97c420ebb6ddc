import type { BasisLine } from '../base/basis.js'
import { partOf } from '../base/basis.js'
import type { Money } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { heldBy, mayBeOff, replaces, stackOn } from '../lines/plan.js'
import type { Offer } from '../offers/offer.js'

/** One way to serve a line with normal line-level benefits. */
export interface LineWay {
  /** Whether the POS's own line discounts are taken off. */
  readonly off: boolean
  /** In the order of benefitId. */
  readonly serves: readonly Serve[]
  /** What the line costs at least before stackable benefits. */
  readonly rest: number
  /** The same after every stackable benefit that may stand on it. */
  readonly restBound: number
}

/** What is offered on one line. */
export interface LinePlace {
  readonly line: BasisLine
  /** Its position in the basis. */
  readonly at: number
  /** Normal line-level benefits of the basket, in the order of benefitId. */
  readonly offers: readonly Offer[]
  /** Stackable ones on this line, in the order of benefitId. */
  readonly stacks: readonly Offer[]
  /** Whether what a bundle costs is still to be paid at the end: nothing else can take it off. */
  readonly isPriceFirm: boolean
}

/**
 * Every way to serve a line, cheapest first: any share of its pieces for each benefit, its own discounts kept or taken
 * off (3-benefits 3). A benefit on a line alone must take something off; a unit of a group may come to nothing.
 *
 * @param waysMax  most ways that are worth listing
 * @returns        null where there are more
 */
export function waysOn(place: LinePlace, waysMax: number): LineWay[] | null {
  const ways: LineWay[] = []
  for (const off of place.line.own === 0 ? [false] : [false, true]) {
    const lister = new WayLister(place, off, waysMax - ways.length)
    if (!lister.list()) return null
    ways.push(...lister.ways)
  }
  return ways.sort((a, b) => a.restBound - b.restBound)
}

/** Units that make up one time of a bundle. */
export function unitsEach(components: readonly { readonly quantity: number }[]): number {
  return components.reduce((sum, { quantity }) => sum + quantity, 0)
}

/** Shares of pieces that are tried for each way that may be listed: many are no way, for their amount is 0. */
const triesPerWay = 4

class WayLister {
  readonly ways: LineWay[] = []
  private tries = 0
  private readonly triesMax: number
  private readonly hold: Money
  private readonly stacks: readonly Offer[]
  private readonly touching: readonly Offer[]
  private readonly serves: Serve[] = []

  constructor(
    private readonly place: LinePlace,
    private readonly off: boolean,
    private readonly waysMax: number,
  ) {
    const { line, at, offers, stacks } = place
    this.triesMax = waysMax * triesPerWay
    this.hold = off ? line.gross : heldBy(line)
    this.stacks = off || line.own === 0 ? stacks : stacks.filter((offer) => !replaces(offer))
    this.touching = offers.filter(({ lines, shape }) => {
      return lines.includes(at) || (shape.kind === 'buy_get' && shape.buyLines.includes(at))
    })
  }

  list(): boolean {
    return this.walk(0, this.place.line.pieces, this.hold)
  }

  private walk(next: number, free: number, rest: number): boolean {
    const offer = this.touching[next]
    if (offer === undefined) return this.add(rest)
    if (!this.walk(next + 1, free, rest)) return false
    const most = this.piecesMost(offer, free)
    for (let pieces = offer.wholeLine ? most : 0; pieces <= most; pieces++) {
      const cost = this.costOf(offer, pieces)
      const boughtMost = this.boughtMost(offer, free - pieces)
      for (let bought = pieces === 0 ? 1 : 0; bought <= boughtMost; bought++) {
        if (++this.tries > this.triesMax) return false
        if (cost === null) break
        this.serves.push({ offer, pieces, bought })
        const goesOn = this.walk(next + 1, free - pieces - bought, rest - cost)
        this.serves.pop()
        if (!goesOn) return false
      }
    }
    return true
  }

  private piecesMost({ lines, shape, wholeLine, unitsMax }: Offer, free: number): number {
    const { line, at } = this.place
    if (!lines.includes(at) || (wholeLine && free < line.pieces)) return 0
    return shape.kind === 'bundle' ? free : Math.min(free, unitsMax)
  }

  private boughtMost({ shape }: Offer, free: number): number {
    return shape.kind === 'buy_get' && shape.buyLines.includes(this.place.at) ? free : 0
  }

  // What the pieces take off at most; null where the benefit cannot have them.
  private costOf(offer: Offer, pieces: number): number | null {
    const { line, isPriceFirm } = this.place
    if (pieces === 0) return 0
    const { shape } = offer
    const keepsOwn = !this.off && line.own > 0 && replaces(offer)
    if (keepsOwn) {
      return shape.kind === 'buy_get' && offer.amountOn(line, pieces, partOf(line, pieces, line.gross)) === 0 ? 0 : null
    }
    const amount = offer.amountOn(line, pieces, partOf(line, pieces, this.hold))
    if (shape.kind === 'line') return amount === 0 ? null : Math.min(amount, offer.maximumAmount)
    if (shape.kind !== 'bundle' || !isPriceFirm) return amount
    return amount - (shape.price * pieces) / unitsEach(shape.components)
  }

  private add(rest: number): boolean {
    if (this.off && !mayBeOff(this.place.line, { serves: this.serves, stacks: this.stacks })) return true
    if (this.ways.length === this.waysMax) return false
    const restBound = this.stacks.length === 0 ? rest : stackOn(this.place.line, this.stacks, rest).rest
    this.ways.push({ off: this.off, serves: [...this.serves], rest, restBound })
    return true
  }
}
