import { type BasisLine, partOf } from '../base/basis.js'
import { withEntry } from '../base/lists.js'
import { type Money, sumOf } from '../base/money.js'
import { spread } from '../base/spread.js'
import { amountOnFollower } from '../offers/following.js'
import {
  hasAmountMax,
  isJudgedTogether,
  isOnUnits,
  isShared,
  type Offer,
  type ShapeOf,
  savesTogether,
  unitsEach,
} from '../offers/offer.js'
import type { Serve } from './fill.js'
import { heldBy, type LinePlan, plansInCluster, replaces, replacesOn } from './plan.js'

export interface SettledServe extends Serve {
  readonly amount: Money
}

export interface SettledStack {
  readonly offer: Offer
  readonly capped: boolean
  readonly lines: readonly number[]
  readonly amounts: readonly Money[]
}

export interface SettledLine {
  readonly off: boolean
  readonly serves: readonly SettledServe[]
  readonly rest: Money
}

export function restsOf({ lines }: LineLevel): Money[] {
  return lines.map(({ rest }) => rest)
}

export interface LineLevel {
  readonly lines: readonly SettledLine[]
  readonly stacked: readonly SettledStack[]
  readonly capped: ReadonlySet<number>
}

/** Null where own discounts are off without a `replace` benefit (3-benefits 3), or a benefit takes more than the money left for it. */
export function settleLines(lines: readonly BasisLine[], plans: readonly LinePlan[]): LineLevel | null {
  if (lines.some(({ cluster }) => cluster !== undefined)) return settleClusters(lines, plans)
  const drafts: Draft[] = []
  const sharing: Draft[] = []
  let isStacked = false
  let mayLead = false
  for (let at = 0; at < plans.length; at++) {
    const plan = plans[at]!
    const draft = draftOf(lines[at]!, plan)
    drafts.push(draft)
    if (plan.serves.length > 0 && plan.serves.some(isSharing)) sharing.push(draft)
    isStacked ||= plan.stacks.length > 0
    mayLead ||= draft.mayLead
  }
  if (mayLead) keepLeading(lines, drafts)
  const capped = sharing.length === 0 ? noneCapped : spreadShared(sharing)
  if (sharing.length > 0 && !(areWithin(sharing) && arePaid(lines, plans))) return null
  for (let at = 0; at < drafts.length; at++) {
    const draft = drafts[at]!
    for (let index = 0; index < draft.serves.length; index++) draft.rest -= draft.serves[index]!.amount
  }
  const stacked = isStacked ? stackAll(lines, plans, drafts) : noneStacked
  if (sharing.length > 0) takeOffWorthless(sharing)
  for (let at = 0; at < drafts.length; at++) {
    if (lines[at]!.own > 0 && drafts[at]!.off !== anyReplaces(drafts[at]!)) return null
  }
  return { lines: drafts, stacked, capped }
}

// Each line of a cluster by itself; together they are one line again.
function settleClusters(lines: readonly BasisLine[], plans: readonly LinePlan[]): LineLevel | null {
  const all: BasisLine[] = []
  const allPlans: LinePlan[] = []
  const places: number[] = []
  for (const [at, line] of lines.entries()) {
    const { cluster } = line
    const members = cluster === undefined ? [line] : [cluster.leader, ...cluster.followers.map((each) => each.line)]
    all.push(...members)
    allPlans.push(...(cluster === undefined ? [plans[at]!] : plansInCluster(cluster, plans[at]!)))
    for (const _ of members) places.push(at)
  }
  const level = settleLines(all, allPlans)
  if (level === null) return null
  const merged = lines.map((): SettledLine[] => [])
  for (const [index, settled] of level.lines.entries()) merged[places[index]!]!.push(settled)
  return {
    lines: merged.map((members) => ({
      off: members[0]!.off,
      serves: members.flatMap(({ serves }) => serves),
      rest: sumOf(members.map(({ rest }) => rest)),
    })),
    stacked: level.stacked.map((each) => ({ ...each, lines: each.lines.map((index) => places[index]!) })),
    capped: level.capped,
  }
}

function isSharing({ offer }: Pick<Serve, 'offer'>): boolean {
  return !isOnUnits(offer) || isJudgedTogether(offer)
}

