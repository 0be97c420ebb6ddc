import type { JsonObject, JsonValue, MessageInitShape } from '@bufbuild/protobuf'
import {
  type Basket,
  type BasketSchema,
  type Context,
  type ContextSchema,
  DiscountTypeSchema,
  type Line,
  type LineDiscount,
  type LineDiscountSchema,
  type LineSchema,
  type OrderDiscount,
  type OrderDiscountAllocation,
  type Totals,
  type TotalsSchema,
} from '../../gen/loyalty/v1/basket_pb.js'
import { ChannelSchema } from '../../gen/loyalty/v1/enums_pb.js'
import { invalidFields, refusal } from '../errors.js'
import { linesRoom } from '../limits.js'
import { FieldChecks } from './fields.js'
import { channelFromWord, enumFromWord, wordFromEnum } from './message.js'

const thousandths = 1_000
const tenThousandths = 10_000

type Part = JsonValue | undefined

/** The bounds of the POS endpoint, for baskets of every call. */
export interface BasketRoom {
  readonly bodyBytesMax: number
  readonly linesMax: number
}

/** The body for the basket of a message. Ends the call where it has far too many lines, or is too large. */
export function bodyOfBasket({ bodyBytesMax, linesMax }: BasketRoom, basket: Basket): Uint8Array {
  if (basket.lines.length > linesRoom * linesMax) throw refusal('TOO_MANY_LINES', 'the basket has too many lines')
  return boundedBody(bodyBytesMax, 'basket', bodyFromBasket(basket))
}

/** @param part  of the request that became the body */
export function boundedBody(bytesMax: number, part: string, text: string): Uint8Array {
  const body = Buffer.from(text)
  const { length } = body
  new FieldChecks().expect(part, length <= bytesMax, `at most ${bytesMax} bytes as JSON`, `${length} bytes`).done()
  return body
}

/**
 * The basket in the form of the REST endpoint (wire decisions 1). Absent values are left out, and wrong ones stay as they are, so that
 * one reader refuses both. Ends the call where foreign fields are named like the contract's.
 */
function bodyFromBasket(basket: Basket): string {
  return JSON.stringify(
    withForeign('basket', basket.foreignFields, {
      calculationId: basket.calculationId,
      supersedesCalculationId: basket.supersedesCalculationId,
      loyaltyId: basket.loyaltyId,
      currency: basket.currency,
      requestedAt: basket.requestedAt,
      context: basket.context && contextPart(basket.context, 'basket.context'),
      lines: basket.lines.map((line, at) => linePart(line, `basket.lines[${at}]`)),
      orderDiscounts: listPart(basket.orderDiscounts, 'basket.order_discounts', orderDiscountPart),
      totals: totalsPart(basket.totals, 'basket.totals'),
    }),
  )
}

export function contextPart(context: Context, path: string): JsonObject {
  return withForeign(path, context.foreignFields, {
    venueId: context.venueId,
    baxId: context.baxId,
    cashRegisterId: context.cashRegisterId,
    terminalId: context.terminalId,
    clerkNumber: numberPart(context.clerkNumber),
    channel: context.channelName ?? wordFromEnum(ChannelSchema, context.channel),
  })
}

function linePart(line: Line, path: string): JsonObject {
  return withForeign(path, line.foreignFields, {
    lineId: line.lineId,
    parentLineId: line.parentLineId,
    productId: line.productId,
    productGroupId: line.productGroupId,
    productMasterId: line.productMasterId,
    ean: line.ean,
    quantity: Number(line.quantityThousandths) / thousandths,
    unitPrice: numberPart(line.unitPrice),
    overrideUnitPrice: numberPart(line.overrideUnitPrice),
    noDiscount: line.noDiscount,
    noPercentageDiscount: line.noPercentageDiscount,
    weighed: line.weighed,
    discounts: listPart(line.discounts, `${path}.discounts`, discountPart),
    orderDiscountAllocations: listPart(
      line.orderDiscountAllocations,
      `${path}.order_discount_allocations`,
      allocationPart,
    ),
    addedByLoyalty: line.addedByLoyalty,
    splitFromLineId: line.splitFromLineId,
    totals: totalsPart(line.totals, `${path}.totals`),
  })
}

function discountFields(discount: LineDiscount): Readonly<Record<string, Part>> {
  const { percentageTenThousandths: percentage } = discount
  return {
    type: wordFromEnum(DiscountTypeSchema, discount.type),
    percentage: percentage === undefined ? undefined : percentage / tenThousandths,
    amount: numberPart(discount.amount),
    lineDiscountCode: discount.lineDiscountCode,
    text: discount.text,
    campaign: discount.campaign,
  }
}

function discountPart(discount: LineDiscount, path: string): JsonObject {
  return withForeign(path, discount.foreignFields, discountFields(discount))
}

function orderDiscountPart({ orderDiscountId, discount }: OrderDiscount, path: string): JsonObject {
  const fields = { orderDiscountId, ...(discount && discountFields(discount)) }
  return withForeign(`${path}.discount`, discount?.foreignFields, fields)
}

function allocationPart({ orderDiscountId, amount, foreignFields }: OrderDiscountAllocation, path: string): JsonObject {
  return withForeign(path, foreignFields, { orderDiscountId, amount: numberPart(amount) })
}

