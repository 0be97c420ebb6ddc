import { type BasisLine, partOf } from '../base/basis.js'
import { type Money, sumOf } from '../base/money.js'
import { gainAlone, hasMaximum, heldBy, type LineOffers, planLine, replaces, stackOn } from '../lines/plan.js'
import { restsOf } from '../lines/settle-lines.js'
import type { OrderUse, Problem } from '../model/instance.js'
import { hasAmountMax, type Offer } from '../offers/offer.js'
import { keepOrders, orderAmountOf, placeOrders, type Settled } from '../order/orders.js'

export interface Rival {
  readonly value: number
  readonly by: readonly string[]
  readonly gives: Money
  readonly instead: Money
}

export type Rivals = (offer: Offer) => Rival | null

/** Stackable benefits of the outcome stay with a normal one, which then replaces only normal ones. */
export function rivalsIn(problem: Problem, settled: Settled): Rivals {
  const rests = restsOf(settled)
  const contest: Contest = {
    problem,
    settled,
    rests,
    sum: sumOf(rests),
    isFree: freeLines(problem, settled),
    besideKept: besideKeptIn(problem, settled),
  }
  return (offer) => (offer.shape.kind === 'order' ? orderRival(contest, offer) : lineRival(contest, offer))
}

interface Contest {
  readonly problem: Problem
  readonly settled: Settled
  readonly rests: readonly Money[]
  readonly sum: Money
  readonly isFree: (at: number) => boolean
  readonly besideKept: () => readonly Money[]
}

function lineRival(contest: Contest, offer: Offer): Rival | null {
  const { problem, settled, rests, isFree } = contest
  const { placed } = settled.orders
  if (!isPlain(problem, offer) || placed.some((each) => hasAmountMax(each.offer))) return null
  const { lines } = problem.basis
  let [best, behind, gives] = [-1, 0, 0]
  for (let index = 0; index < offer.lines.length; index++) {
    const at = offer.lines[index]!
    const gain = gainOn(lines[at]!, offer)
    const more = heldBy(lines[at]!) - gain - rests[at]!
    if (gain === 0 || (best !== -1 && more >= behind) || !isFree(at)) continue
    best = at
    behind = more
    gives = gain
  }
  return best === -1 ? null : onLine(contest, offer, { at: best, gives })
}

function onLine(
  contest: Contest,
  { benefit }: Offer,
  { at, gives }: { readonly at: number; readonly gives: Money },
): Rival {
  const { problem, settled, rests } = contest
  const line = problem.basis.lines[at]!
  const { serves } = settled.lines[at]!
  const normal = serves.map(({ offer }) => offer)
  const stacks = settled.stacked.filter(({ lines }) => lines.includes(at)).map(({ offer }) => offer)
  const staysBeside = benefit.combination === 'normal' && normal.length > 0 && line.own === 0
  const rest = staysBeside ? stackOn(line, stacks, line.gross - gives).rest : heldBy(line) - gives
  return {
    value: settled.value + settled.orders.net - netBelow(contest, settled.plan.orders.uses, { at, rest }),
    by: idsOf(staysBeside ? normal : [...normal, ...stacks]),
    gives,
    instead: staysBeside ? sumOf(serves.map(({ amount }) => amount)) : heldBy(line) - rests[at]!,
  }
}

function netBelow(
  { problem, rests, sum }: Pick<Contest, 'problem' | 'rests' | 'sum'>,
  uses: readonly OrderUse[],
  { at, rest }: { readonly at: number; readonly rest: Money },
): Money {
  const whole = problem.basis.lines.length
  if (uses.length > 1 && uses.some(({ lines }) => lines.length < whole)) {
    const nets = rests.with(at, rest)
    placeOrders(nets, uses)
    return sumOf(nets)
  }
  let net = sum - rests[at]! + rest
  for (const { offer, lines } of uses) {
    const base = lines.length === whole ? net : sumOf(lines.map((each) => (each === at ? rest : rests[each]!)))
    net -= orderAmountOf(offer, base)
  }
  return net
}

