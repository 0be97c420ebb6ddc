import type { DescField, DescMessage, JsonObject, JsonValue, MessageShape } from '@bufbuild/protobuf'
import { type Basket, BasketSchema, LineDiscountSchema, OrderDiscountSchema } from '../../gen/loyalty/v1/basket_pb.js'
import { invalidFields, refusal } from '../errors.js'
import { linesRoom } from '../limits.js'
import { FieldChecks } from './fields.js'
import { channelFromWord, type RecordOf, wordFromEnum } from './message.js'

/** The bounds of the POS endpoint, for baskets of every call. */
export interface BasketRoom {
  readonly bodyBytesMax: number
  readonly linesMax: number
}

/** The body for the basket of a message. Ends the call where it has far too many lines, or is too large. */
export function bodyOfBasket({ bodyBytesMax, linesMax }: BasketRoom, basket: Basket): Uint8Array {
  if (basket.lines.length > linesRoom * linesMax) throw refusal('TOO_MANY_LINES', 'the basket has too many lines')
  return boundedBody(bodyBytesMax, 'basket', textFrom(BasketSchema, basket, 'basket'))
}

/** @param part  of the request that became the body */
export function boundedBody(bytesMax: number, part: string, text: string): Uint8Array {
  const body = Buffer.from(text)
  const { length } = body
  new FieldChecks().expect(part, length <= bytesMax, `at most ${bytesMax} bytes as JSON`, `${length} bytes`).done()
  return body
}

type Values = Readonly<Record<string, unknown>>

/** Decimals of the contract that a message has as integers of another name. */
const decimals: Readonly<Record<string, readonly [name: string, one: number]>> = {
  quantityThousandths: ['quantity', 1_000],
  percentageTenThousandths: ['percentage', 10_000],
}

/** The fields that the contract lists: the others say more of these, or are the POS's own. */
function listedFields({ fields }: DescMessage): readonly DescField[] {
  return fields.filter(({ localName }) => localName !== 'foreignFields' && localName !== 'channelName')
}

/**
 * A basket or a sale event in the form of the REST endpoint (wire decisions 1). Absent values are left out, and wrong ones stay as they
 * are, so that one reader refuses both. Ends the call where foreign fields are named like the contract's.
 */
export function textFrom<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>, path: string): string {
  return JSON.stringify(objectFrom(schema, message as unknown as Values, path))
}

function objectFrom(schema: DescMessage, values: Values, path: string): JsonObject {
  if (schema.typeName !== OrderDiscountSchema.typeName)
    return withForeign(path, values['foreignFields'] as JsonObject | undefined, membersFrom(schema, values, path))
  const { orderDiscountId, discount = {} } = values as { readonly orderDiscountId: string; readonly discount?: Values }
  const at = `${path}.discount`
  const members = values['discount'] === undefined ? {} : membersFrom(LineDiscountSchema, discount, at)
  return withForeign(at, discount['foreignFields'] as JsonObject | undefined, { orderDiscountId, ...members })
}

type Members = Readonly<Record<string, JsonValue | undefined>>

function membersFrom(schema: DescMessage, values: Values, path: string): Members {
  const members = listedFields(schema).map((field): [string, JsonValue | undefined] => {
    const [name, one] = decimals[field.localName] ?? [field.localName, 1]
    const value = valueFrom(field, values[field.localName], `${path}.${field.name}`)
    return [name, one === 1 || value === undefined ? value : Number(value) / one]
  })
  const { channelName } = values as { readonly channelName?: string }
  return { ...Object.fromEntries(members), ...(channelName !== undefined && { channel: channelName }) }
}

/** Beyond 2^53 - 1 a number changes, and is too large all the same. A message cannot tell an empty list from an absent one. */
function valueFrom({ message, enum: words, name }: DescField, value: unknown, path: string): JsonValue | undefined {
  if (words !== undefined) return wordFromEnum(words, value as number)
  if (typeof value === 'bigint') return Number(value)
  if (message === undefined || value === undefined) return value as JsonValue | undefined
  if (!Array.isArray(value)) return objectFrom(message, value as Values, path)
  return value.length === 0 && name !== 'lines'
    ? undefined
    : value.map((item, at) => objectFrom(message, item, `${path}[${at}]`))
}

/**
 * A JSON object of the contract's fields that are set, and the POS's own. Ends the call where one of those has a name of the contract's,
 * or holds a number that JSON cannot express.
 *
 * @param path    of the object in the request
 * @param listed  every field that the contract lists for this object; undefined: not sent
 */
function withForeign(
  path: string,
  foreign: JsonObject | undefined,
  listed: Readonly<Record<string, JsonValue | undefined>>,
): JsonObject {
  const sent = Object.entries(listed).filter((field): field is [string, JsonValue] => field[1] !== undefined)
  if (foreign === undefined) return Object.fromEntries(sent)
  for (const name of Object.keys(foreign)) {
    if (Object.hasOwn(listed, name)) refuseForeign(path, `a name of the contract: ${name}`)
  }
  if (!hasFiniteNumbers(foreign)) refuseForeign(path, 'a number that is not finite')
  // Object.fromEntries, because a field of the POS may be named __proto__.
  return Object.fromEntries([...sent, ...Object.entries(foreign)])
}

function refuseForeign(path: string, found: string): never {
  throw invalidFields([
    { field: `${path}.foreign_fields`, description: `expected fields of the POS; received ${found}` },
  ])
}

function hasFiniteNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers)
}

/**
 * A basket of an answer, or a stored one, that the wire reader has accepted; fields that are not the contract's become foreign fields.
 */
export function basketFromBody(body: JsonObject): RecordOf<typeof BasketSchema> {
  return recordFrom(BasketSchema, body)
}

function recordFrom(schema: DescMessage, body: JsonObject): object {
  if (schema.typeName === OrderDiscountSchema.typeName) {
    const { orderDiscountId, ...discount } = body
    return { orderDiscountId, discount: recordFrom(LineDiscountSchema, discount) }
  }
  const left = new Map(Object.entries(body))
  const members = listedFields(schema).map(({ localName, message }) => {
    const [name, one] = decimals[localName] ?? [localName, 1]
    const value = left.get(name)
    left.delete(name)
    return [localName, one === 1 || value == null ? partFrom(message, value) : Math.round(Number(value) * one)]
  })
  const record: Values = Object.fromEntries(members)
  const channel = 'channel' in record ? channelFromWord(record['channel'] as string | null) : {}
  return { ...record, ...channel, foreignFields: left.size === 0 ? null : Object.fromEntries(left) }
}

function partFrom(message: DescMessage | undefined, value: JsonValue | undefined): unknown {
  if (message === undefined || value == null) return value
  return Array.isArray(value)
    ? value.map((item) => recordFrom(message, item as JsonObject))
    : recordFrom(message, value as JsonObject)
}
