import { sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import type { TieGround } from '../model/tie-ground.js'
import type { Offer } from '../offers/offer.js'
import { type Cycle, isDealt, type Standing, type Use } from './counters.js'
import { isStacked } from './loose.js'

/** How an offer can have units of some lines. */
export interface Role {
  readonly isBought: boolean
  /** Of a bundle. */
  readonly component: number
}

/** A line and the offers that tie it, before its ways are known. */
export interface TiedLine {
  readonly at: number
  readonly offers: readonly number[]
  readonly standings: readonly Standing[]
  /** By offer: at least one. */
  readonly roles: readonly (readonly Role[])[]
}

/** Finds out how the offers stand to each line. */
export function tiedLines({ lines, offers, indexOf }: TieGround): TiedLine[] {
  const tied = new Array<{ at: number; offers: number[]; standings: Standing[]; roles: Role[][] }>(lines.length)
  const add = (positions: readonly number[], index: number, role: Role) => {
    for (let place = 0; place < positions.length; place++) {
      const at = indexOf.get(positions[place]!)!
      const line = tied[at]
      const standing = role.isBought ? 'pure' : 'got'
      const last = line === undefined ? 0 : line.offers.length - 1
      if (line === undefined) tied[at] = { at, offers: [index], standings: [standing], roles: [[role]] }
      else if (line.offers[last] !== index) {
        line.offers.push(index)
        line.standings.push(standing)
        line.roles.push([role])
      } else {
        if (role.isBought) line.standings[last] = 'either'
        line.roles[last]!.push(role)
      }
    }
  }
  for (const [index, { shape, lines: taken }] of offers.entries()) {
    if (shape.kind === 'bundle') {
      for (const [component, each] of shape.components.entries()) add(each.lines, index, { isBought: false, component })
      continue
    }
    add(taken, index, { isBought: false, component: 0 })
    if (shape.kind === 'buy_get') add(shape.buyLines, index, { isBought: true, component: 0 })
  }
  return tied
}

/** What one offer can have of a line. */
export interface Option {
  readonly use: Use
  readonly units: number
  readonly serve: Serve | null
}

// A stackable benefit takes no pieces: what it comes to follows from what the others leave.
export const nothing: Option = { use: { bought: 0, taken: [0], amount: 0 }, units: 0, serve: null }

/** A line with what each of its offers can have of it. */
export interface DealtLine extends TiedLine {
  /** One list per offer of the line, the first of each nothing. */
  readonly options: readonly (readonly Option[])[]
  /** How many ways that makes. */
  readonly wayCount: number
}

/** What offers can have of lines, worked out once for lines to which an offer stands alike. */
export class Dealer {
  /** By offer of the ground. */
  private readonly known: {
    readonly pieces: number
    readonly roles: readonly Role[]
    readonly own: readonly Option[]
  }[][]

  /** @param cycles  by offer of the ground: the counts of a `buy_get` whose units are dealt by falling price */
  constructor(
    private readonly ground: TieGround,
    private readonly cycles: readonly (Cycle | null)[],
  ) {
    this.known = ground.offers.map(() => [])
  }

  /** A line with what each of its offers can have of it; null where that makes more ways than `most`. */
  deal({ at, offers, standings, roles }: TiedLine, most: number): DealtLine | null {
    const { pieces } = this.ground.lines[at]!
    const options: (readonly Option[])[] = []
    /** By units that are dealt. */
    let ways = [1]
    let wayCount = 1
    for (let of = 0; of < offers.length; of++) {
      if (choices(pieces, roles[of]!.length) > most) return null
      const own = this.optionsOf(offers[of]!, roles[of]!, pieces)
      ways = waysWith(own, ways, pieces)
      options.push(own)
      wayCount = sumOf(ways)
      if (wayCount > most) return null
    }
    return { at, offers, standings, roles, options, wayCount }
  }

  private optionsOf(offer: number, roles: readonly Role[], pieces: number): readonly Option[] {
    const known = this.known[offer]!
    let found = known.find((each) => each.pieces === pieces && areAlike(each.roles, roles))
    if (found === undefined) {
      const own = optionsOf(this.ground.offers[offer]!, roles, { pieces, cycle: this.cycles[offer]! })
      found = { pieces, roles, own }
      known.push(found)
    }
    return found.own
  }
}

// Roles of one offer.
function areAlike(some: readonly Role[], others: readonly Role[]): boolean {
  return some.length === others.length && some.every((role, at) => role === others[at])
}

// Ways by the units that are dealt, with the options of one more offer.
function waysWith(options: readonly Option[], ways: readonly number[], pieces: number): number[] {
  const most = Math.min(pieces, ways.length - 1 + options.reduce((last, { units }) => Math.max(last, units), 0))
  const next = new Array<number>(most + 1).fill(0)
  for (const { units } of options) {
    for (let at = Math.min(most, units + ways.length - 1); at >= units; at--) next[at]! += ways[at - units]!
  }
  return next
}

function optionsOf(
  offer: Offer,
  roles: readonly Role[],
  { pieces, cycle }: { pieces: number; cycle: Cycle | null },
): Option[] {
  if (isStacked(offer)) return [nothing]
  const options: Option[] = []
  const counts = roles.map(() => 0)
  const most = offer.shape.kind === 'line' ? Math.min(pieces, offer.unitsMax) : pieces
  const deal = (role: number, units: number) => {
    if (role === roles.length) {
      const option = optionOf(offer, roles, counts)
      if (cycle === null || isDealt(cycle, units, units - option.use.bought)) options.push(option)
      return
    }
    for (counts[role] = 0; units + counts[role]! <= most; counts[role]!++) deal(role + 1, units + counts[role]!)
    counts[role] = 0
  }
  deal(0, 0)
  return options
}

function optionOf(offer: Offer, roles: readonly Role[], counts: readonly number[]): Option {
  let [bought, all] = [0, 0]
  const taken = offer.shape.kind === 'bundle' ? offer.shape.components.map(() => 0) : [0]
  for (let role = 0; role < roles.length; role++) {
    const { isBought, component } = roles[role]!
    if (isBought) bought += counts[role]!
    else {
      taken[component]! += counts[role]!
      all += counts[role]!
    }
  }
  const units = bought + all
  return { use: { bought, taken, amount: 0 }, units, serve: units === 0 ? null : { offer, pieces: all, bought } }
}

// Ways to deal at most so many pieces to so many roles.
function choices(pieces: number, roles: number): number {
  let count = 1
  for (let role = 1; role <= roles; role++) count = (count * (pieces + role)) / role
  return count
}
