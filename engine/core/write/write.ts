import type { Basis, BasisLine } from '../base/basis.js'
import type { Basket, OrderDiscountAllocation, Totals } from '../base/basket.js'
import { totalsOver } from '../base/identities.js'
import { withEntry } from '../base/lists.js'
import { type Money, quantityOne, quantityTimes } from '../base/money.js'
import type {
  AddedDiscount,
  OutcomeDiscount,
  OutcomeLine,
  OutcomeOrderDiscount,
  PricedBasket,
} from '../base/outcome.js'
import { spread } from '../base/spread.js'
import type { SettledLine, SettledServe, SettledStack } from '../lines/settle-lines.js'
import type { FreeUnits } from '../model/instance.js'
import type { Offer } from '../offers/offer.js'
import type { PlacedOrder, Settled } from '../order/orders.js'

const memberPriceText = 'Member price'

export interface Writing {
  readonly basket: Basket
  readonly basis: Basis
  readonly discountCode: string
}

export function writeBasket(settled: Settled, writing: Writing): PricedBasket {
  const { basket, basis, discountCode } = writing
  const lineIds = newIds(() => basis.lines.map(({ sent }) => sent.lineId))
  const orderIds = newIds(() =>
    basis.orderDiscounts.map(({ position }) => basket.orderDiscounts[position]!.orderDiscountId),
  )
  const placed = settled.orders.placed.map((order) => ({ order, id: orderIds(), next: 0 }))
  const written = { ...writing, settled, placed, lineIds }
  const all: (readonly [Part, ...Part[]])[] = []
  for (let at = 0; at < basis.lines.length; at++) all.push(partsOf(at, written))
  if (settled.stacked.length > 0) addStacks(all, settled.stacked, discountCode)
  const lines: OutcomeLine[] = []
  for (let at = 0; at < basis.lines.length; at++) writeLine(at, { parts: all[at]!, written, lines })
  for (const free of settled.plan.free) lines.push(addedLine(free, discountCode, lineIds()))
  return { lines, orderDiscounts: writeOrders(written), totals: totalsOver(lines) }
}

interface Written extends Writing {
  readonly settled: Settled
  readonly placed: readonly PlacedWithId[]
  readonly lineIds: () => string
}

interface PlacedWithId {
  readonly order: PlacedOrder
  readonly id: string
  next: number
}

interface Part {
  readonly pieces: number
  readonly override: Money | null
  readonly isOurs: boolean
  readonly gross: Money
  discounts: OutcomeDiscount[]
  amounts: Money[]
  allocations: OrderDiscountAllocation[]
  lineDiscount: Money
  orderDiscount: Money
}

function partsOf(at: number, written: Written): readonly [Part, ...Part[]] {
  const line = written.basis.lines[at]!
  const settled = written.settled.lines[at]!
  const parts = splitBy(line, settled)
  for (const part of parts) keepOwn(part, line, settled.off)
  addServes(parts[0], { line, settled, written })
  return parts
}

interface PartsWriting {
  readonly parts: readonly [Part, ...Part[]]
  readonly written: Written
  readonly lines: OutcomeLine[]
}

function writeLine(at: number, { parts, written, lines }: PartsWriting): void {
  const line = written.basis.lines[at]!
  addAllocations(parts, { line, at, written })
  lines.push(outcomeLine(parts[0], line, null))
  for (let index = 1; index < parts.length; index++) lines.push(outcomeLine(parts[index]!, line, written.lineIds()))
}

// The old price first, then overrides in the order of benefitId.
function splitBy(line: BasisLine, settled: SettledLine): [Part, ...Part[]] {
  if (!settled.serves.some(isOverride)) return [partOf(line, { pieces: line.pieces, price: null })]
  const overrides = settled.serves.flatMap(({ offer: { benefit }, pieces }) =>
    benefit.reward.kind === 'price_override' ? [{ pieces, price: benefit.reward.unitPrice }] : [],
  )
  const left = overrides.reduce((sum, { pieces }) => sum - pieces, line.pieces)
  if (left > 0) return [partOf(line, { pieces: left, price: null }), ...overrides.map((each) => partOf(line, each))]
  const [old, ...others] = overrides.toReversed()
  return [partOf(line, old!), ...others.toReversed().map((each) => partOf(line, each))]
}

function isOverride({ offer }: SettledServe): boolean {
  return offer.benefit.reward.kind === 'price_override'
}

const none: never[] = []

function partOf(line: BasisLine, { pieces, price }: { pieces: number; price: Money | null }): Part {
  const override = price ?? line.override
  const quantity = line.units === 0 ? line.quantity : pieces * quantityOne
  const gross = quantityTimes(quantity, override ?? line.sent.unitPrice)
  const isOurs = price !== null
  return {
    pieces,
    override,
    isOurs,
    gross,
    discounts: none,
    amounts: none,
    allocations: none,
    lineDiscount: 0,
    orderDiscount: 0,
  }
}

