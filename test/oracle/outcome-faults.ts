import type { Line } from '../../engine/core/base/basket.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../../engine/core/base/outcome.js'
import { groupFaults } from './group-faults.js'
import type { PricingCase } from './pricing-case.js'
import { readSentBasket } from './sent-basket.js'
import { spendingFaults, wantFaults, worthOf } from './spending-faults.js'
import { roundOf, sumOf } from './spread.js'
import { totalsOf } from './with-totals.js'

/** Faults of a calculation that no outcome may have, for any choice: one sentence each, none where all is well. */
export function outcomeFaults(question: PricingCase, calculation: Calculation): string[] {
  const { outcome } = calculation
  if (outcome.status === 'unchanged') {
    return [
      ...fault(calculation.value !== 0, `unchanged, but of value ${calculation.value}`),
      ...fault(calculation.wants.length > 0, 'unchanged, but it takes of limits'),
      ...fault(calculation.spending.length > 0, 'unchanged, but it spends'),
    ]
  }
  return [
    ...outcome.basket.lines.flatMap((line, at) => lineFaults(question, line, at)),
    ...flagFaults(question, outcome.basket),
    ...quantityFaults(question, outcome.basket),
    ...orderFaults(question, outcome.basket),
    ...sumFaults(question, calculation, outcome.basket),
    ...groupFaults(question.benefits, calculation),
    ...spendingFaults(question, calculation, outcome.basket),
    ...wantFaults(question, calculation, outcome.basket),
  ]
}

function fault(isOne: boolean, text: string): string[] {
  return isOne ? [text] : []
}

function sourceOf({ input }: PricingCase, line: OutcomeLine): Line | null {
  return line.source === -1 ? null : input.basket.lines[line.source]!
}

function amountsOf(question: PricingCase, line: OutcomeLine): number[] {
  return line.discounts.map((discount, at) =>
    discount.kind === 'added' ? line.amounts[at]! : sourceOf(question, line)!.discounts[discount.position]!.amount,
  )
}

/** Identities 1 to 4, the service's discounts, and lines that are not the POS's. */
function lineFaults(question: PricingCase, line: OutcomeLine, at: number): string[] {
  const { totals } = line
  const unitPrice = sourceOf(question, line)?.unitPrice ?? line.product!.unitPrice
  const amounts = amountsOf(question, line)
  const gross = roundOf(line.quantity, line.overrideUnitPrice ?? unitPrice, 1000)
  const text = (what: string) => `lines[${at}] (${line.lineId}): ${what}`
  return [
    ...fault(gross !== totals.gross, text(`gross ${totals.gross}, not ${gross}`)),
    ...fault(sumOf(amounts) !== totals.lineDiscount, text('lineDiscount is not the sum of its discounts')),
    ...fault(
      sumOf(line.orderDiscountAllocations.map((part) => part.amount)) !== totals.orderDiscount,
      text('orderDiscount is not the sum of its allocations'),
    ),
    ...fault(totals.net !== totals.gross - totals.lineDiscount - totals.orderDiscount, text('net does not add up')),
    ...fault(totals.net < 0, text('net is negative')),
    ...fault(line.kind === 'added' && totals.net !== 0, text('an added line is not free')),
    ...fault(isUnmarked(question, line), text('a price of ours carries no mark')),
    ...fault(amounts.join() !== line.amounts.join(), text('a retained discount is not reported with its amount')),
    ...line.discounts.flatMap((discount, position) => {
      if (discount.kind === 'kept') return []
      const { lineDiscountCode, type, percentage } = discount
      const amount = line.amounts[position]!
      const before = gross - sumOf(amounts.slice(0, position))
      const worked = type === 'percentage' ? roundOf(before, percentage ?? 0, 1_000_000) : amount
      return [
        ...fault(amount <= 0, text('a discount of 0 is added')),
        ...fault(lineDiscountCode !== question.input.discountCode, text('an added discount lacks the code')),
        ...fault(type === 'amount' && percentage !== null, text('an amount discount has a percentage')),
        ...fault(worked !== amount, text(`percentage gives ${worked}, not ${amount}`)),
      ]
    }),
  ]
}

/** A changed price that the POS did not send is ours, and must be marked as such. */
function isUnmarked(question: PricingCase, line: OutcomeLine): boolean {
  const sent = sourceOf(question, line)?.overrideUnitPrice ?? null
  return line.overrideUnitPrice !== sent && line.overrideUnitPrice !== null && line.splitFromLineId === null
}