function totalsPart(totals: Totals | undefined, path: string): Part {
  if (totals === undefined) return undefined
  const { gross, lineDiscount, orderDiscount, net, foreignFields } = totals
  return withForeign(path, foreignFields, {
    gross: numberPart(gross),
    lineDiscount: numberPart(lineDiscount),
    orderDiscount: numberPart(orderDiscount),
    net: numberPart(net),
  })
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

/** A message cannot tell an empty list from an absent one. */
function listPart<T>(items: readonly T[], path: string, part: (item: T, path: string) => JsonObject): Part {
  return items.length === 0 ? undefined : items.map((item, at) => part(item, `${path}[${at}]`))
}

/** Beyond 2^53 - 1 the number changes, and is too large all the same. */
function numberPart(value: bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}

/** A basket of an answer, or a stored one, typed; fields that are not the contract's become foreign fields. */
export function basketFromBody(body: JsonObject): MessageInitShape<typeof BasketSchema> {
  const read = new Read(body)
  return {
    calculationId: read.text('calculationId') ?? '',
    ...defined({
      supersedesCalculationId: read.text('supersedesCalculationId'),
      loyaltyId: read.text('loyaltyId'),
    }),
    currency: read.text('currency') ?? '',
    requestedAt: read.text('requestedAt') ?? '',
    ...defined({ context: contextFrom(read.object('context')) }),
    lines: read.list('lines').map(lineFrom),
    orderDiscounts: read.list('orderDiscounts').map((each) => {
      const inside = new Read(each)
      return { orderDiscountId: inside.text('orderDiscountId') ?? '', discount: discountFrom(inside) }
    }),
    ...totalsOf(read),
    ...read.foreign(),
  }
}

function contextFrom(part: JsonObject | undefined): MessageInitShape<typeof ContextSchema> | undefined {
  if (part === undefined) return undefined
  const read = new Read(part)
  return {
    venueId: read.text('venueId') ?? '',
    baxId: read.text('baxId') ?? '',
    cashRegisterId: read.text('cashRegisterId') ?? '',
    ...defined({ terminalId: read.text('terminalId'), clerkNumber: read.integer('clerkNumber') }),
    ...channelFromWord(read.text('channel')),
    ...read.foreign(),
  }
}

function lineFrom(part: JsonObject): MessageInitShape<typeof LineSchema> {
  const read = new Read(part)
  return {
    lineId: read.text('lineId') ?? '',
    productId: read.text('productId') ?? '',
    ...defined({
      parentLineId: read.text('parentLineId'),
      productGroupId: read.text('productGroupId'),
      productMasterId: read.text('productMasterId'),
      ean: read.text('ean'),
      overrideUnitPrice: read.integer('overrideUnitPrice'),
      noDiscount: read.flag('noDiscount'),
      noPercentageDiscount: read.flag('noPercentageDiscount'),
      weighed: read.flag('weighed'),
      addedByLoyalty: read.flag('addedByLoyalty'),
      splitFromLineId: read.text('splitFromLineId'),
    }),
    quantityThousandths: BigInt(Math.round((read.number('quantity') ?? 0) * thousandths)),
    unitPrice: read.integer('unitPrice') ?? 0n,
    discounts: read.list('discounts').map((each) => discountFrom(new Read(each))),
    orderDiscountAllocations: read.list('orderDiscountAllocations').map((each) => {
      const inside = new Read(each)
      const orderDiscountId = inside.text('orderDiscountId') ?? ''
      return { orderDiscountId, amount: inside.integer('amount') ?? 0n, ...inside.foreign() }
    }),
    ...totalsOf(read),
    ...read.foreign(),
  }
}

function discountFrom(read: Read): MessageInitShape<typeof LineDiscountSchema> {
  const type = enumFromWord(DiscountTypeSchema, read.text('type'))
  const percentage = read.number('percentage')
  return {
    type,
    amount: read.integer('amount') ?? 0n,
    ...defined({
      percentageTenThousandths: percentage === undefined ? undefined : Math.round(percentage * tenThousandths),
      lineDiscountCode: read.text('lineDiscountCode'),
      text: read.text('text'),
      campaign: read.text('campaign'),
    }),
    ...read.foreign(),
  }
}

function totalsOf(outer: Read): { readonly totals?: MessageInitShape<typeof TotalsSchema> } {
  const part = outer.object('totals')
  if (part === undefined) return {}
  const read = new Read(part)
  const totals = {
    gross: read.integer('gross') ?? 0n,
    lineDiscount: read.integer('lineDiscount') ?? 0n,
    orderDiscount: read.integer('orderDiscount') ?? 0n,
    net: read.integer('net') ?? 0n,
  }
  return { totals: { ...totals, ...read.foreign() } }
}

/** Takes the listed members out of an object that the wire reader has accepted; the rest is foreign. */
class Read {
  private readonly asked = new Set<string>()

  constructor(private readonly part: JsonObject) {}

  text(name: string): string | undefined {
    const value = this.take(name)
    return typeof value === 'string' ? value : undefined
  }

  number(name: string): number | undefined {
    const value = this.take(name)
    return typeof value === 'number' ? value : undefined
  }

  integer(name: string): bigint | undefined {
    const value = this.number(name)
    return value === undefined ? undefined : BigInt(value)
  }

  flag(name: string): boolean | undefined {
    const value = this.take(name)
    return typeof value === 'boolean' ? value : undefined
  }

  object(name: string): JsonObject | undefined {
    const value = this.take(name)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  }

  list(name: string): readonly JsonObject[] {
    const value = this.take(name)
    return Array.isArray(value) ? (value as JsonObject[]) : []
  }

  foreign(): { readonly foreignFields?: JsonObject } {
    const left = Object.entries(this.part).filter(([name]) => !this.asked.has(name))
    return left.length === 0 ? {} : { foreignFields: Object.fromEntries(left) }
  }

  private take(name: string): JsonValue | undefined {
    this.asked.add(name)
    return Object.hasOwn(this.part, name) ? this.part[name] : undefined
  }
}

/** Without undefined members, as messages need it. */
function defined<T extends Readonly<Record<string, unknown>>>(part: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as never
}
