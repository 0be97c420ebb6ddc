import type { BasisLine } from './basis.js'
import { partOf, type Serve } from './fill.js'
import type { Offer } from './offer.js'
import { heldBy, isLoose, type LinePlan, planLine, planLineIn, replaces } from './plan.js'
import type { TieGround } from './tie-model.js'
import { type Cycle, isDealt, type Standing, type Use } from './walk-counters.js'

/** One way to serve a line: what the offers that tie lines have of it; the others share out what is left. */
export interface Way {
  readonly plan: () => LinePlan
  /** One per offer of the line. */
  readonly uses: readonly Use[]
  /** What the line gains at most, maximum amounts and the prices of bundles aside. */
  readonly gain: number
  /** Whether that is what it gains, as far as its line decides it. */
  readonly isSure: boolean
}

/** A line with the offers that tie it to others and all ways to serve it. */
export interface WalkLine {
  /** Index in the ground. */
  readonly at: number
  /** Indices of its offers. */
  readonly offers: readonly number[]
  readonly standings: readonly Standing[]
  readonly roles: readonly Role[]
  readonly ways: readonly Way[]
  /** By way: how many offers have anything of it. */
  readonly busy: readonly number[]
  /** A number for each way, of so many: ways of different numbers are never taken for the same. */
  readonly apart: { readonly count: number; readonly numbers: readonly number[] }
}

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
interface Option {
  readonly use: Use
  readonly units: number
  readonly serve: Serve | null
}

/** What each offer of a line can have of it, and how many ways that makes. */
export interface Dealing {
  /** One list per offer of the line, the first of each nothing. */
  readonly options: readonly (readonly Option[])[]
  readonly wayCount: number
}

/**
 * What each offer of a line can have of it; null where that makes more ways than `most`.
 *
 * @param cycles  by offer of the ground: the counts of a `buy_get` whose units are dealt by falling price
 */
export function dealingOf(
  ground: TieGround,
  tied: TiedLine,
  { cycles, most }: { cycles: readonly (Cycle | null)[]; most: number },
): Dealing | null {
  const { pieces } = ground.lines[tied.at]!
  const options: Option[][] = []
  let ways = [1, ...Array.from({ length: Math.min(pieces, most) }, () => 0)]
  for (const [of, offer] of tied.offers.entries()) {
    const roles = tied.roles.filter((role) => role.of === of)
    if (choices(pieces, roles.length) > most) return null
    const own = optionsOf(ground.offers[offer]!, roles, { pieces, cycle: cycles[offer]! })
    const next = ways.map(() => 0)
    for (const { units } of own) for (let at = units; at < ways.length; at++) next[at]! += ways[at - units]!
    ways = next
    options.push(own)
    if (ways.reduce((sum, each) => sum + each, 0) > most) return null
  }
  return { options, wayCount: ways.reduce((sum, each) => sum + each, 0) }
}

function optionsOf(
  offer: Offer,
  roles: readonly Role[],
  { pieces, cycle }: { pieces: number; cycle: Cycle | null },
): Option[] {
  const options: Option[] = []
  const counts = roles.map(() => 0)
  const most = offer.shape.kind === 'line' ? Math.min(pieces, offer.unitsMax) : pieces
  const add = (units: number) => {
    let [bought, all] = [0, 0]
    const taken = offer.shape.kind === 'bundle' ? offer.shape.components.map(() => 0) : [0]
    for (const [role, { isBought, component }] of roles.entries()) {
      if (isBought) bought += counts[role]!
      else taken[component]! += counts[role]!
      if (!isBought) all += counts[role]!
    }
    if (cycle !== null && !isDealt(cycle, units, all)) return
    const serve = units === 0 ? null : { offer, pieces: all, bought }
    options.push({ use: { bought, taken, amount: 0 }, units, serve })
  }
  const deal = (role: number, units: number) => {
    if (role === roles.length) return add(units)
    for (counts[role] = 0; units + counts[role]! <= most; counts[role]!++) deal(role + 1, units + counts[role]!)
    counts[role] = 0
  }
  deal(0, 0)
  return options
}

/**
 * All ways to serve each line, in the same order; null where they are too many to be told apart.
 *
 * What several lines share, a bundle's saving or a maximum amount, is not known before the end. Where a percentage comes
 * after it, or the lines weigh differently, ways that have a part in it are told apart to the end.
 */
export function walkLinesOf(
  ground: TieGround,
  tied: readonly (TiedLine & Dealing)[],
  weights: readonly number[] | null,
): WalkLine[] | null {
  const entangled = new Set<number>()
  for (const [index, offer] of ground.offers.entries()) {
    if (!isShared(offer)) continue
    const own = tied.filter(({ offers }) => offers.includes(index))
    const weight = weights?.[own[0]!.at]
    const isEven = own.every(({ at }) => ground.lineOffers[at]!.stacks.length === 0 && weights?.[at] === weight)
    if (!isEven) entangled.add(index)
  }
  let product = 1
  const lines = tied.map((each) => {
    const line = walkLineOf(ground, each, entangled)
    product *= line.apart.count
    return line
  })
  return product < Number.MAX_SAFE_INTEGER ? lines : null
}

