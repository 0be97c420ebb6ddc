import type { Basis, BasisLine } from '../base/basis.js'
import { bindingOnLineMax } from '../base/costs.js'
import { type Money, moneyMax, quantityTimes, sumOf } from '../base/money.js'
import { twoRoundings } from '../base/tolerance.js'
import { hasMaximum, type LineOffers } from '../lines/plan.js'
import { byTurn, isOnUnits, type Offer } from '../offers/offer.js'
import type { Completion, ComponentInstance, FreeUnits, LineInstance, OfferPartition, Problem } from './instance.js'
import type { Component } from './task.js'

export function partitionOffers(basis: Basis, offers: readonly Offer[], alone?: Problem['alone']): OfferPartition {
  const [untied, stacks, limited, tying, cappedStacks]: [Offer[], Offer[], Offer[], Offer[], Offer[]] = [
    [],
    [],
    [],
    [],
    [],
  ]
  for (const offer of offers) {
    const { shape, benefit, lines } = offer
    if (shape.kind === 'order' || lines.length === 0) continue
    if (benefit.combination === 'stackable') {
      const isTied = ties(basis, offer)
      if (isTied) cappedStacks.push(offer)
      stacks.push(isTied || !hasMaximum(offer) ? offer : { ...offer, maximumAmount: Number.POSITIVE_INFINITY })
    } else if (!isOnUnits(offer)) tying.push(offer)
    else if (ties(basis, offer)) limited.push(offer)
    else untied.push(offer)
  }
  const untiedOf = listsOf(basis.lines.length, untied)
  const stacksOf = listsOf(basis.lines.length, stacks.sort(byTurn))
  const added = limited.length === 0 ? [] : partitionLimited(basis, limited, { untiedOf, tying })
  if (added.length > 0) addTo(untiedOf, listsOf(basis.lines.length, added))
  const lineOffers = untiedOf.map((own, at): LineOffers => ({ untied: own, stacks: stacksOf[at]! }))
  for (const [at, followers] of alone ?? []) lineOffers[at] = { ...lineOffers[at]!, followers }
  const isMany =
    cappedStacks.length > bindingOnLineMax &&
    lineOffers.some(({ stacks }) => stacks.filter(hasMaximum).length > bindingOnLineMax)
  return { lineOffers, tying: tying.sort((a, b) => a.rank - b.rank), cappedStacks, binding: isMany ? [] : cappedStacks }
}

const none: readonly Offer[] = []

function listsOf(lineCount: number, offers: readonly Offer[]): (readonly Offer[])[] {
  const lists = new Array<readonly Offer[]>(lineCount).fill(none)
  if (offers.length === 0) return lists
  const counts = new Array<number>(lineCount).fill(0)
  for (let index = 0; index < offers.length; index++) {
    const { lines } = offers[index]!
    for (let entry = 0; entry < lines.length; entry++) counts[lines[entry]!]++
  }
  const parts: (Offer[] | null)[] = []
  for (let at = 0; at < lineCount; at++) {
    const count = counts[at]!
    const part = count === 0 || count === offers.length ? null : offers.slice(0, count)
    parts.push(part)
    if (count > 0) lists[at] = part ?? offers
    counts[at] = 0
  }
  for (let index = 0; index < offers.length; index++) {
    const { lines } = offers[index]!
    for (let entry = 0; entry < lines.length; entry++) {
      const at = lines[entry]!
      const part = parts[at]!
      if (part !== null) part[counts[at]!++] = offers[index]!
    }
  }
  return lists
}

function partitionLimited(
  basis: Basis,
  limited: readonly Offer[],
  { untiedOf, tying }: { untiedOf: readonly (readonly Offer[])[]; tying: Offer[] },
): Offer[] {
  const most = untiedOf.map((untied, at) => mostOf(basis.lines[at]!, untied))
  const added: Offer[] = []
  for (const offer of limited) {
    const isOpen = (at: number) => !isOutdone(basis.lines[at]!, offer, most[at]!)
    const narrowed = offer.lines.every(isOpen) ? offer : { ...offer, lines: offer.lines.filter(isOpen) }
    if (ties(basis, narrowed)) {
      tying.push(narrowed)
      continue
    }
    added.push(narrowed)
    for (const at of narrowed.lines) most[at] = Math.max(most[at]!, mostOf(basis.lines[at]!, [narrowed]))
  }
  return added
}

function addTo(lists: (readonly Offer[])[], others: readonly (readonly Offer[])[]): void {
  for (const [at, list] of lists.entries()) {
    if (others[at]!.length > 0) lists[at] = [...list, ...others[at]!].sort((a, b) => a.rank - b.rank)
  }
}

function mostOf(line: BasisLine, untied: readonly Offer[]): Money {
  let most = 0
  for (let index = 0; index < untied.length; index++) {
    const offer = untied[index]!
    if (!offer.wholeLine) most = Math.max(most, offer.amountOn(line, line.pieces, line.gross))
  }
  return most
}

// True: an untied offer gives more on any number of pieces, roundings included.
function isOutdone(line: BasisLine, offer: Offer, most: Money): boolean {
  const ahead = outdoneBy * line.pieces
  return (
    line.own === 0 &&
    line.cluster === undefined &&
    most > ahead &&
    most - offer.amountOn(line, line.pieces, line.gross) > ahead
  )
}