/** Lines that never get a discount; own discounts of a line that stay or go together. */
function flagFaults(question: PricingCase, basket: PricedBasket): string[] {
  return basket.lines.flatMap((line, at) => {
    const source = sourceOf(question, line)
    if (source === null) return []
    const isOurs = (code: string | null) => code === question.input.discountCode
    // Discounts of 0 cannot be removed ("of the POS, with an amount above 0").
    const counts = (position: number) => source.discounts[position]!.amount > 0
    const pos = [...source.discounts.keys()].filter(
      (at) => counts(at) && !isOurs(source.discounts[at]!.lineDiscountCode),
    )
    const own = line.discounts.flatMap((discount) => (discount.kind === 'kept' ? [discount.position] : []))
    const kept = own.filter(counts)
    const isKept = kept.join() === pos.join()
    const isAdded = line.discounts.some((discount) => discount.kind === 'added')
    const carried = (parts: Line['orderDiscountAllocations'], id: string) =>
      sumOf(parts.filter((part) => part.orderDiscountId === id).map((part) => part.amount))
    const grown = line.orderDiscountAllocations.some(
      ({ orderDiscountId }) =>
        carried(line.orderDiscountAllocations, orderDiscountId) >
        carried(source.orderDiscountAllocations, orderDiscountId),
    )
    return [
      ...fault(kept.length > 0 && !isKept, `lines[${at}]: only some of its own discounts stay`),
      ...fault(
        line.discounts.some((discount, place) => discount.kind === 'kept' && place >= own.length),
        `lines[${at}]: own discounts do not come first`,
      ),
      ...fault(
        source.noDiscount && (isAdded || !isKept || line.kind === 'split' || grown),
        `lines[${at}]: a noDiscount line is touched`,
      ),
    ]
  })
}

/** Quantities are preserved, and lineIds are unique, new ones counted up in basket order. */
function quantityFaults({ input }: PricingCase, basket: PricedBasket): string[] {
  const sent = input.basket.lines
  const ids = basket.lines.map((line) => line.lineId)
  const taken = new Set(sent.filter((line) => !line.addedByLoyalty).map((line) => line.lineId))
  const fresh: string[] = []
  for (let number = 1; fresh.length < basket.lines.length; number += 1) {
    if (!taken.has(`loyalty-${number}`)) fresh.push(`loyalty-${number}`)
  }
  const news = basket.lines.filter((line) => line.kind !== 'sent').map((line) => line.lineId)
  return [
    ...sent.flatMap((line, position) => {
      const parts = basket.lines.filter((part) => part.source === position).map((part) => part.quantity)
      return fault(!line.addedByLoyalty && sumOf(parts) !== line.quantity, `line ${position} has lost or won units`)
    }),
    ...fault(new Set(ids).size !== ids.length, 'lineIds are not unique'),
    ...fault(news.join() !== fresh.slice(0, news.length).join(), `new lineIds ${news.join()}`),
  ]
}

/** Identity 5, and that an order discount of the POS never grows. */
function orderFaults({ input }: PricingCase, basket: PricedBasket): string[] {
  const orders = basket.orderDiscounts.map((order) =>
    order.kind === 'added'
      ? { id: order.discount.orderDiscountId, amount: order.discount.amount, added: order.discount, most: null }
      : {
          id: input.basket.orderDiscounts[order.position]!.orderDiscountId,
          amount: order.amount,
          added: null,
          most: input.basket.orderDiscounts[order.position]!.amount,
        },
  )
  const parts = basket.lines.flatMap((line) => line.orderDiscountAllocations)
  const known = new Set(orders.map((order) => order.id))
  return [
    ...fault(known.size !== orders.length, 'orderDiscountIds are not unique'),
    ...fault(
      parts.some((part) => !known.has(part.orderDiscountId)),
      'an allocation names no order discount',
    ),
    ...orders.flatMap(({ id, amount, added, most }) => {
      const sum = sumOf(parts.filter((part) => part.orderDiscountId === id).map((part) => part.amount))
      return [
        ...fault(sum !== amount, `order discount ${id} of ${amount} is allocated ${sum}`),
        ...fault(most !== null && amount > most, `order discount ${id} of the POS has grown`),
        ...fault(
          added !== null && (amount <= 0 || added.lineDiscountCode !== input.discountCode),
          `order discount ${id} is 0 or lacks the code`,
        ),
      ]
    }),
  ]
}

/** Identity 6, the value by its definition, and the figures of the report. */
function sumFaults(question: PricingCase, calculation: Calculation, basket: PricedBasket): string[] {
  const sums = totalsOf(basket.lines.map((line) => line.totals))
  const added = sumOf(basket.lines.filter((line) => line.kind === 'added').map((line) => line.totals.gross))
  const value = readSentBasket(question.input).net + added - sums.net - worthOf(question, calculation)
  const ours =
    sumOf(
      basket.lines.flatMap((line) =>
        line.discounts.flatMap(({ kind }, at) => (kind === 'added' ? [line.amounts[at]!] : [])),
      ),
    ) + sumOf(basket.orderDiscounts.flatMap((order) => (order.kind === 'added' ? [order.discount.amount] : [])))
  const figures = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const
  return [
    ...figures.flatMap((name) =>
      fault(basket.totals[name] !== sums[name], `totals.${name} is not the sum of the lines`),
    ),
    ...fault(calculation.value !== value, `value ${calculation.value}, but the basket has ${value}`),
    ...fault(calculation.netAfter !== sums.net, `netAfter ${calculation.netAfter}, not ${sums.net}`),
    ...fault(
      calculation.loyaltyDiscountTotal !== ours,
      `loyaltyDiscountTotal ${calculation.loyaltyDiscountTotal}, not ${ours}`,
    ),
  ]
}
