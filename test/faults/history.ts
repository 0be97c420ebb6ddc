/** Requests and answers of a run as its client saw them, independent of the ledger. Moments are of its monotonic clock, ms. */
export type Endpoint = 'basket' | 'sale'

/** One request on the wire, from its sending to an answer, or to nothing. */
export interface Attempt {
  readonly gateway: number
  readonly sentAt: number
  /** null: reset, refused, or given up by us. */
  answer: SeenAnswer | null
  /** Where there is none: what the connection died of. */
  lost?: string
  endedAt: number | null
}

export interface SeenAnswer {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
  readonly retryAfter: string | null
  readonly replayed: boolean
}

/** One wish of a POS, with all its attempts; several calls may share a key. */
export interface Call {
  readonly endpoint: Endpoint
  readonly key: string
  /** The body, byte for byte the same in every attempt. */
  readonly body: string
  /** The calculation that this basket supersedes. */
  readonly supersedes: string | null
  readonly attempts: Attempt[]
}

/** The answer that settled a call: the first that is neither 503, 429 nor 408; null while there is none. */
export function finalAnswer(call: Call): SeenAnswer | null {
  return call.attempts.find(({ answer }) => answer !== null && isFinal(answer))?.answer ?? null
}

/** 408 says that the request has not arrived whole, as happens where a whole machine stands still: it was not looked at. */
function isFinal({ status }: SeenAnswer): boolean {
  return status !== 503 && status !== 429 && status !== 408
}

/** Every attempt that got a 200. */
export function answered(call: Call): readonly (Attempt & { readonly answer: SeenAnswer; readonly endedAt: number })[] {
  return call.attempts.filter(
    (attempt): attempt is Attempt & { answer: SeenAnswer; endedAt: number } => attempt.answer?.status === 200,
  )
}

interface Totals {
  readonly gross: number
  readonly lineDiscount: number
  readonly orderDiscount: number
  readonly net: number
}

interface Line {
  readonly lineId: string
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number
  readonly discounts?: readonly { readonly amount: number }[]
  readonly orderDiscountAllocations?: readonly { readonly orderDiscountId: string; readonly amount: number }[]
  readonly totals: Totals
}

/** A basket as it stands in an answer. */
export interface SeenBasket {
  readonly lines: readonly Line[]
  readonly orderDiscounts?: readonly { readonly orderDiscountId: string; readonly amount: number }[]
  readonly totals: Totals
}

/** The arithmetic identities of wire decisions 1 that a basket breaks, computed independently; whole quantities only. */
export function faultyIdentities({ lines, orderDiscounts = [], totals }: SeenBasket): readonly string[] {
  const allocations = lines.flatMap((line) => line.orderDiscountAllocations ?? [])
  const wrong = [
    ...lines.flatMap(faultyLine),
    ...orderDiscounts
      .filter(
        ({ orderDiscountId: id, amount }) =>
          sum(allocations.filter((each) => each.orderDiscountId === id).map((each) => each.amount)) !== amount,
      )
      .map(({ orderDiscountId }) => `allocations of ${orderDiscountId}`),
    ...allocations
      .filter((each) => !orderDiscounts.some(({ orderDiscountId }) => orderDiscountId === each.orderDiscountId))
      .map(({ orderDiscountId }) => `no order discount ${orderDiscountId}`),
  ]
  const names = ['gross', 'lineDiscount', 'orderDiscount', 'net'] as const
  return [...wrong, ...names.filter((name) => sum(lines.map((line) => line.totals[name])) !== totals[name])]
}

function faultyLine(line: Line): readonly string[] {
  const { gross, lineDiscount, orderDiscount, net } = line.totals
  const amounts = (list: readonly { readonly amount: number }[] = []) => sum(list.map(({ amount }) => amount))
  const holds =
    gross === line.quantity * (line.overrideUnitPrice ?? line.unitPrice) &&
    lineDiscount === amounts(line.discounts) &&
    orderDiscount === amounts(line.orderDiscountAllocations) &&
    net === gross - lineDiscount - orderDiscount &&
    net >= 0
  return holds ? [] : [`totals of line ${line.lineId}`]
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