function keepOwn(part: Part, { sent, ownDiscounts }: BasisLine, off: boolean): void {
  for (const position of ownDiscounts) {
    const { amount } = sent.discounts[position]!
    if (off && amount > 0) continue
    put(part, { kind: 'kept', position }, amount)
  }
}

interface LineWriting {
  readonly line: BasisLine
  readonly settled: SettledLine
  readonly written: Written
}

function addServes(part: Part, { line, settled, written }: LineWriting): void {
  for (const { offer, pieces, share, amount } of settled.serves) {
    if (amount === 0 || offer.benefit.reward.kind === 'price_override') continue
    const isAll = share === undefined ? pieces === line.pieces : share.pieces === share.of
    const whole = isAll && !written.settled.capped.has(offer.rank)
    put(part, addedOf(offer, whole ? offer.percentage : null, written.discountCode), amount)
  }
}

function addStacks(
  all: readonly (readonly [Part, ...Part[]])[],
  stacked: readonly SettledStack[],
  discountCode: string,
): void {
  const counts = new Array<number>(all.length).fill(0)
  for (const { lines } of stacked) for (let index = 0; index < lines.length; index++) counts[lines[index]!]!++
  const said = counts.map((count) => new Array<AddedDiscount>(count))
  const taken = counts.map((count) => new Array<Money>(count))
  counts.fill(0)
  for (const { offer, capped, lines, amounts } of stacked) {
    const whole = addedOf(offer, capped ? null : offer.percentage, discountCode)
    const split = whole.percentage === null ? whole : addedOf(offer, null, discountCode)
    for (let index = 0; index < lines.length; index++) {
      const at = lines[index]!
      const next = counts[at]!++
      said[at]![next] = all[at]!.length === 1 ? whole : split
      taken[at]![next] = amounts[index]!
    }
  }
  for (let at = 0; at < all.length; at++) {
    const parts = all[at]!
    if (counts[at] === 0) continue
    if (parts.length === 1) putAll(parts[0], said[at]!, taken[at]!)
    else spreadStacks(parts, said[at]!, taken[at]!)
  }
}

// Computed once for the line and spread over its parts (3-benefits 2).
function spreadStacks(parts: readonly Part[], said: AddedDiscount[], taken: readonly Money[]): void {
  const held = parts.map(heldByPart)
  const all = parts.map(() => new Array<Money>(said.length))
  const areWhole = parts.map(() => true)
  for (let each = 0; each < said.length; each++) {
    const shares = spread(taken[each]!, held)
    for (let index = 0; index < parts.length; index++) {
      const share = shares[index]!
      all[index]![each] = share
      held[index]! -= share
      if (share === 0) areWhole[index] = false
    }
  }
  for (let index = 0; index < parts.length; index++) {
    const amounts = all[index]!
    if (areWhole[index]) putAll(parts[index]!, said, amounts)
    else {
      const stands = (_: unknown, each: number) => amounts[each]! > 0
      putAll(parts[index]!, said.filter(stands), amounts.filter(stands))
    }
  }
}

function putAll(part: Part, discounts: OutcomeDiscount[], amounts: Money[]): void {
  const isFirst = part.discounts.length === 0
  part.discounts = isFirst ? discounts : part.discounts.concat(discounts)
  part.amounts = isFirst ? amounts : part.amounts.concat(amounts)
  for (let each = 0; each < amounts.length; each++) part.lineDiscount += amounts[each]!
}

function put(part: Part, discount: OutcomeDiscount, amount: Money): void {
  part.discounts = withEntry(part.discounts, discount)
  part.amounts = withEntry(part.amounts, amount)
  part.lineDiscount += amount
}

function addedOf({ benefit }: Offer, percentage: number | null, lineDiscountCode: string): AddedDiscount {
  return {
    kind: 'added',
    type: percentage === null ? 'amount' : 'percentage',
    percentage,
    lineDiscountCode,
    text: benefit.reward.kind === 'member_price' ? memberPriceText : benefit.text,
    campaign: benefit.campaign,
  }
}

// The POS's allocations stay with the first part as far as possible; the service's are spread over all parts.
function addAllocations(
  parts: readonly Part[],
  { line, at, written }: { line: BasisLine; at: number; written: Written },
): void {
  const { settled, basket, basis, placed } = written
  for (const discount of discountsOf(line)) {
    if (!isKept(written, discount)) continue
    const amount = settled.orders.kept![discount]![at]!
    const sent = line.allocations.filter((each) => each.discount === discount)
    const { orderDiscountId } = basket.orderDiscounts[basis.orderDiscounts[discount]!.position]!
    if (amount === sent.reduce((sum, each) => sum + each.amount, 0) && heldByPart(parts[0]!) >= amount) {
      for (const each of sent) allocate(parts[0]!, orderDiscountId, each.amount)
      continue
    }
    let left = amount
    for (const part of parts) {
      const share = Math.min(left, heldByPart(part))
      left -= share
      if (share > 0) allocate(part, orderDiscountId, share)
    }
  }
  for (const each of placed) {
    const { lines, shares } = each.order
    if (lines[each.next] !== at) continue
    const share = shares[each.next++]!
    if (share === 0) continue
    if (parts.length === 1) allocate(parts[0]!, each.id, share)
    else allocateSpread(parts, each.id, share)
  }
}

