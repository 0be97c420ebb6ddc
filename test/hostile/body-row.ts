import { aBasket, aSale, type BasketBody, berlin } from '../e2e/basket.js'
import type { Answer } from '../e2e/service.js'

/** One body that comes whole and rightly signed, and what it is answered. */
export interface BodyRow {
  readonly name: string
  readonly path: '/v1/pos/basket' | '/v1/pos/sale'
  readonly key: string
  readonly bytes: Buffer
  readonly status: number
  /** The error code of any other status than 200. */
  readonly code?: string
  /** The path that a refusal names; left out: it names one. */
  readonly field?: string
  /** What else must hold of a 200. */
  readonly holds?: (answer: Answer) => boolean
}

export type RowMore = Partial<Pick<BodyRow, 'code' | 'field' | 'holds'>>

/** A basket that gets a benefit: two coffees of a member of the tests' programme. */
export function aGoodBasket(): BasketBody {
  return aBasket('anna', { ...berlin })
    .line({ productId: 'coffee', unitPrice: 450, quantity: 2 })
    .body()
}

export function aGoodSale(): BasketBody {
  return aSale(aGoodBasket(), { paidTotal: 810 })
}

/** A row of a good basket in which something is changed: as a value, or as the text or the bytes that `change` makes of it. */
export function basketRow(
  name: string,
  change: (body: BasketBody, text: string) => string | Buffer | BasketBody | undefined,
  status: number,
  more: RowMore = {},
): BodyRow {
  return row('/v1/pos/basket', aGoodBasket(), { name, change, status, more })
}

export function saleRow(
  name: string,
  change: (body: BasketBody, text: string) => string | Buffer | BasketBody | undefined,
  status: number,
  more: RowMore = {},
): BodyRow {
  return row('/v1/pos/sale', aGoodSale(), { name, change, status, more })
}

interface Change {
  readonly name: string
  readonly change: (body: BasketBody, text: string) => string | Buffer | BasketBody | undefined
  readonly status: number
  readonly more: RowMore
}

function row(path: BodyRow['path'], body: BasketBody, { name, change, status, more }: Change): BodyRow {
  const key = body['calculationId']
  const changed = change(body, JSON.stringify(body)) ?? body
  const bytes = Buffer.isBuffer(changed)
    ? changed
    : Buffer.from(typeof changed === 'string' ? changed : JSON.stringify(changed))
  return { name, path, key, bytes, status, ...(status === 400 ? { code: 'invalid_request' } : {}), ...more }
}

/** Puts a member as written at the top of a JSON object's text. */
export function withMember(text: string, member: string): string {
  return text.replace('{', `{${member},`)
}

/** Puts a member as written into the first line of a basket's text. */
export function withLineMember(text: string, member: string): string {
  return text.replace('"lines":[{', `"lines":[{${member},`)
}

/** Nested arrays, so many levels of them. */
export function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}
