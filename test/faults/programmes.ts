import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The programme of the fault runs. */
export const programmeFile = join(import.meta.dirname, 'programme.json')

/** Price of every product here without a benefit, in minor units. */
export const unitPrice = 120

/** A limited benefit of the programme. Each product has one benefit, so that an answer shows what it was granted. */
export interface LimitedProduct {
  readonly productId: string
  /** Discount of one unit on the line; null: the benefit counts baskets, with any quantity. */
  readonly perUnit: number | null
  readonly limits: readonly ProgrammeLimit[]
}

export interface ProgrammeLimit {
  readonly limitId: string
  readonly scope: 'everyone' | 'member' | 'venue'
  readonly period: 'ever' | 'day'
  readonly maximum: number
}

interface ProgrammeBenefit {
  readonly reward: { readonly select: { readonly productIds: readonly string[] }; readonly unitPrice?: number }
  readonly limits?: readonly ProgrammeLimit[]
}

const { benefits } = JSON.parse(readFileSync(programmeFile, 'utf8')) as { benefits: readonly ProgrammeBenefit[] }

export const limitedProducts: readonly LimitedProduct[] = benefits.flatMap(({ reward, limits }) =>
  limits === undefined
    ? []
    : [
        {
          productId: reward.select.productIds[0]!,
          perUnit: reward.unitPrice === undefined ? null : unitPrice - reward.unitPrice,
          limits,
        },
      ],
)

/** The maximum of each limit, by limitId. */
export const maxima: ReadonlyMap<string, number> = new Map(
  limitedProducts.flatMap(({ limits }) => limits.map(({ limitId, maximum }) => [limitId, maximum] as const)),
)

/** Units of one counter that an answer grants. */
export interface Grant {
  /** limitId, with the member or period where the limit is not global. */
  readonly counter: string
  readonly limitId: string
  readonly units: number
}

/** Units of limits that a basket's 200 grants, derived only from its discounts. */
export function grantsOf(answer: BasketAnswer): readonly Grant[] {
  if (answer.status !== 'applied') return []
  const { basket } = answer
  return limitedProducts.flatMap((product) => {
    const off = amountOff(basket, product.productId)
    if (off === 0) return []
    const units = product.perUnit === null ? 1 : off / product.perUnit
    return product.limits.map((limit) => ({ counter: counterOf(limit, basket), limitId: limit.limitId, units }))
  })
}

function amountOff({ lines }: AnsweredBasket, productId: string): number {
  const discounts = lines.flatMap((line) => (line.productId === productId ? (line.discounts ?? []) : []))
  return discounts.reduce((sum, { amount }) => sum + amount, 0)
}

interface AnsweredBasket {
  readonly loyaltyId: string
  readonly requestedAt: string
  readonly context: { readonly venueId: string }
  readonly lines: readonly { readonly productId: string; readonly discounts?: readonly { readonly amount: number }[] }[]
}

/** The fields of a basket's 200 that matter here. */
export type BasketAnswer =
  | { readonly status: 'applied'; readonly basket: AnsweredBasket }
  | { readonly status: 'unchanged' | 'member_not_found' }

function counterOf(
  { limitId, scope, period }: ProgrammeLimit,
  { loyaltyId, requestedAt, context }: AnsweredBasket,
): string {
  const subject = { everyone: '', member: loyaltyId, venue: context.venueId }[scope]
  return [limitId, subject, period === 'day' ? localDate(requestedAt) : ''].join('|')
}

const berlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' })

function localDate(moment: string): string {
  return berlin.format(new Date(moment))
}

/** Costs and earning rules of the fault programme, and their effects as read from an answer or a sale on the wire. */
interface CostedBenefit {
  readonly reward: { readonly select: { readonly productIds: readonly string[] }; readonly amount?: number }
  readonly costs?: { readonly currencyId: string; readonly amount: number }
}

/** As the programme has them: each without conditions, `per` units, amount or visit. */
export interface RuleOfProgramme {
  readonly ruleId: string
  readonly currencyId: string
  readonly give: number
  readonly per: { readonly amount: number } | { readonly units: number } | 'visit'
  readonly select?: { readonly productIds: readonly string[] }
}

const programme = JSON.parse(readFileSync(programmeFile, 'utf8')) as {
  readonly benefits: readonly CostedBenefit[]
  readonly earning: readonly RuleOfProgramme[]
}

/** A card that no member of the programme has: its sales earn nothing. */
export const unknownCard = 'unknown-card'

/** Earning rules, in the order of the programme. */
export const rules = programme.earning

/** Each costed benefit is for one product; `perPayment`: minor units that one payment of `amount` takes off. */
export const costedProducts = programme.benefits.flatMap(({ reward, costs }) =>
  costs === undefined
    ? []
    : [{ ...costs, productId: reward.select.productIds[0]!, perPayment: reward.amount ?? unitPrice }],
)

/** The spending of an answer's basket, by currency; empty: none. */
export function paymentsOf(answer: BasketAnswer): ReadonlyMap<string, number> {
  const payments = new Map<string, number>()
  if (answer.status !== 'applied') return payments
  for (const { productId, currencyId, amount, perPayment } of costedProducts) {
    const times = discountsOn(answer.basket.lines, productId) / perPayment
    if (times > 0) payments.set(currencyId, (payments.get(currencyId) ?? 0) + times * amount)
  }
  return payments
}

/** A line as it was charged. */
export interface ChargedLine {
  readonly productId: string
  readonly quantity: number
  readonly discounts?: readonly { readonly amount: number }[]
  readonly totals: { readonly net: number }
}

/** The count of a rule for a charged basket: minor units, whole units that were not free, or 1 for the visit. */
export function countedBy({ per, select }: RuleOfProgramme, lines: readonly ChargedLine[]): number {
  const paid = lines.filter(
    ({ productId, totals }) => totals.net > 0 && (select?.productIds.includes(productId) ?? true),
  )
  if (per === 'visit') return paid.length > 0 ? 1 : 0
  return paid.reduce((sum, line) => sum + ('amount' in per ? line.totals.net : line.quantity - freeUnits(line)), 0)
}

/** Units per `give`; 1 for a visit. */
export function stepOf({ per }: RuleOfProgramme): number {
  if (per === 'visit') return 1
  return 'amount' in per ? per.amount : per.units
}

/** Only tea is ever free. */
function freeUnits(line: ChargedLine): number {
  return line.productId === 'tea' ? discountsOn([line], 'tea') / unitPrice : 0
}

function discountsOn(lines: readonly Pick<ChargedLine, 'productId' | 'discounts'>[], productId: string): number {
  const discounts = lines.flatMap((line) => (line.productId === productId ? (line.discounts ?? []) : []))
  return discounts.reduce((sum, { amount }) => sum + amount, 0)
}
