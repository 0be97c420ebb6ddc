import type { JsonSchema } from './published-schema.js'

/** One example of the contract: a request, and the answer of a staging deployment with the sample programme. */
export interface ContractExample {
  readonly summary: string
  readonly request: JsonSchema
  readonly answer: JsonSchema
}

type Examples = Readonly<Record<string, ContractExample>>

const context = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: 'register-2', channel: 'pos' }
const occurredAt = '2026-11-21T12:00:40+01:00'

function aBasket(calculationId: string, loyaltyId: string): JsonSchema {
  return {
    calculationId,
    loyaltyId,
    currency: 'NOK',
    requestedAt: '2026-11-21T12:00:00+01:00',
    context,
    tableNumber: 12,
    lines: [aLine(), aDeposit()],
    totals: { gross: 9_200, lineDiscount: 0, orderDiscount: 0, net: 9_200 },
  }
}

function aLine(): JsonSchema {
  return {
    lineId: '1',
    productId: 'cinnamon-bun',
    quantity: 2,
    unitPrice: 4_500,
    noDiscount: false,
    kitchenNote: 'warm',
    totals: { gross: 9_000, lineDiscount: 0, orderDiscount: 0, net: 9_000 },
  }
}

function aDeposit(): JsonSchema {
  return {
    lineId: '2',
    parentLineId: '1',
    productId: 'bottle-deposit',
    quantity: 1,
    unitPrice: 200,
    noDiscount: true,
    totals: { gross: 200, lineDiscount: 0, orderDiscount: 0, net: 200 },
  }
}

function aSale(calculationId: string, more: JsonSchema): JsonSchema {
  return { calculationId, currency: 'NOK', occurredAt, context, ...more }
}

const calculated = '5a8c9d7e-3f21-4b6a-9c0d-1e2f3a4b5c6d'
const untouched = '7b1d2e3f-4a5b-4c6d-8e9f-0a1b2c3d4e5f'
const unknownMember = '9c2e3f4a-5b6c-4d7e-8f90-1b2c3d4e5f60'

/** Basket calls with the staging test members (wire decisions 8). */
export const basketExamples: Examples = {
  applied: {
    summary: 'A member gets 20 % off what may be discounted; the fields of the POS come back.',
    request: aBasket(calculated, 'TEST-20-PERCENT'),
    answer: {
      calculationId: calculated,
      status: 'applied',
      basket: {
        ...aBasket(calculated, 'TEST-20-PERCENT'),
        lines: [
          {
            ...aLine(),
            totals: { gross: 9_000, lineDiscount: 1_800, orderDiscount: 0, net: 7_200 },
            discounts: [
              {
                type: 'percentage',
                percentage: 20,
                amount: 1_800,
                lineDiscountCode: 'THIRD_PARTY_LOYALTY',
                text: 'Test 20 %',
              },
            ],
          },
          aDeposit(),
        ],
        totals: { gross: 9_200, lineDiscount: 1_800, orderDiscount: 0, net: 7_400 },
      },
    },
  },
  unchanged: {
    summary: 'A member to whom nothing applies.',
    request: aBasket(untouched, 'TEST-UNCHANGED'),
    answer: { calculationId: untouched, status: 'unchanged', reason: 'no_benefits' },
  },
  member_not_found: {
    summary: 'An unknown member.',
    request: aBasket(unknownMember, 'TEST-NOT-FOUND'),
    answer: { calculationId: unknownMember, status: 'member_not_found' },
  },
}

/** Sale events of those baskets. */
export const saleExamples: Examples = {
  applied: {
    summary: 'The loyalty basket was charged.',
    request: aSale(calculated, {
      status: 'applied',
      transactionId: '2026-11-21-0042',
      receiptNumber: 42,
      loyaltyId: 'TEST-20-PERCENT',
      paidTotal: 7_400,
      loyaltyDiscountTotal: 1_800,
    }),
    answer: { calculationId: calculated, result: 'recorded' },
  },
  cancelled: {
    summary: 'The payment was abandoned.',
    request: aSale(untouched, { status: 'cancelled' }),
    answer: { calculationId: untouched, result: 'recorded' },
  },
  unknown_calculation: {
    summary: 'The loyalty step had failed before the service saw it.',
    request: aSale('0d3f4a5b-6c7d-4e8f-9012-3c4d5e6f7081', {
      status: 'failed',
      failureReason: 'timeout',
      transactionId: '2026-11-21-0043',
      paidTotal: 9_200,
    }),
    answer: { calculationId: '0d3f4a5b-6c7d-4e8f-9012-3c4d5e6f7081', result: 'unknown_calculation' },
  },
}

const returned = '3f8e1c2d-4b5a-4697-8c7d-9e0f1a2b3c4d'

function aReturn(more: JsonSchema): JsonSchema {
  const lines = [{ lineId: '1', quantity: 1 }]
  return {
    returnId: returned,
    calculationId: calculated,
    lines,
    occurredAt: '2026-11-22T10:00:00+01:00',
    context,
    ...more,
  }
}

/** Returns of the first sale. */
export const returnExamples: Examples = {
  quoted: {
    summary: 'What one of the two buns would refund.',
    request: aReturn({ dryRun: true }),
    answer: {
      ...{ returnId: returned, result: 'quoted', refund: 3_600 },
      lines: [{ lineId: '1', refund: 3_600 }],
      ...{ takenBack: 0, givenBack: 0 },
    },
  },
  recorded: {
    summary: 'One of the two buns comes back.',
    request: aReturn({}),
    answer: {
      ...{ returnId: returned, result: 'recorded', refund: 3_600 },
      lines: [{ lineId: '1', refund: 3_600 }],
      ...{ takenBack: 0, givenBack: 0 },
    },
  },
  unknown_calculation: {
    summary: 'The venue has no such sale.',
    request: aReturn({ returnId: '8d1f2a3b-5c6d-4e7f-8091-a2b3c4d5e6f7', calculationId: unknownMember }),
    answer: { returnId: '8d1f2a3b-5c6d-4e7f-8091-a2b3c4d5e6f7', result: 'unknown_calculation' },
  },
}

const twoFaults = [
  { field: 'lines[0].unitPrice', expected: 'an integer from 0 to 9007199254740991', received: '45.5' },
  { field: 'lines[1].noDiscount', expected: 'true or false', received: 'nothing' },
]

/** The 400 of the first example with a price in kroner and without a `noDiscount`. */
export const malformedExample: JsonSchema = {
  error: {
    code: 'invalid_request',
    message: `${twoFaults[0]!.field}: expected ${twoFaults[0]!.expected}`,
    details: { ...twoFaults[0], faults: twoFaults },
    requestId: '0b6f2f4e-1c83-4d2a-9a35-5e8a1f6b7c20',
  },
}

/** An error body (contract 2.6): the first example with totals that do not add up. */
export const errorExample: JsonSchema = {
  error: {
    code: 'arithmetic_mismatch',
    message: 'totals.net: expected 9200 (the sum over the lines)',
    details: { field: 'totals.net', expected: '9200', received: '9201' },
    requestId: '6f0a7b1c-2d3e-4f50-8a61-72839405a6b7',
  },
}

export function examplesOf(examples: Examples, side: 'request' | 'answer'): JsonSchema {
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, { summary: example.summary, value: example[side] }]),
  )
}
