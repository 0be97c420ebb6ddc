import type { BasisLine } from './basis.js'
import type { Task } from './component.js'
import { partOf, type Serve } from './fill.js'
import type { Offer } from './offer.js'
import { heldBy, isLoose, type LinePlan, planLine, planLineIn } from './plan.js'
import type { TieGround } from './tie-model.js'
import { type Cycle, isDealt, type Standing, type Use } from './walk-counters.js'
import { isStacked, looseWays, mayBeOff } from './walk-loose.js'

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

// A stackable benefit takes no pieces: what it comes to follows from what the others leave.
const nothing: Option = { use: { bought: 0, taken: [0], amount: 0 }, units: 0, serve: null }

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
  if (isStacked(offer)) return [nothing]
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
 * after it, or the lines weigh differently, ways that have a part in it are told apart to the end. Where plans are worked
 * out, so are other gains on the lines that weigh more: what they come to is then one sum for all that is not told apart.
 */
export function walkLinesOf(
  ground: TieGround,
  tied: readonly (TiedLine & Dealing)[],
  { weights, isWorkedOut, isApart }: Pick<Task, 'weights' | 'isWorkedOut'> & { readonly isApart: boolean },
): WalkLine[] | null {
  const entangled = new Set<number>()
  const light = Math.min(...(weights ?? [1]))
  for (const [index, offer] of ground.offers.entries()) {
    if (!isShared(offer)) continue
    const own = tied.filter(({ offers }) => offers.includes(index))
    const weight = isWorkedOut ? light : weights?.[own[0]!.at]
    const isEven = own.every((line) => isLastOn(ground, { line, offer, isApart }) && weights?.[line.at] === weight)
    if (!isEven) entangled.add(index)
  }
  let product = 1
  const lines = tied.map((each) => {
    const isTold = isWorkedOut === true && weights![each.at]! > light
    const line = walkLineOf(ground, each, { entangled, isTold })
    product *= line.apart.count
    return line
  })
  return product < Number.MAX_SAFE_INTEGER ? lines : null
}

interface Place {
  readonly line: TiedLine
  readonly offer: Offer
  readonly isApart: boolean
}

// Whether nothing comes after an offer on a line, and before a stackable one no other. What else is shared there leaves it
// less than it seems: that is worked out where ways are to be told apart for it.
function isLastOn({ lineOffers, offers }: TieGround, { line, offer, isApart }: Place): boolean {
  const { stacks } = lineOffers[line.at]!
  if (!isStacked(offer)) return stacks.length === 0
  const others = line.offers.filter((index) => offers[index] !== offer)
  return (
    stacks.at(-1) === offer &&
    !others.some((index) => isStacked(offers[index]!) || (isApart && isShared(offers[index]!)))
  )
}

interface Telling {
  readonly entangled: ReadonlySet<number>
  /** Whether ways of different gain are told apart. */
  readonly isTold: boolean
}

function walkLineOf(ground: TieGround, tied: TiedLine & Dealing, { entangled, isTold }: Telling): WalkLine {
  const { at, offers, standings, roles, options } = tied
  const ways: Way[] = []
  const numbers: number[] = []
  const told = new Map<number, number>()
  const numberOf = (gain: number) => {
    const number = told.get(gain) ?? (told.size === 0 ? 0 : count++)
    told.set(gain, number)
    return number
  }
  const busy: number[] = []
  let count = 1
  const wayOf = isPlain(ground, at) ? plainWays(ground, at) : null
  const chosen: Option[] = []
  const add = () => {
    const own = wayOf === null ? waysOf(ground, tied, { chosen, entangled }) : [wayOf(chosen)]
    let offersBusy = 0
    for (const { units } of chosen) offersBusy += Number(units > 0)
    for (const way of own) {
      ways.push(way)
      busy.push(offersBusy)
      const isEntangled = way.uses.some((use, of) => entangled.has(offers[of]!) && hasPart(chosen[of]!, use))
      numbers.push(isEntangled ? count++ : isTold ? numberOf(way.gain) : 0)
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

function hasPart({ units }: Option, { bought, amount }: Use): boolean {
  return units > bought || (units === 0 && amount > 0)
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

interface Dealt {
  readonly chosen: readonly Option[]
  readonly entangled: ReadonlySet<number>
}

function waysOf(ground: TieGround, tied: TiedLine, dealt: Dealt): Way[] {
  const { at, offers } = tied
  const { chosen } = dealt
  const line = ground.lines[at]!
  const fixed = chosen.flatMap(({ serve }) => serve ?? [])
  if (offers.some((index) => isStacked(ground.offers[index]!))) return waysBelow(ground, tied, { ...dealt, fixed })
  return plansOf(ground, at, fixed).map((plan) => {
    const { uses, taken } = usesOf(line, chosen, plan)
    const gain = heldBy(line) - plan.restBound + taken
    return { plan: () => plan, uses, gain, isSure: plan.rest === plan.restBound && !plan.stacks.some(isLoose) }
  })
}

// What offers have of a line in one of its plans, and what bundles take off it, which no line gains by itself.
function usesOf(
  line: BasisLine,
  chosen: readonly Option[],
  { off }: LinePlan,
): { readonly uses: Use[]; readonly taken: number } {
  const hold = off ? line.gross : heldBy(line)
  let taken = 0
  const uses = chosen.map((option) => {
    const { use, serve } = option
    if (serve === null || !isShared(serve.offer)) return use
    const amount = amountOf(line, option, hold)
    if (serve.offer.shape.kind !== 'bundle') return { ...use, amount }
    taken += amount
    return use
  })
  return { uses, taken }
}

// Where stackable benefits with a maximum amount stand on top. Ways that have a part in one that is entangled are told
// apart to the end, where they are worked out; in others, what is shared leaves it less than it seems.
function waysBelow(
  ground: TieGround,
  { at, offers }: TiedLine,
  { chosen, entangled, fixed }: Dealt & { fixed: readonly Serve[] },
): Way[] {
  const line = ground.lines[at]!
  const even = (offer: Offer) => !entangled.has(ground.offers.indexOf(offer))
  const isSettled = fixed.every(({ offer }) => !isShared(offer))
  return looseWays(line, ground.lineOffers[at]!, { fixed, even }).map(({ plan, restBound, amounts }) => {
    const dealt = usesOf(line, chosen, plan)
    const uses = dealt.uses.map((use, of) =>
      chosen[of] === nothing ? { ...use, amount: amounts.get(ground.offers[offers[of]!]!) ?? 0 } : use,
    )
    const gain = heldBy(line) - restBound + dealt.taken
    const areApart = [...amounts.keys()].every((offer) => !even(offer))
    return { plan: () => plan, uses, gain, isSure: plan.rest === restBound && (areApart || isSettled) }
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

// Ways to deal at most so many pieces to so many roles.
function choices(pieces: number, roles: number): number {
  let count = 1
  for (let role = 1; role <= roles; role++) count = (count * (pieces + role)) / role
  return count
}
