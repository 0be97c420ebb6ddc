import { percentageWhole } from '../base/money.js'
import { twoRoundings } from '../base/tolerance.js'
import type { ComponentInstance } from '../model/component-instance.js'
import { hasAmountMax, type Offer } from '../offers/offer.js'
import { isEven, percentageOn } from '../offers/rate.js'
import type { WalkLine } from './assignments.js'
import type { Cycle, Eligibility, Lookahead } from './state-machines.js'

/** Units on the lines of an offer after each; `ownLines` in the order of the walk. */
export function lookaheadOf(
  { lines, offers }: ComponentInstance,
  ownLines: readonly WalkLine[],
  index: number,
): Lookahead {
  const { shape } = offers[index]!
  const components = shape.kind === 'bundle' ? shape.components.length : 1
  const entries = ownLines.map(({ at, offers: own, eligibilities, roles }) => {
    const of = own.indexOf(index)
    const takes: number[] = []
    for (const role of roles[of]!) if (!role.isBought) takes.push(role.component)
    return { price: lines[at]!.price, pieces: lines[at]!.pieces, eligibility: eligibilities[of]!, takes }
  })
  const takes: number[][] = []
  const pure: number[] = []
  let after = { takes: new Array<number>(components).fill(0), pure: 0 }
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    takes[lineNumber] = after.takes
    pure[lineNumber] = after.pure
    const { pieces, eligibility, takes: own } = entries[lineNumber]!
    after = {
      takes: own.length === 0 ? after.takes : after.takes.map((units, at) => units + (own.includes(at) ? pieces : 0)),
      pure: after.pure + (eligibility === 'pure' ? pieces : 0),
    }
  }
  const mixes = entries.some(({ eligibility }) => eligibility === 'either')
  return { pure, takes, level: levelsOf(entries), mixes, spends: spendsOf(ownLines, index) }
}

function spendsOf(ownLines: readonly WalkLine[], index: number): number[] {
  const spends = ownLines.map(() => 0)
  for (let lineNumber = ownLines.length - 1; lineNumber > 0; lineNumber--) {
    const { offers, uses } = ownLines[lineNumber]!
    const most = uses[offers.indexOf(index)]!.reduce((greatest, { spent }) => Math.max(greatest, spent), 0)
    spends[lineNumber - 1] = spends[lineNumber]! + most
  }
  return spends
}

// Units that can be bought after each line at the price of the last 'either' line.
function levelsOf(entries: readonly { price: number; pieces: number; eligibility: Eligibility }[]): number[] {
  const level = entries.map(() => 0)
  let [next, run] = [entries.length, 0]
  for (let lineNumber = entries.length - 1; lineNumber >= 0; lineNumber--) {
    if (entries[lineNumber]!.eligibility !== 'either') continue
    const later = entries[next]
    run = later?.price === entries[lineNumber]!.price ? run + later.pieces : 0
    level.fill(run, lineNumber, next)
    next = lineNumber
  }
  return level
}

/**
 * The cycle of a `buy_get` whose units are best assigned by falling price, otherwise null: all units can be bought or
 * got, nothing else applies, dearer units gain no less, roundings included, and money left does not make less better.
 */
export function cycleOf({ lines, lineOffers, indexOf }: ComponentInstance, offer: Offer): Cycle | null {
  const { shape, lines: gets } = offer
  if (shape.kind !== 'buy_get' || shape.buyLines.length !== gets.length || hasAmountMax(offer)) return null
  if (!gets.every((position, at) => position === shape.buyLines[at])) return null
  const own = gets.map((position) => indexOf.get(position)!)
  if (own.some((at) => lines[at]!.own > 0 || lineOffers[at]!.stacks.length > 0)) return null
  const percentage = percentageOn(offer)!
  if (own.every((at) => isEven(percentage, lines[at]!, lines[at]!.gross))) return shape
  const prices = own.map((at) => lines[at]!.price).sort((a, b) => a - b)
  const isApart = (price: number, at: number) =>
    at === 0 || ((price - prices[at - 1]!) * percentage) / percentageWhole >= twoRoundings
  return prices.every(isApart) ? shape : null
}
