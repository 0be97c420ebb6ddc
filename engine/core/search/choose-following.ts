import { type Basis, type BasisLine, partOf } from '../base/basis.js'
import { followingsMax } from '../base/costs.js'
import { subsetsOf, withEntry } from '../base/lists.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import {
  adds,
  hasMaximum,
  heldBy,
  type LineOffers,
  type LinePlan,
  plansInCluster,
  replaces,
  sharesIn,
  untouchedPlan,
} from '../lines/plan.js'
import { completionOf } from '../model/components.js'
import type { Completion, Problem } from '../model/instance.js'
import { amountOnFollower, onClusters, withFollowers } from '../offers/following.js'
import { hasAmountMax, isLeft, isOnUnits, isShared, type Offer } from '../offers/offer.js'
import { percentageOn } from '../offers/rate.js'
import { netBefore, type Settled } from '../order/orders.js'
import { type BasketChoice, kindsOf, settleBest, setupSteps } from './basket-instance.js'
import { chooseAmong } from './choose-among.js'
import { goesBefore } from './outcome-key.js'

/** A line that may follow others. */
interface Follower {
  readonly at: number
  readonly leaders: readonly number[]
  /** Benefits with a maximum that they lead: each may leave it out, though others that it follows do not. */
  readonly capping: readonly Offer[]
  /** Its own benefits tie it to no other line: the search finds which is better, following or these. */
  readonly isFree: boolean
}

/** The line that a follower follows, and what becomes of its own discounts. */
interface Lead {
  readonly at: number
  readonly leader: number
  readonly own: 'none' | 'off' | 'kept'
  readonly leftOutBy: readonly Offer[]
}

/**
 * The best outcome where lines follow others (3-benefits 1, lines below): each line with its followers is searched as
 * one line. A follower that other benefits tie to other lines, that may follow several or has own discounts is searched
 * for each choice. If they are too many: all follow, none does, and one by one otherwise.
 */
export function chooseFollowing(problem: Problem, given: readonly Offer[]): BasketChoice {
  const offers = given.filter(isLeft)
  const { basis } = problem
  const all = followersIn(problem, offers)
  const clustered = all.filter(({ at, leaders }) => mayCluster(basis, offers, [at, ...leaders]))
  const tied = clustered.filter(({ isFree }) => !isFree)
  const free = clustered.flatMap(({ at, leaders, isFree }) =>
    isFree ? [{ at, leader: leaders[0]!, own: 'none' as const, leftOutBy: [] }] : [],
  )
  const { choices, isWhole } = choicesOf(tied.map((each) => leadsOf(basis, offers, each)))
  const completion = completionOf(problem, offers)
  const mostOn = (followers: readonly Follower[]) =>
    sumOf(followers.map((each) => mostByFollowing(basis, offers, each)))
  const before = netBefore(basis, completion.free)
  const setup = setupSteps({ basis, offers })
  let [best, bound, steps, searched]: [Settled | null, Money, number, number] = [null, 0, 0, 0]
  let most = before
  for (const choice of choices) {
    if (searched > 0) steps += setup
    if (best !== null && steps >= problem.stepsMax) break
    const stepsMax = Math.max(0, problem.stepsMax - steps) / (choices.length - searched++)
    const within = clusteredProblem({ ...problem, stepsMax }, offers, leadsTogether(free, choice))
    const chosen = chooseAmong(within, within.offers)
    steps += chosen.steps
    bound = Math.max(bound, chosen.bound)
    if (choice.length === 0) most = Math.min(before, chosen.bound + mostOn(tied))
    const settled = settleBest(completion, plansApart(basis, within.basis, chosen.settled.plan.lines))
    if (settled !== null && (best === null || goesBefore(settled, best))) best = settled
  }
  if (isWhole && searched === choices.length) most = bound
  const apart = all.filter((each) => !clustered.includes(each))
  best ??= settleBest(completion, basis.lines.map(untouchedPlan))!
  const settled = withFollowing(best, apart, { completion, offers })
  return { settled, bound: Math.max(settled.value, Math.min(before, most + mostOn(apart))), steps }
}

