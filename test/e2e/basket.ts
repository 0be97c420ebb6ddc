import { randomUUID } from 'node:crypto'

/** Builds a basket as a POS of the sample programme's first venue sends it; totals follow from the lines. */
export interface BasketBuilder {
  line(line: Partial<LineBody> & { readonly unitPrice: number }): BasketBuilder
  /** Sets members of the body, foreign ones included. */
  with(members: Record<string, unknown>): BasketBuilder
  body(): BasketBody
  text(): string
}

// biome-ignore lint/suspicious/noExplicitAny: tests break bodies in every way
export type BasketBody = Record<string, any>
export type LineBody = BasketBody

export const berlin = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }

/** Starts a basket for a member (null: none), now. */
export function aBasket(loyaltyId: string | null = null, context: Record<string, unknown> = berlin): BasketBuilder {
  return build({
    calculationId: randomUUID(),
    loyaltyId,
    currency: 'EUR',
    requestedAt: new Date().toISOString(),
    context,
    lines: [],
  })
}

function build(members: BasketBody): BasketBuilder {
  return {
    line: (line) => build({ ...members, lines: [...members['lines'], lineBody(line, members['lines'].length)] }),
    with: (more) => build({ ...members, ...more }),
    body: () => ({ ...members, totals: members['totals'] ?? sumOf(members['lines']) }),
    text() {
      return JSON.stringify(this.body())
    },
  }
}

function lineBody(line: LineBody, at: number): LineBody {
  const quantity: number = line['quantity'] ?? 1
  const gross = Math.round((quantity * 1000 * (line['overrideUnitPrice'] ?? line['unitPrice'])) / 1000)
  const lineDiscount = (line['discounts'] ?? []).reduce((sum: number, { amount }: LineBody) => sum + amount, 0)
  return {
    lineId: `line-${at + 1}`,
    productId: `product-${at + 1}`,
    quantity,
    noDiscount: false,
    totals: { gross, lineDiscount, orderDiscount: 0, net: gross - lineDiscount },
    ...line,
  }
}

function sumOf(lines: readonly LineBody[]): LineBody {
  const total = (name: string) => lines.reduce((sum, line) => sum + line['totals'][name], 0)
  return {
    gross: total('gross'),
    lineDiscount: total('lineDiscount'),
    orderDiscount: total('orderDiscount'),
    net: total('net'),
  }
}

/** The sale event of a basket, charged as answered. */
export function aSale(basket: BasketBody, members: Record<string, unknown> = {}): BasketBody {
  return {
    calculationId: basket['calculationId'],
    status: 'applied',
    transactionId: `transaction-${basket['calculationId'].slice(0, 8)}`,
    ...(basket['loyaltyId'] === null ? {} : { loyaltyId: basket['loyaltyId'] }),
    currency: basket['currency'],
    occurredAt: new Date().toISOString(),
    context: basket['context'],
    ...members,
  }
}