/** Minor units a piece by which one benefit must be ahead of another to be better on any number of pieces. */
const outdoneBy = twoRoundings + 1

// A limit or maximum ties lines only if their total exceeds it; units that must stay paid always do.
function ties(basis: Basis, offer: Offer): boolean {
  const { unitsMax, shape } = offer
  if (shape.kind === 'free' && shape.staysPaid !== null) return offer.lines.length > 0
  const amountMax = Math.min(offer.maximumAmount, offer.amountMax)
  let [pieces, amount] = [0, 0]
  for (let index = 0; index < offer.lines.length; index++) {
    const line = basis.lines[offer.lines[index]!]!
    pieces += line.pieces
    if (amountMax !== Number.POSITIVE_INFINITY) amount += offer.amountOn(line, line.pieces, line.gross)
    if (pieces > unitsMax || amount > amountMax) return true
  }
  return false
}

export function componentsOf(
  lineCount: number,
  { tying, binding }: Pick<OfferPartition, 'tying' | 'binding'>,
): Component[] {
  if (tying.length + binding.length === 0) return []
  const leader = new Int32Array(lineCount)
  for (let at = 0; at < lineCount; at++) leader[at] = at
  const find = (at: number): number => {
    while (leader[at] !== at) {
      leader[at] = leader[leader[at]!]!
      at = leader[at]!
    }
    return at
  }
  const tied = new Uint8Array(lineCount)
  // Many offers share one list of lines.
  const seen = new Set<readonly number[]>()
  const tie = (first: number, lines: readonly number[]) => {
    const count = seen.has(lines) ? 1 : lines.length
    seen.add(lines)
    let root = find(first)
    for (let index = 0; index < count; index++) {
      const other = find(lines[index]!)
      tied[lines[index]!] = 1
      if (other === root) continue
      leader[Math.max(other, root)] = Math.min(other, root)
      root = Math.min(other, root)
    }
  }
  for (const { lines, shape } of [...tying, ...binding]) {
    tie(lines[0]!, lines)
    if (shape.kind === 'buy_get') tie(lines[0]!, shape.buyLines)
  }
  const groups = new Map<number, { lines: number[]; offers: Offer[]; cappedStacks: Offer[] }>()
  const add = (offer: Offer, as: 'offers' | 'cappedStacks') => {
    const root = find(offer.lines[0]!)
    const group = groups.get(root) ?? { lines: [], offers: [], cappedStacks: [] }
    groups.set(root, group)
    group[as].push(offer)
  }
  for (const offer of tying) add(offer, 'offers')
  for (const offer of binding) add(offer, 'cappedStacks')
  for (let at = 0; at < lineCount; at++) if (tied[at] === 1) groups.get(find(at))!.lines.push(at)
  return [...groups.values()]
}

export function jointOf(components: readonly Component[]): Component {
  return {
    lines: components.flatMap(({ lines }) => lines).sort((a, b) => a - b),
    offers: components.flatMap(({ offers }) => offers).sort((a, b) => a.rank - b.rank),
    cappedStacks: components.flatMap(({ cappedStacks }) => cappedStacks),
  }
}

export function componentInstanceOf(
  { lines, lineOffers, alone }: LineInstance,
  component: Component,
): ComponentInstance {
  const { lines: positions, offers, cappedStacks } = component
  return {
    lines: positions.length === lines.length ? lines : positions.map((at) => lines[at]!),
    lineOffers: positions.map((at) => lineOffers[at]!),
    alone: positions.map((at) => alone[at]!),
    offers,
    cappedStacks,
    positions,
    indexOf: new Map(positions.map((at, index) => [at, index])),
  }
}

function chooseFree(basis: Basis, offers: readonly Offer[]): FreeUnits[] {
  const chosen: FreeUnits[] = []
  let room = roomForFree(basis)
  for (const each of freeIn(offers)) {
    if (each.gross > room) continue
    room -= each.gross
    chosen.push(each)
  }
  return chosen
}

/** Upper bound of the value of free products left out at `moneyMax`, minor units. */
export function freeLeftOut(basis: Basis, offers: readonly Offer[]): Money {
  const all = sumOf(freeIn(offers).map(({ gross }) => gross))
  const room = roomForFree(basis)
  return all <= room ? 0 : room - sumOf(chooseFree(basis, offers).map(({ gross }) => gross))
}

function roomForFree({ gross }: Basis): Money {
  return moneyMax - gross
}

function freeIn(offers: readonly Offer[]): FreeUnits[] {
  return offers.flatMap((offer) => {
    if (offer.shape.kind !== 'free') return []
    const { product, added: units } = offer.shape
    if (product === null) return []
    const gross = quantityTimes(units * 1000, product.unitPrice)
    return gross === 0 ? [] : [{ offer, units, gross, product }]
  })
}

export function completionOf({ basis, hasOrderDiscounts }: Problem, offers: readonly Offer[]): Completion {
  const orders = offers.filter(({ shape }) => shape.kind === 'order')
  const orderOffers = {
    normals: orders.filter(({ benefit }) => benefit.combination !== 'stackable'),
    stacks: orders.filter(({ benefit }) => benefit.combination === 'stackable').sort(byTurn),
    hasOrderDiscounts,
  }
  return { basis, orderOffers, free: chooseFree(basis, offers) }
}
