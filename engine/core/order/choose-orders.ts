import type { Basis } from '../base/basis.js'
import { closeCellsMax, nanos, sharesPerUse, sharesPlacedMax, stepsOf } from '../base/costs.js'
import { type Money, percentageWhole, sumOf } from '../base/money.js'
import { winsTie } from '../lines/fill.js'
import { adds, replaces } from '../lines/plan.js'
import type { OrderOffers, OrderPlan, OrderUse } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import { areSame, coarseNet, leastNet, sumOn } from './order-bound.js'
import { keepOrders, orderAmountOf, placeOrders } from './orders.js'

export interface OrderChoice {
  readonly plan: OrderPlan
  readonly net: Money
  readonly steps: number
}

const noUses: readonly OrderUse[] = []

/** One normal order benefit at most (3-benefits 3). Exact if all stackable ones look at the same lines, else bounded by `orderBound`. */
export function chooseOrders(basis: Basis, rests: readonly Money[], offers: OrderOffers): OrderChoice {
  if (!offers.hasOrderDiscounts) return chooseIn(basis, rests, { ...offers, off: false })
  const kept = chooseIn(basis, rests, { ...adding(offers), off: false })
  if (!offers.normals.some(replaces) && !offers.stacks.some(replaces)) return kept
  const off = chooseIn(basis, rests, { ...offers, off: true })
  const stands = off.plan.uses.some(({ offer }) => replaces(offer))
  return { ...(stands && off.net < kept.net ? off : kept), steps: kept.steps + off.steps }
}

function adding({ normals, stacks, hasOrderDiscounts }: OrderOffers): OrderOffers {
  return { normals: normals.filter(adds), stacks: stacks.filter(adds), hasOrderDiscounts }
}

export function orderBound(basis: Basis, rests: readonly Money[], offers: OrderOffers): Money {
  if (!offers.hasOrderDiscounts) return boundIn(rests, offers)
  const kept = boundIn(roomBeside(basis, rests), adding(offers))
  if (!offers.normals.some(replaces) && !offers.stacks.some(replaces)) return kept
  return Math.min(kept, boundIn(rests, offers))
}

function boundIn(room: readonly Money[], { normals, stacks }: OrderOffers): Money {
  if (stacks.length === 0) return sumOf(room) - bestNormal(room, normals).most
  return choicesOver(room, normals, stacks)[0]!.least
}

interface OrderCase extends OrderOffers {
  readonly off: boolean
}

function chooseIn(basis: Basis, rests: readonly Money[], mode: OrderCase): OrderChoice {
  const { off, normals, stacks } = mode
  const room = off || !mode.hasOrderDiscounts ? rests : roomBeside(basis, rests)
  if (stacks.length > 0) return chooseStacked(mode, room)
  const { winner, most } = bestNormal(room, normals)
  const net = sumOf(room) - most
  const uses = winner === null ? noUses : [{ offer: winner, lines: winner.lines }]
  return { plan: { off, uses }, net, steps: stepsOf(sharesOf(normals) * nanos.share) }
}

function bestNormal(room: readonly Money[], normals: readonly Offer[]): { winner: Offer | null; most: Money } {
  let winner: Offer | null = null
  let most = 0
  for (const offer of normals) {
    let base = 0
    for (let index = 0; index < offer.lines.length; index++) base += room[offer.lines[index]!]!
    const amount = orderAmountOf(offer, base)
    if (amount === 0 || amount < most) continue
    if (amount > most || winsTie(offer, winner!)) winner = offer
    most = amount
  }
  return { winner, most }
}

function roomBeside(basis: Basis, rests: readonly Money[]): Money[] {
  const room = [...rests]
  keepOrders(basis, room)
  return room
}

interface Stacked {
  readonly offers: readonly Offer[]
  readonly rank: number
  readonly least: Money
}

// By rising bound; ties keep the earlier rank first.
function choicesOver(room: readonly Money[], normals: readonly Offer[], stacks: readonly Offer[]): Stacked[] {
  const boundOf = areManyCells(normals, stacks) ? coarseNet(room, stacks) : null
  const choices = [null, ...normals].map((normal, rank) => {
    const offers = normal === null ? stacks : [normal, ...stacks]
    return { offers, rank, least: boundOf === null ? leastNet(room, offers) : boundOf(normal) }
  })
  return choices.sort((a, b) => a.least - b.least)
}

function areManyCells(normals: readonly Offer[], stacks: readonly Offer[]): boolean {
  return sharesOf(stacks) * (normals.length + 1) + sharesOf(normals) > closeCellsMax
}

/** `chooseOrders` is exact if all offers of a choice look at the same lines; with too many cells bounds are coarse. */
export function findsLowest({ normals, stacks }: OrderOffers): boolean {
  return stacks.length === 0 || !areManyCells(normals, stacks)
}

export function sharesPlaced(offers: readonly Offer[]): number {
  return sharesOf(offers) + offers.length * sharesPerUse
}

function sharesOf(offers: readonly Offer[]): number {
  return offers.reduce((sum, { lines }) => sum + lines.length, 0)
}

