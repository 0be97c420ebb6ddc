import { percentageWhole } from '../base/money.js'
import type { TieGround } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'
import { isEven, percentageOn } from '../offers/rate.js'
import type { Coming, Cycle, Standing } from './counters.js'
import type { TiedLine } from './deal.js'

/**
 * What the lines after each stop hold for an offer.
 *
 * @param stops  its lines, in the order of the walk
 */
export function comingOf({ lines, offers }: TieGround, stops: readonly TiedLine[], index: number): Coming {
  const { shape } = offers[index]!
  const components = shape.kind === 'bundle' ? shape.components.length : 1
  const places = stops.map(({ at, offers: own, standings, roles }) => {
    const of = own.indexOf(index)
    const takes: number[] = []
    for (const role of roles[of]!) if (!role.isBought) takes.push(role.component)
    return { price: lines[at]!.price, pieces: lines[at]!.pieces, standing: standings[of]!, takes }
  })
  const takes: number[][] = []
  const pure: number[] = []
  let after = { takes: new Array<number>(components).fill(0), pure: 0 }
  for (let place = places.length - 1; place >= 0; place--) {
    takes[place] = after.takes
    pure[place] = after.pure
    const { pieces, standing, takes: own } = places[place]!
    after = {
      takes: own.length === 0 ? after.takes : after.takes.map((units, at) => units + (own.includes(at) ? pieces : 0)),
      pure: after.pure + (standing === 'pure' ? pieces : 0),
    }
  }
  return { pure, takes, level: levelsOf(places), mixes: places.some(({ standing }) => standing === 'either') }
}

// Units that may be bought after each place at the price of the last line up to it whose units could be either.
function levelsOf(places: readonly { price: number; pieces: number; standing: Standing }[]): number[] {
  const level = places.map(() => 0)
  let [next, run] = [places.length, 0]
  for (let place = places.length - 1; place >= 0; place--) {
    if (places[place]!.standing !== 'either') continue
    const later = places[next]
    run = later?.price === places[place]!.price ? run + later.pieces : 0
    level.fill(run, place, next)
    next = place
  }
  return level
}

/** What a minor unit less of a price must come to at least, so that two lines that round make it up. */
const roundings = 2

/**
 * The counts of a `buy_get` whose units are best dealt by falling price: so many bought, so many got, and again. That is
 * so where all its units may be bought or got, nothing else counts on their lines, and a dearer unit got is never worth
 * less than a cheaper one, roundings included; null elsewhere.
 */
export function cycleOf({ lines, lineOffers, indexOf }: TieGround, offer: Offer): Cycle | null {
  const { shape, lines: gets } = offer
  if (shape.kind !== 'buy_get' || shape.buyLines.length !== gets.length) return null
  if (!gets.every((position, at) => position === shape.buyLines[at])) return null
  const own = gets.map((position) => indexOf.get(position)!)
  if (own.some((at) => lines[at]!.own > 0 || lineOffers[at]!.stacks.length > 0)) return null
  const percentage = percentageOn(offer)!
  if (own.every((at) => isEven(percentage, lines[at]!, lines[at]!.gross))) return shape
  const prices = own.map((at) => lines[at]!.price).sort((a, b) => a - b)
  const isApart = (price: number, at: number) =>
    at === 0 || ((price - prices[at - 1]!) * percentage) / percentageWhole >= roundings
  return prices.every(isApart) ? shape : null
}