function areWithin(drafts: readonly Draft[]): boolean {
  let taken: Map<Offer, Money> | null = null
  for (const { serves } of drafts) {
    for (const { offer, amount } of serves) {
      if (!hasAmountMax(offer)) continue
      taken ??= new Map()
      const sum = (taken.get(offer) ?? 0) + amount
      if (sum > offer.amountMax) return false
      taken.set(offer, sum)
    }
  }
  return true
}

function arePaid(lines: readonly BasisLine[], plans: readonly LinePlan[]): boolean {
  const free = new Map<ShapeOf<'free'>, Map<number, number>>()
  for (const [at, { serves }] of plans.entries()) {
    for (const {
      offer: { shape },
      pieces,
    } of serves) {
      if (shape.kind !== 'free' || shape.staysPaid === null) continue
      const taken = free.get(shape) ?? new Map<number, number>()
      free.set(shape, taken.set(lines[at]!.position, pieces))
    }
  }
  for (const [{ staysPaid, added }, taken] of free) if (!staysPaid!(taken, added)) return false
  return true
}

// A benefit that takes nothing off in all, such as a bundle without saving, is not applied.
function takeOffWorthless(drafts: readonly Draft[]): void {
  const worthless = worthlessOffers(drafts)
  if (worthless.size === 0) return
  for (const draft of drafts) draft.serves = draft.serves.filter(({ offer }) => !worthless.has(offer))
}

function worthlessOffers(drafts: readonly Draft[]): ReadonlySet<Offer> {
  const worthless = new Set<Offer>()
  for (const { serves } of drafts) {
    for (const serve of serves) if (serve.amount <= 0 && isSharing(serve)) worthless.add(serve.offer)
  }
  if (worthless.size === 0) return worthless
  for (const { serves } of drafts) for (const { offer, amount } of serves) if (amount > 0) worthless.delete(offer)
  return worthless
}

const noServes: SettledServe[] = []
const noneStacked: readonly SettledStack[] = []
const noneCapped: ReadonlySet<number> = new Set()

interface Draft {
  readonly off: boolean
  readonly mayLead: boolean
  serves: readonly SettledServe[]
  isReplaced: boolean
  rest: Money
}

function draftOf(line: BasisLine, { off, serves }: LinePlan): Draft {
  const hold = off ? line.gross : heldBy(line)
  if (serves.length === 0) return { off, mayLead: false, serves: noServes, isReplaced: false, rest: hold }
  let settled = noServes
  let mayLead = false
  for (const { offer, pieces, bought, share } of serves) {
    if (share !== undefined) {
      const amount = amountOnFollower(offer, share, hold)
      if (amount > 0) settled = withEntry(settled, { offer, pieces, bought, share, amount })
      continue
    }
    const amount = pieces === 0 ? 0 : offer.amountOn(line, pieces, partOf(line, pieces, hold))
    const isIdle = amount === 0 && isOnUnits(offer)
    if (isIdle && offer.followers === null) continue
    mayLead ||= isIdle
    settled = withEntry(settled, { offer, pieces, bought, amount })
  }
  const isReplaced = line.own > 0 && !off && serves.some((serve) => replacesOn(line, serve))
  return { off, mayLead, serves: settled, isReplaced, rest: hold }
}

// A serve that takes nothing off its line stays where it takes something off a follower.
function keepLeading(lines: readonly BasisLine[], drafts: readonly Draft[]): void {
  const led = new Map<Offer, Set<number>>()
  for (const { serves } of drafts) {
    for (const { offer, share } of serves)
      if (share !== undefined) led.set(offer, (led.get(offer) ?? new Set()).add(share.leader))
  }
  for (const [at, draft] of drafts.entries()) {
    if (!draft.mayLead) continue
    const { position } = lines[at]!
    const leads = ({ offer }: Serve) => led.get(offer)?.has(position) === true
    draft.serves = draft.serves.filter((serve) => serve.amount > 0 || !isOnUnits(serve.offer) || leads(serve))
  }
}