function chooseStacked({ off, normals, stacks }: OrderCase, room: readonly Money[]): OrderChoice {
  const choices = choicesOver(room, normals, stacks)
  let best: { plan: OrderPlan; net: Money; rank: number } | null = null
  let placed = 0
  const wins = (net: Money, rank: number) => best === null || net < best.net || (net === best.net && rank < best.rank)
  for (const { offers, rank, least } of choices) {
    if (!wins(least, rank) || placed > sharesPlacedMax) break
    const isLevel = haveSameLines(offers)
    placed += isLevel ? offers[0]!.lines.length : sharesPlaced(offers)
    for (const { uses, net } of isLevel ? [takeLevel(room, offers)] : takeSpread(room, offers)) {
      if (wins(net, rank)) best = { plan: { off, uses }, net, rank }
    }
  }
  const bounded = linesBounded(normals, stacks)
  return { plan: best!.plan, net: best!.net, steps: stepsOf(bounded * nanos.entry + placed * nanos.placed) }
}

export function linesBounded(normals: readonly Offer[], stacks: readonly Offer[]): number {
  const stacked = sharesOf(stacks)
  return sharesOf(normals) + (areManyCells(normals, stacks) ? stacked : stacked * (normals.length + 1))
}

interface Taken {
  readonly uses: readonly OrderUse[]
  readonly net: Money
}

// Only the sum matters; a smaller base before a benefit never leaves a larger one after it.
function takeLevel(room: readonly Money[], offers: readonly Offer[]): Taken {
  let base = sumOf(offers[0]!.lines.map((at) => room[at]!))
  let net = sumOf(room)
  const uses: OrderUse[] = []
  for (const offer of offers) {
    const amount = orderAmountOf(offer, base)
    if (amount > 0) uses.push(onAllLines(offer))
    base -= amount
    net -= amount
  }
  return { uses, net }
}

function takeSpread(room: readonly Money[], offers: readonly Offer[]): Taken[] {
  const beside = besideLater(room, offers)
  const isApart = beside.some(({ offer, lines }) => lines.length < offer.lines.length)
  const all = offers.map(onAllLines)
  return (isApart ? [all, beside] : [all]).map((wanted) => {
    const nets = [...room]
    const uses = placeOrders(nets, wanted).map(({ offer, lines }) => ({ offer, lines }))
    return { uses, net: sumOf(nets) }
  })
}

function onAllLines(offer: Offer): OrderUse {
  return { offer, lines: offer.lines }
}

// A fixed amount goes on the lines from which later benefits take least.
function besideLater(room: readonly Money[], offers: readonly Offer[]): OrderUse[] {
  const weights = weightsLater(room, offers)
  const nets = [...room]
  return offers.map((offer, index) => {
    const use = { offer, lines: heaviestOf(nets, offer, weights[index]!) }
    placeOrders(nets, [use])
    return use
  })
}

function weightsLater(room: readonly Money[], offers: readonly Offer[]): Float64Array[] {
  const weights = new Float64Array(room.length).fill(1)
  const all: Float64Array[] = []
  for (const offer of offers.toReversed()) {
    all.unshift(weights.slice())
    const base = sumOn(room, offer.lines)
    const amount = orderAmountOf(offer, base)
    const left = amount === base ? 0 : isFixed(offer, amount) ? 1 : 1 - offer.percentage! / percentageWhole
    for (const at of offer.lines) weights[at]! *= left
  }
  return all
}

function isFixed(offer: Offer, amount: Money): boolean {
  return offer.percentage === null || amount === offer.maximumAmount
}

// By falling weight until the amount is reached; of the last level the cheapest line that suffices.
function heaviestOf(nets: readonly Money[], offer: Offer, weights: Float64Array): readonly number[] {
  const amount = orderAmountOf(offer, sumOn(nets, offer.lines))
  const isEven = offer.lines.every((at) => weights[at] === weights[offer.lines[0]!])
  if (isEven || !isFixed(offer, amount)) return offer.lines
  const byWeight = offer.lines.filter((at) => nets[at]! > 0).sort((one, other) => weights[other]! - weights[one]!)
  let base = 0
  for (let index = 0; index < byWeight.length; ) {
    const level = byWeight.filter((at) => weights[at] === weights[byWeight[index]!])
    const chosen = byWeight.slice(0, index)
    const single = level.filter((at) => orderAmountOf(offer, base + nets[at]!) >= amount)
    if (index > 0 && single.length > 0) {
      const cheapest = single.reduce((least, at) => (nets[at]! < nets[least]! ? at : least))
      return [...chosen, cheapest].sort((one, other) => one - other)
    }
    base += sumOn(nets, level)
    index += level.length
    if (orderAmountOf(offer, base) >= amount) return byWeight.slice(0, index).sort((one, other) => one - other)
  }
  return offer.lines
}

export function haveSameLines([first, ...others]: readonly Offer[]): boolean {
  return others.every(({ lines }) => areSame(lines, first!.lines))
}
