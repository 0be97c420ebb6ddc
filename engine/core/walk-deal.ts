import type { Serve } from './fill.js'
import type { Offer } from './offer.js'
import { sumOf } from './orders.js'
import type { TieGround } from './tie-model.js'
import { type Cycle, isDealt, type Standing, type Use } from './walk-counters.js'
import { isStacked } from './walk-loose.js'

/** How an offer can have units of a line. */
export interface Role {
  /** Index among the offers of the line. */
  readonly of: number
  readonly isBought: boolean
  /** Of a bundle. */
  readonly component: number
}

/** A line and the offers that tie it, before its ways are known. */
export interface TiedLine {
  readonly at: number
  readonly offers: readonly number[]
  readonly standings: readonly Standing[]
  readonly roles: readonly Role[]
}

/** Finds out how the offers stand to each line. */
export function tiedLines({ lines, offers, indexOf }: TieGround): TiedLine[] {
  const tied = lines.map((_, at) => ({ at, offers: [] as number[], standings: [] as Standing[], roles: [] as Role[] }))
  const add = (position: number, index: number, role: Omit<Role, 'of'>) => {
    const line = tied[indexOf.get(position)!]!
    const last = line.offers.length - 1
    if (line.offers[last] !== index) {
      line.offers.push(index)
      line.standings.push(role.isBought ? 'pure' : 'got')
      line.roles.push({ ...role, of: last + 1 })
      return
    }
    if (role.isBought) line.standings[last] = 'either'
    line.roles.push({ ...role, of: last })
  }
  for (const [index, { shape, lines: taken }] of offers.entries()) {
    const components = shape.kind === 'bundle' ? shape.components : [{ lines: taken }]
    for (const [component, each] of components.entries()) {
      for (const position of each.lines) add(position, index, { isBought: false, component })
    }
    if (shape.kind !== 'buy_get') continue
    for (const position of shape.buyLines) add(position, index, { isBought: true, component: 0 })
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

/** What each offer of a line can have of it, and how many ways that makes. */
export interface Dealing {
  /** One list per offer of the line, the first of each nothing. */
  readonly options: readonly (readonly Option[])[]
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

  /** What each offer of a line can have of it; null where that makes more ways than `most`. */
  deal({ at, offers, roles: all }: TiedLine, most: number): Dealing | null {
    const { pieces } = this.ground.lines[at]!
    const options: (readonly Option[])[] = []
    /** By units that are dealt. */
    let ways = [1]
    for (const [of, offer] of offers.entries()) {
      const roles = all.filter((role) => role.of === of)
      if (choices(pieces, roles.length) > most) return null
      const own = this.optionsOf(offer, roles, pieces)
      ways = waysWith(own, ways, pieces)
      options.push(own)
      if (sumOf(ways) > most) return null
    }
    return { options, wayCount: sumOf(ways) }
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

function areAlike(some: readonly Role[], others: readonly Role[]): boolean {
  if (some.length !== others.length) return false
  return some.every(
    ({ isBought, component }, at) => others[at]!.isBought === isBought && others[at]!.component === component,
  )
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