function spreadShared(drafts: readonly Draft[]): ReadonlySet<number> {
  const capped = new Set<number>()
  const shared = new Map<Offer, { draft: Draft; position: number }[]>()
  for (const draft of drafts) {
    for (let position = 0; position < draft.serves.length; position++) {
      const { offer, pieces, share } = draft.serves[position]!
      if ((pieces === 0 && share === undefined) || !isShared(offer)) continue
      const places = shared.get(offer)
      if (places === undefined) shared.set(offer, [{ draft, position }])
      else places.push({ draft, position })
    }
  }
  for (const [offer, places] of shared) {
    const room = places.map(({ draft, position }) => draft.serves[position]!.amount)
    const most = mostOf(offer, places, room)
    if (sumOf(room) <= most) continue
    if (!savesTogether(offer)) capped.add(offer.rank)
    const amounts = spread(most, room)
    for (let index = 0; index < places.length; index++) {
      const { draft, position } = places[index]!
      draft.serves = draft.serves.with(position, { ...draft.serves[position]!, amount: amounts[index]! })
    }
  }
  return capped
}

function mostOf(offer: Offer, places: readonly { draft: Draft; position: number }[], room: readonly Money[]): Money {
  const { shape } = offer
  if (shape.kind !== 'bundle' || shape.pays.kind === 'percentage') return offer.maximumAmount
  const units = places.reduce((sum, { draft, position }) => sum + draft.serves[position]!.pieces, 0)
  const money = (units / unitsEach(shape.components)) * shape.pays.money
  return shape.pays.kind === 'amount' ? money : Math.max(0, sumOf(room) - money)
}

function stackAll(
  lines: readonly BasisLine[],
  plans: readonly LinePlan[],
  drafts: readonly Draft[],
): readonly SettledStack[] {
  const open: number[] = []
  for (let at = 0; at < plans.length; at++) if (plans[at]!.stacks.length > 0) open.push(at)
  const passed = new Int32Array(open.length)
  const turns = Float64Array.from(open, (at) => turnAt(plans[at]!.stacks, 0))
  const stacked: SettledStack[] = []
  const places: number[] = []
  const uncapped: Money[] = []
  let next = turns.reduce((least, turn) => Math.min(least, turn), Number.POSITIVE_INFINITY)
  while (next !== Number.POSITIVE_INFINITY) {
    const turn = next
    next = Number.POSITIVE_INFINITY
    let offer: Offer | null = null
    let count = 0
    for (let index = 0; index < open.length; index++) {
      if (turns[index] === turn) {
        const at = open[index]!
        const { stacks } = plans[at]!
        offer ??= stacks[passed[index]!]!
        places[count] = at
        uncapped[count++] = offer.amountOn(lines[at]!, lines[at]!.pieces, drafts[at]!.rest)
        passed[index]!++
        turns[index] = turnAt(stacks, passed[index]!)
      }
      if (turns[index]! < next) next = turns[index]!
    }
    const stack = stackOne(offer!, { drafts, places, uncapped, count })
    if (stack !== null) stacked.push(stack)
  }
  return stacked
}

function turnAt(stacks: readonly Offer[], index: number): number {
  return index < stacks.length ? stacks[index]!.turn : Number.POSITIVE_INFINITY
}

interface Stacking {
  readonly drafts: readonly Draft[]
  readonly places: number[]
  readonly uncapped: Money[]
  readonly count: number
}

function stackOne(offer: Offer, { drafts, places, uncapped, count }: Stacking): SettledStack | null {
  let sum = 0
  for (let index = 0; index < count; index++) sum += uncapped[index]!
  if (Math.min(sum, offer.maximumAmount) === 0) return null
  const capped = sum > offer.maximumAmount
  const amounts = capped ? spread(offer.maximumAmount, uncapped.slice(0, count)) : uncapped
  const isReplacing = replaces(offer)
  let kept = 0
  for (let index = 0; index < count; index++) {
    const amount = amounts[index]!
    if (amount === 0) continue
    const draft = drafts[places[index]!]!
    draft.rest -= amount
    draft.isReplaced ||= isReplacing
    places[kept] = places[index]!
    amounts[kept++] = amount
  }
  return { offer, capped, lines: places.slice(0, kept), amounts: amounts.slice(0, kept) }
}

// A unit of a bundle with a share of 0 is discounted too: the units would not cost the price without it.
function anyReplaces({ serves, isReplaced }: Draft): boolean {
  return isReplaced || serves.some(({ offer, amount }) => (amount > 0 || savesTogether(offer)) && replaces(offer))
}