function allocateSpread(parts: readonly Part[], orderDiscountId: string, amount: Money): void {
  const shares = spread(amount, parts.map(heldByPart))
  for (let index = 0; index < parts.length; index++) {
    if (shares[index]! > 0) allocate(parts[index]!, orderDiscountId, shares[index]!)
  }
}

const noDiscounts: readonly number[] = []

function discountsOf({ allocations }: BasisLine): Iterable<number> {
  return allocations.length === 0 ? noDiscounts : new Set(allocations.map(({ discount }) => discount))
}

function allocate(part: Part, orderDiscountId: string, amount: Money): void {
  part.allocations = withEntry(part.allocations, { orderDiscountId, amount })
  part.orderDiscount += amount
}

function heldByPart({ gross, lineDiscount, orderDiscount }: Part): Money {
  return gross - lineDiscount - orderDiscount
}

function outcomeLine(part: Part, line: BasisLine, splitId: string | null): OutcomeLine {
  return {
    kind: splitId === null ? 'sent' : 'split',
    source: line.position,
    lineId: splitId ?? line.sent.lineId,
    quantity: line.units === 0 ? line.quantity : part.pieces * quantityOne,
    overrideUnitPrice: part.override,
    splitFromLineId: splitId === null ? markOf(part, line) : line.sent.lineId,
    discounts: part.discounts,
    amounts: part.amounts,
    orderDiscountAllocations: part.allocations,
    totals: totalsOf(part),
    product: null,
  }
}

// A whole line with the service's override is marked as split from itself, so that a basket sent again does not count
// it as the POS's (wire decisions 9). The mark goes with the override.
function markOf({ isOurs }: Part, { sent, override }: BasisLine): string | null {
  if (isOurs) return sent.splitFromLineId ?? sent.lineId
  const isTakenOff = sent.splitFromLineId === sent.lineId && override !== sent.overrideUnitPrice
  return isTakenOff ? null : sent.splitFromLineId
}

function totalsOf(part: Part): Totals {
  const { gross, lineDiscount, orderDiscount } = part
  return { gross, lineDiscount, orderDiscount, net: heldByPart(part) }
}

function addedLine({ offer, units, gross, product }: FreeUnits, discountCode: string, lineId: string): OutcomeLine {
  return {
    kind: 'added',
    source: -1,
    lineId,
    quantity: units * quantityOne,
    overrideUnitPrice: null,
    splitFromLineId: null,
    discounts: [addedOf(offer, null, discountCode)],
    amounts: [gross],
    orderDiscountAllocations: [],
    totals: { gross, lineDiscount: gross, orderDiscount: 0, net: 0 },
    product,
  }
}

// A discount reduced to 0 is removed, with its allocations; one sent as 0 stays.
function isKept({ basis, settled }: Pick<Written, 'basis' | 'settled'>, discount: number): boolean {
  return basis.orderDiscounts[discount]!.amount === 0 || keptOf(settled, discount) > 0
}

function keptOf(settled: Settled, discount: number): Money {
  return settled.orders.kept![discount]!.reduce((sum, each) => sum + each, 0)
}

function writeOrders({ basis, settled, placed, discountCode }: Written): OutcomeOrderDiscount[] {
  const orders: OutcomeOrderDiscount[] = []
  for (const [discount, { position }] of basis.orderDiscounts.entries()) {
    if (isKept({ basis, settled }, discount)) orders.push({ kind: 'kept', position, amount: keptOf(settled, discount) })
  }
  for (const { order, id } of placed) {
    const { offer, amount, capped } = order
    const { kind, ...said } = addedOf(offer, capped ? null : offer.percentage, discountCode)
    orders.push({ kind, discount: { ...said, amount, orderDiscountId: id } })
  }
  return orders
}

// Most baskets need no ids; only those with the service's prefix can collide.
function newIds(taken: () => readonly string[]): () => string {
  let known: ReadonlySet<string> | null = null
  let number = 0
  return () => {
    known ??= new Set(taken().filter((id) => id.startsWith(ours)))
    do number++
    while (known.has(`${ours}${number}`))
    return `${ours}${number}`
  }
}

/** Prefix of ids that the service gives (3-benefits 2). */
const ours = 'loyalty-'
