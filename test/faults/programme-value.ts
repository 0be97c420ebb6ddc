import { readFileSync } from 'node:fs'
import { type BasketAnswer, programmeFile, unitPrice } from './programme-limits.js'

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
export const unknownCard = 'card-of-nobody'

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
