import { partOf, type Serve } from './fill.js'
import type { Offer } from './offer.js'
import { heldBy, isLoose, type LinePlan, planLine, planLineIn, replaces } from './plan.js'
import type { TieGround } from './tie-model.js'
import type { Standing, Use } from './walk-counters.js'

/** One way to serve a line: what the offers that tie lines have of it; the others share out what is left. */
export interface Way {
  readonly plan: LinePlan
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
  /** How many ways there are to deal its pieces to the roles. */
  readonly wayCount: number
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
  return tied.map((line) => ({ ...line, wayCount: choices(lines[line.at]!.pieces, line.roles.length) }))
}

/**
 * All ways to serve each line, in the same order; null where they are too many to be told apart.
 *
 * What several lines share, a bundle's saving or a maximum amount, is not known before the end. Where a percentage comes
 * after it, or the lines weigh differently, ways that have a part in it are told apart to the end.
 */
export function walkLinesOf(
  ground: TieGround,
  tied: readonly TiedLine[],
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

function walkLineOf(ground: TieGround, tied: TiedLine, entangled: ReadonlySet<number>): WalkLine {
  const { at, offers, standings, roles } = tied
  const line = ground.lines[at]!
  const own = offers.map((offer) => ground.offers[offer]!)
  const ways: Way[] = []
  const counts = roles.map(() => 0)
  const add = () => {
    const serves = servesOf(own, roles, counts)
    for (const plan of plansOf(ground, at, serves)) ways.push(wayOf(ground, tied, { own, counts, serves, plan }))
  }
  const deal = (role: number, free: number) => {
    if (role === roles.length) return add()
    const { of } = roles[role]!
    const most = Math.min(free, own[of]!.shape.kind === 'line' ? own[of]!.unitsMax : free)
    for (counts[role] = 0; counts[role]! <= most; counts[role]!++) deal(role + 1, free - counts[role]!)
    counts[role] = 0
  }
  deal(0, line.pieces)
  let count = 1
  const numbers = ways.map(({ uses }) =>
    uses.some(({ taken }, of) => entangled.has(offers[of]!) && taken.some((units) => units > 0)) ? count++ : 0,
  )
  return { at, offers, standings, roles, ways, apart: { count, numbers } }
}

/** Whether what an offer takes off a line depends on what it has of others. */
export function isShared({ shape, maximumAmount }: Offer): boolean {
  return shape.kind === 'bundle' || maximumAmount !== Number.POSITIVE_INFINITY
}

function servesOf(own: readonly Offer[], roles: readonly Role[], counts: readonly number[]): Serve[] {
  return own.flatMap((offer, of) => {
    let [pieces, bought] = [0, 0]
    for (const [role, { of: whose, isBought }] of roles.entries()) {
      if (whose !== of) continue
      if (isBought) bought += counts[role]!
      else pieces += counts[role]!
    }
    return pieces + bought === 0 ? [] : [{ offer, pieces, bought }]
  })
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

interface Dealt {
  readonly own: readonly Offer[]
  readonly counts: readonly number[]
  readonly serves: readonly Serve[]
  readonly plan: LinePlan
}

function wayOf({ lines }: TieGround, { at, roles }: TiedLine, { own, counts, serves, plan }: Dealt): Way {
  const line = lines[at]!
  const hold = plan.off ? line.gross : heldBy(line)
  let gain = heldBy(line) - plan.restBound
  const uses = own.map((offer, of): Use => {
    let bought = 0
    const taken = offer.shape.kind === 'bundle' ? offer.shape.components.map(() => 0) : [0]
    for (const [role, { of: whose, isBought, component }] of roles.entries()) {
      if (whose !== of) continue
      if (isBought) bought += counts[role]!
      else taken[component]! += counts[role]!
    }
    const pieces = serves.find((serve) => serve.offer === offer)?.pieces ?? 0
    if (pieces === 0 || !isShared(offer)) return { bought, taken, amount: 0 }
    const amount = offer.amountOn(line, pieces, partOf(line, pieces, hold))
    if (offer.shape.kind === 'bundle') gain += amount
    return { bought, taken, amount: offer.shape.kind === 'bundle' ? 0 : amount }
  })
  return { plan, uses, gain, isSure: plan.rest === plan.restBound && !plan.stacks.some(isLoose) }
}

// Ways to deal at most so many pieces to so many roles.
function choices(pieces: number, roles: number): number {
  let count = 1
  for (let role = 1; role <= roles; role++) count = (count * (pieces + role)) / role
  return count
}
