import { sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import type { ComponentInstance } from '../model/instance.js'
import { isOnUnits, type Offer } from '../offers/offer.js'
import { isStacked } from './capped-stacks.js'
import type { Eligibility, Use } from './state-machines.js'

export interface Role {
  readonly isBought: boolean
  readonly component: number
}

export interface TiedLine {
  readonly at: number
  readonly offers: readonly number[]
  readonly eligibilities: readonly Eligibility[]
  readonly roles: readonly (readonly Role[])[]
}

export function tiedLines({ lines, offers, indexOf }: ComponentInstance): TiedLine[] {
  const tied = new Array<{ at: number; offers: number[]; eligibilities: Eligibility[]; roles: Role[][] }>(lines.length)
  const add = (positions: readonly number[], index: number, role: Role) => {
    for (let entry = 0; entry < positions.length; entry++) {
      const at = indexOf.get(positions[entry]!)!
      const line = tied[at]
      const eligibility = role.isBought ? 'pure' : 'got'
      const last = line === undefined ? 0 : line.offers.length - 1
      if (line === undefined) tied[at] = { at, offers: [index], eligibilities: [eligibility], roles: [[role]] }
      else if (line.offers[last] !== index) {
        line.offers.push(index)
        line.eligibilities.push(eligibility)
        line.roles.push([role])
      } else {
        if (role.isBought) line.eligibilities[last] = 'either'
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

export interface Option {
  readonly use: Use
  readonly units: number
  readonly serve: Serve | null
}

// A stackable benefit takes no pieces; its amount follows from the rest that others leave.
export const nothing: Option = { use: { bought: 0, taken: [0], amount: 0, spent: 0 }, units: 0, serve: null }

export interface LineWithOptions extends TiedLine {
  readonly options: readonly (readonly Option[])[]
  readonly assignmentCount: number
}

export class OptionLister {
  private readonly cached: {
    readonly pieces: number
    readonly roles: readonly Role[]
    readonly own: readonly Option[]
  }[][]

  constructor(private readonly instance: ComponentInstance) {
    this.cached = instance.offers.map(() => [])
  }

  list({ at, offers, eligibilities, roles }: TiedLine, most: number): LineWithOptions | null {
    const { pieces } = this.instance.lines[at]!
    const options: (readonly Option[])[] = []
    let assignmentCounts = [1]
    let assignmentCount = 1
    for (let of = 0; of < offers.length; of++) {
      if (choices(pieces, roles[of]!.length) > most) return null
      const own = this.optionsOf(offers[of]!, roles[of]!, pieces)
      assignmentCounts = countsWith(own, assignmentCounts, pieces)
      options.push(own)
      assignmentCount = sumOf(assignmentCounts)
      if (assignmentCount > most) return null
    }
    return { at, offers, eligibilities, roles, options, assignmentCount }
  }

  private optionsOf(offer: number, roles: readonly Role[], pieces: number): readonly Option[] {
    const cached = this.cached[offer]!
    let found = cached.find((each) => each.pieces === pieces && areAlike(each.roles, roles))
    if (found === undefined) {
      const own = optionsOf(this.instance.offers[offer]!, roles, pieces)
      found = { pieces, roles, own }
      cached.push(found)
    }
    return found.own
  }
}

function areAlike(some: readonly Role[], others: readonly Role[]): boolean {
  return some.length === others.length && some.every((role, at) => role === others[at])
}

function countsWith(options: readonly Option[], assignmentCounts: readonly number[], pieces: number): number[] {
  const most = Math.min(
    pieces,
    assignmentCounts.length - 1 + options.reduce((last, { units }) => Math.max(last, units), 0),
  )
  const next = new Array<number>(most + 1).fill(0)
  for (const { units } of options) {
    for (let at = Math.min(most, units + assignmentCounts.length - 1); at >= units; at--)
      next[at]! += assignmentCounts[at - units]!
  }
  return next
}

function optionsOf(offer: Offer, roles: readonly Role[], pieces: number): Option[] {
  if (isStacked(offer)) return [nothing]
  const options: Option[] = []
  const counts = roles.map(() => 0)
  const most = isOnUnits(offer) ? Math.min(pieces, offer.unitsMax) : pieces
  const choose = (role: number, units: number) => {
    if (role === roles.length) {
      options.push(optionOf(offer, roles, counts))
      return
    }
    const step = offer.wholeLine ? pieces : 1
    for (counts[role] = 0; units + counts[role]! <= most; counts[role]! += step) choose(role + 1, units + counts[role]!)
    counts[role] = 0
  }
  choose(0, 0)
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
  return {
    use: { bought, taken, amount: 0, spent: 0 },
    units,
    serve: units === 0 ? null : { offer, pieces: all, bought },
  }
}

function choices(pieces: number, roles: number): number {
  let count = 1
  for (let role = 1; role <= roles; role++) count = (count * (pieces + role)) / role
  return count
}
