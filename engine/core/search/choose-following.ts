import { type Basis, type BasisLine, partOf } from '../base/basis.js'
import { followingsMax } from '../base/costs.js'
import { type Money, sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { adds, hasMaximum, type LineOffers, type LinePlan, plansInCluster, replaces, sharesIn } from '../lines/plan.js'
import { completionOf } from '../model/components.js'
import type { Completion, Problem } from '../model/instance.js'
import { onClusters } from '../offers/following.js'
import { hasAmountMax, isLeft, isOnUnits, isShared, type Offer } from '../offers/offer.js'
import { netBefore, type Settled } from '../order/orders.js'
import { type BasketChoice, settleBest } from './basket-instance.js'
import { chooseAmong } from './choose-among.js'
import { goesBefore } from './outcome-key.js'

/** A line that may follow others. */
interface Follower {
  readonly at: number
  readonly leaders: readonly number[]
  /** Its own benefits tie it to no other line: the search finds which is better, following or these. */
  readonly isFree: boolean
}

/**
 * The best outcome where lines follow others (3-benefits 1, lines below): each line with its followers is searched as
 * one line. A follower that other benefits tie to other lines, or that may follow several, is searched for each choice.
 */
export function chooseFollowing(problem: Problem, given: readonly Offer[]): BasketChoice {
  const offers = given.filter(isLeft)
  const { basis } = problem
  const all = followersIn(problem, offers)
  const clustered = all.filter(({ at, leaders }) => mayCluster(basis, offers, [at, ...leaders]))
  const tied = clustered.filter(({ isFree }) => !isFree)
  const free = new Set(clustered.filter(({ isFree }) => isFree).map(({ at }) => at))
  const choices = choicesOf(tied)
  const tried = choices.slice(0, followingsMax)
  const completion = completionOf(problem, offers)
  let [best, bound, steps]: [Settled | null, Money, number] = [null, 0, 0]
  for (const [index, choice] of tried.entries()) {
    const stepsMax = (problem.stepsMax - steps) / (tried.length - index)
    const leaderOf = new Map([
      ...clustered.flatMap(({ at, leaders, isFree }): [number, number][] => (isFree ? [[at, leaders[0]!]] : [])),
      ...choice,
    ])
    // A line that follows has no units for others to share.
    for (const [at, leader] of leaderOf) if (leaderOf.has(leader)) leaderOf.delete(at)
    const within = clusteredProblem({ ...problem, stepsMax }, offers, { leaderOf, free })
    const chosen = chooseAmong(within, within.offers)
    steps += chosen.steps
    bound = Math.max(bound, chosen.bound)
    const settled = settleBest(completion, plansApart(within.basis, chosen.settled.plan.lines))
    if (settled !== null && (best === null || goesBefore(settled, best))) best = settled
  }
  const apart = all.filter((each) => !clustered.includes(each))
  const settled = withFollowing(best!, apart, { completion, offers })
  const isBounded = choices.length === tried.length && areAlike(offers, clustered)
  const most = isBounded
    ? bound + sumOf(apart.map(({ at }) => basis.lines[at]!.gross))
    : netBefore(basis, completion.free)
  return { settled, bound: Math.max(settled.value, most), steps }
}

function isOrder({ shape }: Offer): boolean {
  return shape.kind === 'order'
}

function isNormal({ benefit }: Offer): boolean {
  return benefit.combination !== 'stackable'
}

function followersIn({ basis: { lines }, hasOrderDiscounts }: Problem, offers: readonly Offer[]): readonly Follower[] {
  const leadersOf = new Map<number, Set<number>>()
  const isJudged = new Set<number>()
  const isCapped = new Set<number>()
  const isLeader = new Set<number>()
  for (const offer of offers) {
    const own = new Set(offer.followers === null ? [] : offer.lines)
    for (const [leader, followers] of offer.followers ?? []) {
      if (!own.has(leader)) continue
      isLeader.add(leader)
      for (const at of followers) {
        leadersOf.set(at, (leadersOf.get(at) ?? new Set()).add(leader))
        if (hasAmountMax(offer)) isJudged.add(at)
        if (isShared(offer)) isCapped.add(at)
      }
    }
  }
  // What a follower leaves of a maximum amount goes to other lines: better where it has other benefits, or lines differ.
  const differ = hasOrderDiscounts || offers.some((each) => isOrder(each) && each.lines.length < lines.length)
  const onLines = offers.filter((offer) => !isOrder(offer))
  const normals = onLines.filter(isNormal)
  return [...leadersOf]
    .filter(([at]) => lines[at]!.gross > 0)
    .map(([at, leaders]) => {
      const own = normals.filter((offer) => linesOf(offer).includes(at))
      const isBetterAlone = differ || onLines.some((offer) => linesOf(offer).includes(at))
      const isUnknown = isLeader.has(at) || isJudged.has(at) || (isCapped.has(at) && isBetterAlone)
      const isFree = leaders.size === 1 && !isUnknown && own.every(isUntied)
      return { at, leaders: [...leaders], isFree }
    })
    .sort((a, b) => a.at - b.at)
}

function linesOf({ lines, shape }: Offer): readonly number[] {
  return shape.kind === 'buy_get' ? [...lines, ...shape.buyLines] : lines
}

function isUntied(offer: Offer): boolean {
  const { unitsMax, cost } = offer
  return (
    isOnUnits(offer) &&
    unitsMax === Number.POSITIVE_INFINITY &&
    !hasMaximum(offer) &&
    !hasAmountMax(offer) &&
    cost === null
  )
}

// Own discounts only on the leader, and there not below a minor unit a piece; no maximum of a stackable benefit.
function mayCluster({ lines }: Basis, offers: readonly Offer[], [at, ...leaders]: readonly number[]): boolean {
  const isCapped = offers.some(
    (offer) =>
      offer.benefit.combination === 'stackable' &&
      hasMaximum(offer) &&
      [at!, ...leaders].some((each) => offer.lines.includes(each)),
  )
  const isPlain = leaders.every((each) => {
    const { own, pieces } = lines[each]!
    return own === 0 || (own >= pieces && !offers.some((offer) => isWorthlessOn(offer, each, lines)))
  })
  return lines[at!]!.own === 0 && isPlain && !isCapped
}

// A leader that gains nothing keeps its own discounts: a cluster has them off where its followers gain.
function isWorthlessOn(offer: Offer, at: number, lines: Basis['lines']): boolean {
  const line = lines[at]!
  return (
    replaces(offer) && offer.followers?.has(at) === true && offer.amountOn(line, 1, partOf(line, 1, line.gross)) === 0
  )
}

/** Every choice of leaders; without an entry a line follows none. */
function choicesOf(tied: readonly Follower[]): readonly (readonly [number, number])[][] {
  let choices: (readonly [number, number])[][] = [[]]
  for (const { at, leaders } of tied) {
    choices = choices.flatMap((choice) => [...leaders.map((leader) => [...choice, [at, leader] as const]), choice])
    if (choices.length > followingsMax) return choices
  }
  return choices
}

// Order discounts over only some lines of a cluster are not bounded by it.
function areAlike(offers: readonly Offer[], followers: readonly Follower[]): boolean {
  const orders = offers.filter(isOrder).map(({ lines }) => new Set(lines))
  return orders.every((lines) =>
    followers.every(({ at, leaders }) => leaders.every((leader) => lines.has(at) === lines.has(leader))),
  )
}

interface Following {
  readonly leaderOf: ReadonlyMap<number, number>
  /** Followers that may serve others instead. */
  readonly free: ReadonlySet<number>
}

function clusteredProblem(problem: Problem, offers: readonly Offer[], { leaderOf, free }: Following): Problem {
  const { basis } = problem
  const inside = new Map<number, number[]>()
  for (const [at, leader] of leaderOf) inside.set(leader, [...(inside.get(leader) ?? []), at])
  const lines = basis.lines.map((line, at) =>
    leaderOf.has(at)
      ? emptied(line)
      : clusterOf(
          line,
          at,
          (inside.get(at) ?? []).map((each) => [each, basis.lines[each]!]),
        ),
  )
  const alone = new Map(
    [...inside].map(([leader, followers]) => {
      return [leader, followers.map((at) => aloneOffers(offers, at, free.has(at)))] as const
    }),
  )
  return { ...problem, basis: { ...basis, lines }, offers: offers.flatMap((offer) => without(offer, leaderOf)), alone }
}

function emptied(line: BasisLine): BasisLine {
  return { ...line, gross: 0, own: 0, ownDiscounts: [], allocations: [], net: 0 }
}

function clusterOf(line: BasisLine, at: number, followers: readonly (readonly [number, BasisLine])[]): BasisLine {
  if (followers.length === 0) return line
  const members = [line, ...followers.map(([, each]) => each)]
  return {
    ...line,
    gross: sumOf(members.map(({ gross }) => gross)),
    net: sumOf(members.map(({ net }) => net)),
    allocations: members.flatMap(({ allocations }) => allocations),
    cluster: { at, leader: line, followers: followers.map(([at, line]) => ({ at, line })) },
  }
}

// A tied follower that is inside a cluster follows: it has no normal ones by itself.
function aloneOffers(offers: readonly Offer[], at: number, isFree: boolean): LineOffers {
  const own = offers.filter((offer) => offer.lines.includes(at) && offer.shape.kind === 'line')
  return {
    untied: isFree ? own.filter((offer) => isNormal(offer) && isUntied(offer)) : [],
    stacks: own.filter(({ benefit }) => benefit.combination === 'stackable').sort((a, b) => a.turn - b.turn),
  }
}

// The offer without followers; none where it has no lines left.
function without(offer: Offer, leaderOf: ReadonlyMap<number, number>): readonly Offer[] {
  const { shape } = offer
  if (isOrder(offer) || offer.lines.length === 0) return [offer]
  const stays = (lines: readonly number[]) =>
    lines.some((at) => leaderOf.has(at)) ? lines.filter((at) => !leaderOf.has(at)) : lines
  const lines = stays(offer.lines)
  if (shape.kind === 'buy_get') {
    const buyLines = shape.buyLines === offer.lines ? lines : stays(shape.buyLines)
    return lines.length * buyLines.length === 0 ? [] : [{ ...onClusters(offer), lines, shape: { ...shape, buyLines } }]
  }
  if (shape.kind === 'bundle') {
    const components = shape.components.map((part) => ({ ...part, lines: stays(part.lines) }))
    const isWhole = components.every((part) => part.lines.length > 0)
    return isWhole ? [{ ...onClusters(offer), lines, shape: { ...shape, components } }] : []
  }
  return lines.length === 0 && shape.kind === 'line' ? [] : [{ ...onClusters(offer), lines }]
}

function plansApart({ lines }: Basis, plans: readonly LinePlan[]): readonly LinePlan[] {
  const apart = [...plans]
  for (const [at, { cluster }] of lines.entries()) {
    if (cluster === undefined) continue
    const [leader, ...followers] = plansInCluster(cluster, plans[at]!)
    apart[at] = leader!
    for (const [index, follower] of followers.entries()) apart[cluster.followers[index]!.at] = follower
  }
  return apart
}

interface Settling {
  readonly completion: Completion
  readonly offers: readonly Offer[]
}

// Lines outside the clusters follow where that is better.
function withFollowing(start: Settled, apart: readonly Follower[], { completion, offers }: Settling): Settled {
  let best = start
  const { lines } = completion.basis
  for (const { at, leaders } of apart) {
    if (!best.plan.lines[at]!.serves.every(({ offer }) => isOnUnits(offer))) continue
    for (const leader of leaders) {
      const cluster = { at: leader, leader: lines[leader]!, followers: [{ at, line: lines[at]! }] }
      for (const plan of leaderPlans(completion.basis, best.plan.lines, leader, offersLeading(offers, leader, at))) {
        const serves = sharesIn(cluster, plan, at)
        const { stacks, rest, restBound } = best.plan.lines[at]!
        for (const off of serves.length === 0 ? [] : [false, true]) {
          const own = off ? serves : serves.filter(({ offer }) => lines[at]!.own === 0 || adds(offer))
          const plans = best.plan.lines.with(leader, plan).with(at, { off, serves: own, stacks, rest, restBound })
          const settled = settleBest(completion, plans)
          if (settled !== null && goesBefore(settled, best)) best = settled
        }
      }
    }
  }
  return best
}

function offersLeading(offers: readonly Offer[], leader: number, follower: number): readonly Offer[] {
  return offers.filter(
    ({ shape, followers }) => shape.kind === 'line' && followers?.get(leader)?.includes(follower) === true,
  )
}

// As it is, and with its free units under a benefit that gains nothing there, but on the follower.
function leaderPlans(
  { lines }: Basis,
  plans: readonly LinePlan[],
  leader: number,
  offers: readonly Offer[],
): LinePlan[] {
  const plan = plans[leader]!
  const { own, pieces } = lines[leader]!
  const free = plan.serves.reduce((left, serve) => left - serve.pieces - serve.bought, pieces)
  const led = offers.flatMap((offer): Serve[] => {
    const used = plans.flatMap(({ serves }) => serves.filter((serve) => serve.offer.rank === offer.rank))
    const most = Math.min(free, offer.unitsMax - sumOf(used.map((serve) => serve.pieces)))
    if (most <= 0 || plan.serves.some((serve) => used.includes(serve))) return []
    return [{ offer: used[0]?.offer ?? offer, pieces: most, bought: 0, leads: true }]
  })
  const modes = own === 0 ? [plan.off] : [false, true]
  return [plan, ...led.flatMap((serve) => modes.map((off) => ({ ...plan, off, serves: [...plan.serves, serve] })))]
}
