import { type Basis, compareAsSent } from '../base/basis.js'
import type { Serve } from '../lines/fill.js'
import { type Offer, type Shape, unitsEach } from '../offers/offer.js'
import { shortage } from '../offers/shortage.js'

interface Share {
  readonly at: number
  readonly pieces: number
  readonly bought: number
}

type GroupShape = Extract<Shape, { kind: 'bundle' | 'buy_get' }>

interface Group {
  readonly shape: GroupShape
  readonly lines: readonly number[]
  readonly shares: Share[]
}

/**
 * Checks whole times (3-benefits 2): a bundle has its quantities; in each time of a `buy_get`, no unit got
 * is dearer than one bought, among units that could be either. Each product by itself, if times are of one.
 *
 * @param lines  serves by basis position
 */
export function areWholeTimes(basis: Basis, lines: readonly { readonly serves: readonly Serve[] }[]): boolean {
  const groups = new Map<Offer, Map<number, Group>>()
  for (const [at, { serves }] of lines.entries()) {
    for (const { offer, pieces, bought } of serves) {
      const { shape } = offer
      if (shape.kind !== 'bundle' && shape.kind !== 'buy_get') continue
      const share = { at, pieces, bought }
      const own = groups.get(offer) ?? new Map<number, Group>()
      groups.set(offer, own)
      const product = shape.products?.[at] ?? 0
      const group = own.get(product)
      if (group === undefined) own.set(product, { shape, lines: offer.lines, shares: [share] })
      else group.shares.push(share)
    }
  }
  return [...groups.values()].every((own) => [...own.values()].every((group) => areWhole(basis, group)))
}

function areWhole(basis: Basis, { shape, lines, shares }: Group): boolean {
  const pieces = shares.reduce((sum, each) => sum + each.pieces, 0)
  if (shape.kind === 'bundle') {
    const times = pieces / unitsEach(shape.components)
    const wants = shape.components.map((each) => ({ lines: each.lines, quantity: each.quantity * times }))
    const taken = new Map(shares.map((each) => [each.at, each.pieces]))
    return Number.isInteger(times) && shortage(wants, (at) => taken.get(at) ?? 0) === 0
  }
  const bought = shares.reduce((sum, each) => sum + each.bought, 0)
  if (pieces % shape.get !== 0 || bought !== (pieces / shape.get) * shape.buy) return false
  return areCheapestGot(basis, { shape, lines, shares })
}

interface BuyGetShares {
  readonly shape: Extract<Shape, { kind: 'buy_get' }>
  readonly lines: readonly number[]
  readonly shares: readonly Share[]
}

// For each cost as sent: a time that gets such a unit at this cost or above buys all of its units there. As few times
// as possible get them.
function areCheapestGot(basis: Basis, { shape, lines, shares }: BuyGetShares): boolean {
  const either = shares.filter(({ at, pieces }) => pieces > 0 && shape.buyLines.includes(at))
  return either.every((least) => {
    const isAbove = ({ at }: Share) => compareAsSent(basis.lines[at]!, basis.lines[least.at]!) >= 0
    const got = either.reduce((sum, each) => sum + (isAbove(each) ? each.pieces : 0), 0)
    const above = shares.filter((each) => !lines.includes(each.at) || isAbove(each))
    const bought = above.reduce((sum, each) => sum + each.bought, 0)
    return bought >= Math.ceil(got / shape.get) * shape.buy
  })
}
