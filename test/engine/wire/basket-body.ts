/** The object of a valid basket request, for tests to modify. */
export interface BasketBody {
  [member: string]: unknown
  lines: LineBody[]
  totals: Record<string, unknown>
  context: Record<string, unknown>
}

export interface LineBody {
  [member: string]: unknown
  totals: Record<string, unknown>
}

export const calculationId = '0a1b2c3d-4e5f-6789-abcd-ef0123456789'

/** One line of quantity 1 and no discounts. */
export function lineBody(lineId: string, unitPrice: number): LineBody {
  return {
    lineId,
    productId: `product of ${lineId}`,
    quantity: 1,
    unitPrice,
    noDiscount: false,
    totals: { gross: unitPrice, lineDiscount: 0, orderDiscount: 0, net: unitPrice },
  }
}

/** A basket of lines at 100, 200, 300 ..., with some fields of the POS's own. */
export function basketBody(lineCount = 2): BasketBody {
  const lines = Array.from({ length: lineCount }, (_, index) => ({
    ...lineBody(`line ${index + 1}`, 100 * (index + 1)),
    posNote: { kept: [index, 1.5, null] },
  }))
  const gross = 50 * lineCount * (lineCount + 1)
  return {
    calculationId,
    loyaltyId: 'member 1',
    currency: 'EUR',
    requestedAt: '2026-11-21T12:00:00+01:00',
    context: { venueId: 'venue 1', baxId: 'bax 1', cashRegisterId: 'register 1', channel: 'pos' },
    posOrder: 'order 7',
    lines,
    totals: { gross, lineDiscount: 0, orderDiscount: 0, net: gross },
  }
}

export function bytesOf(body: unknown): Uint8Array {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
