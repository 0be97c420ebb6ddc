import { totalsOf } from '../conformance/probe.js'
import type { PosBasket, PosLine } from '../pos-js/basket.js'
import { basketInCase, type Cases, type Change, setAt, valueAt } from './cases.js'

export interface AnswerParts {
  readonly cases: Cases
  readonly discountCode: string
  readonly product: Product | null
}

export interface Product {
  readonly productId: string
  readonly unitPrice: number
}

interface Places {
  readonly first: number
  readonly other: number
}

const grossMin = 5
const percentage = 20
const orderDiscountMax = 1_000

export function unfitness(basket: PosBasket): string | null {
  if (basket.lines.length < 2) return 'ring up at least two different products: this basket has one line'
  return placesIn(basket) === null ? 'ring up a product that may be discounted, at 5 minor units or more' : null
}

/** The basket of a POS, changed as a case changes its own: benefits first, then the faults, by the same difference. */
export function fitChange(changes: readonly Change[], sent: PosBasket, parts: AnswerParts): PosBasket {
  const places = placesIn(sent) ?? { first: 0, other: 0 }
  const done: Change[] = []
  let fitted: PosBasket = structuredClone(sent)
  for (const change of changes) {
    const sample = basketInCase(parts.cases, done)
    if (typeof change === 'string') fitted = changedBy(change, fitted, places, parts)
    else {
      for (const [path, value] of Object.entries(change)) {
        const here = pathIn(path, places, sent)
        setAt(fitted, here, fittedValue(value, valueAt(sample, path), { path: here, basket: fitted }))
      }
    }
    done.push(change)
  }
  return fitted
}

function placesIn({ lines }: PosBasket): Places | null {
  const first = lines.findIndex(({ noDiscount, totals }) => !noDiscount && totals.net >= grossMin)
  return first < 0 ? null : { first, other: first === 0 ? Math.min(1, lines.length - 1) : 0 }
}

function changedBy(name: string, basket: PosBasket, { first }: Places, parts: AnswerParts): PosBasket {
  if (name === 'discounted') return discounted(basket, first, parts.discountCode)
  if (name === 'order discount') return withOrderDiscount(basket, first, parts.discountCode)
  return withProduct(basket, parts.product ?? { productId: 'unknown', unitPrice: grossMin }, parts.discountCode)
}

function discounted(basket: PosBasket, first: number, lineDiscountCode: string): PosBasket {
  return withLines(basket, (line, at) => {
    if (at !== first) return line
    const { gross, orderDiscount } = line.totals
    const amount = Math.floor(((gross - orderDiscount) * percentage) / 100)
    const discounts = [{ type: 'percentage', percentage, amount, lineDiscountCode, text: `${percentage} %` }] as const
    return { ...line, discounts, totals: totalsWith(gross, amount, orderDiscount) }
  })
}

function withOrderDiscount(basket: PosBasket, first: number, lineDiscountCode: string): PosBasket {
  const { totals } = basket.lines[first]!
  const amount = Math.min(orderDiscountMax, Math.floor((totals.gross - totals.lineDiscount) / 2))
  const orderDiscountId = 'loyalty-1'
  const lines = withLines(basket, (line, at) => {
    const { gross, lineDiscount } = line.totals
    const taken = at === first ? amount : 0
    const orderDiscountAllocations = at === first ? [{ orderDiscountId, amount }] : []
    return { ...line, orderDiscountAllocations, totals: totalsWith(gross, lineDiscount, taken) }
  })
  return { ...lines, orderDiscounts: [{ orderDiscountId, type: 'amount', amount, lineDiscountCode, text: 'Loyalty' }] }
}

function withProduct(basket: PosBasket, { productId, unitPrice }: Product, lineDiscountCode: string): PosBasket {
  const free = { type: 'percentage', percentage: 100, amount: unitPrice, lineDiscountCode, text: 'Free' } as const
  const totals = totalsWith(unitPrice, unitPrice, 0)
  const line = { lineId: 'loyalty-1', productId, quantity: 1, unitPrice, noDiscount: false, addedByLoyalty: true }
  const lines = [...basket.lines, { ...line, discounts: [free], totals }]
  return { ...basket, lines, totals: totalsOf(lines) }
}

function withLines(basket: PosBasket, change: (line: PosLine, at: number) => PosLine): PosBasket {
  const lines = basket.lines.map(change)
  return { ...basket, lines, totals: totalsOf(lines) }
}

function totalsWith(gross: number, lineDiscount: number, orderDiscount: number) {
  return { gross, lineDiscount, orderDiscount, net: gross - lineDiscount - orderDiscount }
}

function pathIn(path: string, { first, other }: Places, sent: PosBasket): string {
  const places = [first, other, sent.lines.length]
  return path.replace(/^lines\.(\d)/, (_, digit: string) => `lines.${places[Number(digit)]}`)
}

interface Place {
  readonly path: string
  readonly basket: PosBasket
}

/** A number differs by as much as in the case, unless no sum could have it; other values stay. */
function fittedValue(value: unknown, sample: unknown, place: Place): unknown {
  const current = valueAt(place.basket, place.path)
  if (place.path.endsWith('.lineId')) return firstLineId(place)
  if (typeof current === 'number' && typeof sample === 'number') {
    if (typeof value === 'string') return String(current)
    if (typeof value === 'number') return isImpossible(value) ? value : current + (value - sample)
  }
  if (!isFields(value) || !isFields(sample)) return value
  const entries = Object.entries(value).map(([name, each]) => {
    const path = `${place.path}.${name}`
    return [name, fittedValue(each, sample[name], { ...place, path })]
  })
  return Object.fromEntries(entries)
}

function firstLineId({ path, basket }: Place): unknown {
  const at = Number(path.split('.')[1])
  return basket.lines[at === 0 ? 1 : 0]?.lineId
}

function isImpossible(value: number): boolean {
  return value <= 0 || value > Number.MAX_SAFE_INTEGER
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