// Upper bound of what a line gains by following, over an outcome where it follows none; a rounding for each benefit.
function mostByFollowing({ lines }: Basis, offers: readonly Offer[], { at, leaders }: Follower): Money {
  const leading = leaders.flatMap((leader) => offersLeading(offers, leader, at))
  const share = Math.max(...leading.map((offer) => percentageOn(offer)!)) / percentageWhole
  return Math.min(heldBy(lines[at]!), Math.ceil(share * lines[at]!.gross) + offers.length)
}

// A line that follows has no units for others to share.
function leadsTogether(free: readonly Lead[], choice: readonly Lead[]): Leads {
  const leads = new Map([...free, ...choice].map((lead) => [lead.at, lead]))
  for (const [at, { leader }] of leads) if (leads.has(leader)) leads.delete(at)
  return { leads, free: new Set(free.map(({ at }) => at)) }
}

function isOrder({ shape }: Offer): boolean {
  return shape.kind === 'order'
}

function isNormal({ benefit }: Offer): boolean {
  return benefit.combination !== 'stackable'
}

function followersIn({ basis: { lines }, hasOrderDiscounts }: Problem, offers: readonly Offer[]): readonly Follower[] {
  const leadersOf = new Map<number, Set<number>>()
  const isLeader = new Set<number>()
  for (const offer of offers) {
    const own = new Set(offer.followers === null ? [] : offer.lines)
    for (const [leader, followers] of offer.followers ?? []) {
      if (!own.has(leader)) continue
      isLeader.add(leader)
      for (const at of followers) leadersOf.set(at, (leadersOf.get(at) ?? new Set()).add(leader))
    }
  }
  const orders = offers.filter(isOrder)
  const isEven = !hasOrderDiscounts && orders.every((each) => isNormal(each) || each.lines.length === lines.length)
  const kinds = kindsOf(lines.length, orders)
  const onLines = offers.filter((offer) => !isOrder(offer))
  const normals = onLines.filter(isNormal)
  return [...leadersOf]
    .filter(([at]) => lines[at]!.gross > 0)
    .map(([at, leadersOfLine]) => {
      const leaders = [...leadersOfLine]
      const own = normals.filter((offer) => linesOf(offer).includes(at))
      const leading = leaders.flatMap((leader) => offersLeading(offers, leader, at))
      const others = onLines.filter((offer) => linesOf(offer).includes(at))
      // A maximum amount that a follower leaves goes to other lines: better only where what follows takes less there.
      const isEvenUnder = (offer: Offer) =>
        isEven && withFollowers(offer.lines, offer.followers!).every((each) => kinds[each] === kinds[at])
      const capping = leading.filter(
        (offer) => hasAmountMax(offer) || (isShared(offer) && !(others.every(isNormal) && isEvenUnder(offer))),
      )
      const isUnknown = isLeader.has(at) || capping.length > 0 || (others.length > 0 && leading.some(isShared))
      const isFree = leaders.length === 1 && !isUnknown && lines[at]!.own === 0 && own.every(isUntied)
      return { at, leaders, capping, isFree }
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

// A leader's own discounts are not below a minor unit a piece; no maximum of a stackable benefit.
function mayCluster({ lines }: Basis, offers: readonly Offer[], [at, ...leaders]: readonly number[]): boolean {
  const isCapped = offers.some(
    (offer) =>
      !(isNormal(offer) || isOrder(offer)) &&
      hasMaximum(offer) &&
      [at!, ...leaders].some((each) => offer.lines.includes(each)),
  )
  const isPlain = leaders.every((each) => {
    const { own, pieces } = lines[each]!
    return own === 0 || (own >= pieces && !offers.some((offer) => isWorthlessOn(offer, each, lines)))
  })
  return isPlain && !isCapped
}

// A leader that gains nothing keeps its own discounts: a cluster has them off where its followers gain.
function isWorthlessOn(offer: Offer, at: number, lines: Basis['lines']): boolean {
  const line = lines[at]!
  return (
    replaces(offer) && offer.followers?.has(at) === true && offer.amountOn(line, 1, partOf(line, 1, line.gross)) === 0
  )
}

// Own discounts are off or kept as the benefits that lead it have them. To follow none of them is another choice.
function leadsOf({ lines }: Basis, offers: readonly Offer[], { at, leaders, capping }: Follower): readonly Lead[] {
  const stacked = offers.filter((offer) => !isNormal(offer) && offer.lines.includes(at))
  const leads: Lead[] = []
  for (const leader of leaders) {
    const leading = offersLeading(offers, leader, at)
    const capped = leading.filter((offer) => capping.includes(offer)).slice(0, followingsMax)
    for (const taking of subsetsOf(capped)) {
      const leftOutBy = capped.filter((offer) => !taking.includes(offer))
      const left = leading.filter((offer) => !leftOutBy.includes(offer))
      if (left.length === 0 || leads.length > followingsMax) break
      if (lines[at]!.own === 0) leads.push({ at, leader, own: 'none', leftOutBy })
      else {
        if ([...left, ...stacked].some(replaces)) leads.push({ at, leader, own: 'off', leftOutBy })
        if (left.some(adds)) leads.push({ at, leader, own: 'kept', leftOutBy })
      }
    }
  }
  return leads
}

function choicesOf(leads: readonly (readonly Lead[])[]) {
  let all: (readonly Lead[])[] = [[]]
  for (const own of leads) {
    all = all.flatMap((choice) => [...own.map((lead) => [...choice, lead]), choice])
    if (all.length > followingsMax) break
  }
  const [first, ...others] = all
  if (all.length <= followingsMax) return { choices: [first!, ...others.reverse()], isWhole: true }
  const following = leads.map(([lead]) => lead!)
  const changed = leads.flatMap((own, index) => [
    ...own.slice(1).map((lead) => following.with(index, lead)),
    following.toSpliced(index, 1),
  ])
  return { choices: [following, [], ...changed].slice(0, followingsMax), isWhole: false }
}

interface Leads {
  /** By follower. */
  readonly leads: ReadonlyMap<number, Lead>
  /** Followers that may serve others instead. */
  readonly free: ReadonlySet<number>
}

function clusteredProblem(problem: Problem, offers: readonly Offer[], { leads, free }: Leads): Problem {
  const { basis } = problem
  const inside = new Map<number, number[]>()
  for (const [at, { leader }] of leads) inside.set(leader, withEntry(inside.get(leader) ?? [], at))
  const lines = basis.lines.map((line, at) => {
    if (leads.has(at)) return emptied(line)
    const followers = inside.get(at) ?? []
    return clusterOf(
      line,
      at,
      followers.map((each) => [each, settledOwn(basis.lines[each]!, leads.get(each)!)]),
    )
  })
  const alone = new Map(
    [...inside].map(([leader, followers]) => {
      return [leader, followers.map((at) => aloneOffers(offers, leads.get(at)!, free.has(at)))] as const
    }),
  )
  return { ...problem, basis: { ...basis, lines }, offers: offers.flatMap((offer) => without(offer, leads)), alone }
}

// As a line without own discounts: they are off, or no benefit takes them off.
function settledOwn(line: BasisLine, { own }: Lead): BasisLine {
  if (own === 'none') return line
  const base = { ...line, own: 0, ownDiscounts: [] }
  return own === 'off' ? { ...base, net: line.net + line.own } : { ...base, gross: heldBy(line) }
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
function aloneOffers(offers: readonly Offer[], { at, own }: Lead, isFree: boolean): LineOffers {
  const onLine = offers.filter((offer) => offer.lines.includes(at) && offer.shape.kind === 'line')
  const stacks = onLine.filter((offer) => !isNormal(offer) && (own !== 'kept' || adds(offer)))
  return {
    untied: isFree ? onLine.filter((offer) => isNormal(offer) && isUntied(offer)) : [],
    stacks: stacks.sort((a, b) => a.turn - b.turn),
  }
}

// The offer without followers; none where it has no lines left. One of the order counts all of a cluster or nothing.
function without(offer: Offer, leads: Leads['leads']): readonly Offer[] {
  const { shape } = offer
  if (isOrder(offer)) {
    const lines = new Set(offer.lines)
    for (const { at, leader } of leads.values()) if (lines.has(at)) lines.add(leader)
    return lines.size === offer.lines.length ? [offer] : [{ ...offer, lines: [...lines].sort((a, b) => a - b) }]
  }
  if (offer.lines.length === 0) return [offer]
  const stays = (lines: readonly number[]) =>
    lines.some((at) => leads.has(at)) ? lines.filter((at) => !leads.has(at)) : lines
  const lines = stays(offer.lines)
  const changed = { ...onClusters(withoutLeftOut(offer, leads)), lines }
  if (shape.kind === 'buy_get') {
    const buyLines = shape.buyLines === offer.lines ? lines : stays(shape.buyLines)
    return lines.length * buyLines.length === 0 ? [] : [{ ...changed, shape: { ...shape, buyLines } }]
  }
  if (shape.kind === 'bundle') {
    const components = shape.components.map((part) => ({ ...part, lines: stays(part.lines) }))
    const isWhole = components.every((part) => part.lines.length > 0)
    return isWhole ? [{ ...changed, shape: { ...shape, components } }] : []
  }
  return lines.length === 0 && shape.kind === 'line' ? [] : [changed]
}

// A benefit that takes own discounts off leaves out followers that keep theirs.
function withoutLeftOut(offer: Offer, leads: Leads['leads']): Offer {
  const isLeftOut = ({ own, leftOutBy }: Lead) => (own === 'kept' && replaces(offer)) || leftOutBy.includes(offer)
  const out = new Set([...leads.values()].filter(isLeftOut).map(({ at }) => at))
  if (offer.followers === null || out.size === 0) return offer
  const followers = new Map([...offer.followers].map(([leader, own]) => [leader, own.filter((at) => !out.has(at))]))
  return { ...offer, followers }
}

function plansApart(basis: Basis, clustered: Basis, plans: readonly LinePlan[]): readonly LinePlan[] {
  const apart = [...plans]
  for (const [at, { cluster }] of clustered.lines.entries()) {
    if (cluster === undefined) continue
    const [leader, ...followers] = plansInCluster(cluster, plans[at]!)
    apart[at] = leader!
    for (const [index, follower] of followers.entries()) {
      const { at, line } = cluster.followers[index]!
      apart[at] = { ...follower, off: basis.lines[at]!.own > 0 && isReplaced(line, follower) }
    }
  }
  return apart
}

function isReplaced({ gross }: BasisLine, { serves, stacks }: LinePlan): boolean {
  const isServed = serves.some(({ offer, share }) => replaces(offer) && amountOnFollower(offer, share!, gross) > 0)
  return isServed || stacks.some(replaces)
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
  return offers.filter(({ followers }) => followers?.get(leader)?.includes(follower) === true)
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
    if (offer.shape.kind !== 'line') return []
    const used = plans.flatMap(({ serves }) => serves.filter((serve) => serve.offer.rank === offer.rank))
    const most = Math.min(free, offer.unitsMax - sumOf(used.map((serve) => serve.pieces)))
    if (most <= 0 || plan.serves.some((serve) => used.includes(serve))) return []
    return [{ offer: used[0]?.offer ?? offer, pieces: most, bought: 0 }]
  })
  const modes = own === 0 ? [plan.off] : [false, true]
  return [plan, ...led.flatMap((serve) => modes.map((off) => ({ ...plan, off, serves: [...plan.serves, serve] })))]
}