function orderRival(contest: Contest, offer: Offer): Rival | null {
  const { problem, settled, rests, besideKept } = contest
  const { placed, net } = settled.orders
  if (placed.length === 0 || offer.cost !== null || placed.some((each) => each.offer.cost !== null)) return null
  const left = problem.hasOrderDiscounts && !replaces(offer) ? besideKept() : rests
  const gives = orderAmountOf(
    offer,
    sumOver(offer, (at) => left[at]!),
  )
  if (gives === 0) return null
  const [first, ...others] = placed
  if (others.length > 0 && staysBeside(contest, offer)) {
    const uses = [{ offer, lines: offer.lines }, ...others]
    const below = netBelow(contest, uses, { at: 0, rest: rests[0]! })
    return { value: settled.value + net - below, by: idsOf([first!.offer]), gives, instead: first!.amount }
  }
  const value = settled.value + net - (sumOf(left) - gives)
  return { value, by: idsOf(placed.map((each) => each.offer)), gives, instead: sumOf(left) - net }
}

function staysBeside({ problem, settled }: Contest, { benefit }: Offer): boolean {
  const { placed } = settled.orders
  const isNormal = placed[0]!.offer.benefit.combination === 'normal' && benefit.combination === 'normal'
  return isNormal && !problem.hasOrderDiscounts && !placed.some((each) => hasAmountMax(each.offer))
}

function freeLines(problem: Problem, { lines, stacked }: Settled): Contest['isFree'] {
  const { unknown, free, tied } = freedom
  const known = new Uint8Array(lines.length)
  const stackedOn = new Uint8Array(lines.length)
  let isRead = false
  const readStacks = () => {
    isRead = true
    for (const { offer, lines: places } of stacked) {
      const freed = isPlain(problem, offer) ? free : tied
      for (const at of places) stackedOn[at] = Math.max(stackedOn[at]!, freed)
    }
  }
  return (at) => {
    if (!isRead) readStacks()
    if (known[at] === unknown) {
      const { serves } = lines[at]!
      const isAny = serves.length > 0 || stackedOn[at] !== unknown
      const isFree = isAny && stackedOn[at] !== tied && serves.every(({ offer }) => isPlain(problem, offer))
      known[at] = isFree ? free : tied
    }
    return known[at] === free
  }
}

const freedom = { unknown: 0, free: 1, tied: 2 } as const

function besideKeptIn({ basis }: Problem, settled: Settled): Contest['besideKept'] {
  let known: readonly Money[] | null = null
  return () => {
    if (known !== null) return known
    const left = restsOf(settled)
    keepOrders(basis, left)
    known = left
    return known
  }
}

function idsOf(offers: readonly Offer[]): readonly string[] {
  return offers.map(({ benefit }) => benefit.benefitId)
}

/** Lines of such an offer are independent: no order level, no shared maximum, money or account. */
export function isPlain({ hasOrderDiscounts }: Problem, offer: Offer): boolean {
  const isShared = hasMaximum(offer) || hasAmountMax(offer) || offer.cost !== null || offer.followers !== null
  return offer.shape.kind === 'line' && !hasOrderDiscounts && !isShared
}

export function gainOn(line: BasisLine, offer: Offer): number {
  if (offer.unitsMax >= line.pieces) return gainAlone(line, offer)
  if (line.own === 0) return offer.amountOn(line, offer.unitsMax, partOf(line, offer.unitsMax, line.gross))
  const plan = planLine(line, noOffers, [{ offer, pieces: offer.unitsMax, bought: 0 }])
  return Math.max(0, heldBy(line) - plan.rest)
}

const noOffers: LineOffers = { untied: [], stacks: [] }

export function sumOver({ lines }: Offer, amountOf: (at: number) => number): number {
  let sum = 0
  for (let index = 0; index < lines.length; index++) sum += amountOf(lines[index]!)
  return sum
}