function walkLineOf(ground: TieGround, tied: TiedLine & Dealing, entangled: ReadonlySet<number>): WalkLine {
  const { at, offers, standings, roles, options } = tied
  const ways: Way[] = []
  const numbers: number[] = []
  const busy: number[] = []
  let count = 1
  const wayOf = isPlain(ground, at) ? plainWays(ground, at) : null
  const chosen: Option[] = []
  const add = () => {
    const isEntangled = chosen.some(({ units, use }, of) => units > use.bought && entangled.has(offers[of]!))
    const own = wayOf === null ? waysOf(ground, at, chosen) : [wayOf(chosen)]
    let offersBusy = 0
    for (const { units } of chosen) offersBusy += Number(units > 0)
    for (const way of own) {
      ways.push(way)
      busy.push(offersBusy)
      numbers.push(isEntangled ? count++ : 0)
    }
  }
  const deal = (of: number, free: number) => {
    if (of === options.length) return add()
    for (const option of options[of]!) {
      if (option.units > free) continue
      chosen[of] = option
      deal(of + 1, free - option.units)
    }
  }
  deal(0, ground.lines[at]!.pieces)
  return { at, offers, standings, roles, ways, busy, apart: { count, numbers } }
}

// Whether what offers take off a line just adds up.
function isPlain({ lines, lineOffers }: TieGround, at: number): boolean {
  const { free, stacks } = lineOffers[at]!
  return lines[at]!.own === 0 && free.length === 0 && stacks.length === 0
}

function plainWays({ lines, lineOffers }: TieGround, at: number): (chosen: readonly Option[]) => Way {
  const line = lines[at]!
  const gains = new Map<Use, number>()
  const uses = new Map<Option, Use>()
  const serves = new Map<Use, Serve | null>()
  const useOf = (option: Option) => {
    let use = uses.get(option)
    if (use !== undefined) return use
    const { serve } = option
    const amount = amountOf(line, option, line.gross)
    const isCapped = serve !== null && serve.offer.shape.kind !== 'bundle' && isShared(serve.offer)
    use = isCapped ? { ...option.use, amount } : option.use
    uses.set(option, use)
    gains.set(use, isCapped ? 0 : amount)
    serves.set(use, serve)
    return use
  }
  return (chosen) => {
    const own = chosen.map(useOf)
    let gain = 0
    for (const use of own) gain += gains.get(use)!
    const plan = () =>
      planLine(
        line,
        lineOffers[at]!,
        own.flatMap((use) => serves.get(use) ?? []),
      )
    return { plan, uses: own, gain, isSure: true }
  }
}

function amountOf(line: BasisLine, { serve }: Option, hold: number): number {
  if (serve === null || serve.pieces === 0) return 0
  return serve.offer.amountOn(line, serve.pieces, partOf(line, serve.pieces, hold))
}

function waysOf(ground: TieGround, at: number, chosen: readonly Option[]): Way[] {
  const line = ground.lines[at]!
  const fixed = chosen.flatMap(({ serve }) => serve ?? [])
  return plansOf(ground, at, fixed).map((plan) => {
    const hold = plan.off ? line.gross : heldBy(line)
    let gain = heldBy(line) - plan.restBound
    const uses = chosen.map((option) => {
      const { use, serve } = option
      if (serve === null || !isShared(serve.offer)) return use
      const amount = amountOf(line, option, hold)
      if (serve.offer.shape.kind !== 'bundle') return { ...use, amount }
      gain += amount
      return use
    })
    return { plan: () => plan, uses, gain, isSure: plan.rest === plan.restBound && !plan.stacks.some(isLoose) }
  })
}

/** Whether what an offer takes off a line depends on what it has of others. */
export function isShared({ shape, maximumAmount }: Offer): boolean {
  return shape.kind === 'bundle' || maximumAmount !== Number.POSITIVE_INFINITY
}

// With own discounts on a line, what is shared with other lines does not yet say whether they had better stay.
function plansOf({ lines, lineOffers }: TieGround, at: number, fixed: readonly Serve[]): LinePlan[] {
  const line = lines[at]!
  const plan = planLine(line, lineOffers[at]!, fixed)
  const isSure = line.own === 0 || fixed.every(({ offer }) => !isShared(offer))
  if (isSure) return [plan]
  const other = planLineIn(line, lineOffers[at]!, { off: !plan.off, fixed })
  return other.off === mayBeOff(other) ? [plan, other] : [plan]
}

function mayBeOff({ serves, stacks }: LinePlan): boolean {
  return serves.some(({ offer, pieces }) => pieces > 0 && replaces(offer)) || stacks.some(replaces)
}

// Ways to deal at most so many pieces to so many roles.
function choices(pieces: number, roles: number): number {
  let count = 1
  for (let role = 1; role <= roles; role++) count = (count * (pieces + role)) / role
  return count
}
