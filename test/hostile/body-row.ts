import { aBasket, aSale, type BasketBody, berlin } from '../e2e/basket.js'
import type { Answer } from '../e2e/service.js'

/** A complete, correctly signed body and its expected answer. */
export interface BodyRow {
  readonly name: string
  readonly path: '/v1/pos/basket' | '/v1/pos/sale'
  readonly key: string
  readonly bytes: Buffer
  readonly status: number
  /** The error code of any status but 200. */
  readonly code?: string
  /** The path that a refusal names; absent: any path. */
  readonly field?: string
  /** Further expectations of a 200. */
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

/** A row of a good basket with one change: to its value, or to its text or bytes. */
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

/** Adds a member, as text, at the top of a JSON object. */
export function withMember(text: string, member: string): string {
  return text.replace('{', `{${member},`)
}

/** Adds a member, as text, to the first line of a basket. */
export function withLineMember(text: string, member: string): string {
  return text.replace('"lines":[{', `"lines":[{${member},`)
}

/** Arrays nested to this depth. */
export function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

/** Protobuf bytes that no encoder makes. */

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left])
    bytes.push((left % 128) + 128)
  }
}

/** A length-delimited field: bytes, a text, a message. */
export function field(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

/** The same bytes, repeated. */
export function repeated(bytes: Uint8Array, times: number): Buffer {
  return Buffer.alloc(bytes.length * times, bytes)
}
