import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescOneof,
  type DescService,
  type JsonObject,
  type Message,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { StructSchema, type Timestamp, TimestampSchema, timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { ChannelSchema } from '../../gen/loyalty/v1/enums_pb.js'

/**
 * A message in the terms of our records: 64-bit integers as exact numbers, moments as milliseconds since the epoch, enum values as the
 * contract's words. null is an absent field.
 */
type InRecord<Shape> = {
  readonly [Name in Exclude<keyof Shape, '$typeName' | '$unknown'>]?: ValueInRecord<Shape[Name]> | null
}

type ValueInRecord<T> =
  | T
  | (T extends bigint | Timestamp
      ? number
      : T extends number
        ? `${number}` extends `${T}`
          ? never
          : string
        : T extends readonly (infer Item)[]
          ? readonly ValueInRecord<Item>[]
          : T extends { readonly case: infer Case; readonly value: infer Value }
            ? { readonly case: Case; readonly value: ValueInRecord<Value> }
            : T extends Message
              ? InRecord<T>
              : T extends JsonObject
                ? never
                : T extends Readonly<Record<string, infer Item>>
                  ? Readonly<Record<string, ValueInRecord<Item>>>
                  : never)

export type RecordOf<Desc extends DescMessage> = InRecord<MessageShape<Desc>>

/** The message of a record; what the record has besides the message's fields is left out. */
export function messageFrom<Desc extends DescMessage>(schema: Desc, record: RecordOf<Desc>): MessageShape<Desc> {
  return messageOf(schema, record) as MessageShape<Desc>
}

type Convert = (value: never) => unknown

const convertsOf = new WeakMap<DescMessage, readonly (readonly [name: string, convert: Convert | null])[]>()

function messageOf(schema: DescMessage, record: object): unknown {
  let converts = convertsOf.get(schema)
  if (converts === undefined) {
    converts = schema.members.map((member) => [member.localName, convertOfMember(member)])
    convertsOf.set(schema, converts)
  }
  // All of its fields at once: an object that grows field by field costs V8 more, and the library copies one that is no message.
  const message = create(schema) as unknown as Record<string, unknown>
  for (const [name, convert] of converts) {
    const value = (record as Readonly<Record<string, unknown>>)[name]
    if (value !== null && value !== undefined) message[name] = convert === null ? value : convert(value as never)
  }
  return message
}

/** null: the value stays as it is. */
function convertOfMember(member: DescField | DescOneof): Convert | null {
  if (member.kind === 'oneof') {
    const converts = new Map(member.fields.map((field) => [field.localName, convertOfMember(field)]))
    return ({ case: name, value }: { readonly case: string; readonly value: never }) => {
      const convert = converts.get(name)
      return { case: name, value: convert ? convert(value) : value }
    }
  }
  const convert = convertOfValue(member)
  if (convert === null) return null
  switch (member.fieldKind) {
    case 'list':
      return (items: readonly never[]) => items.map((item) => convert(item))
    case 'map':
      return (items: Readonly<Record<string, never>>) =>
        Object.fromEntries(Object.entries(items).map(([key, item]) => [key, convert(item)]))
    default:
      return convert
  }
}

function convertOfValue({ scalar, enum: words, message }: DescField): Convert | null {
  if (scalar === ScalarType.INT64) return (value: number | bigint) => BigInt(value)
  if (words !== undefined)
    return (value: string | number) => (typeof value === 'string' ? enumFromWord(words, value) : value)
  if (message?.typeName === TimestampSchema.typeName)
    return (value: number | Timestamp) => (typeof value === 'number' ? timestampFromMs(value) : value)
  return message === undefined || isStruct(message) ? null : (value: object) => messageOf(message, value)
}

/** JSON, as a POS sent it. */
function isStruct({ typeName }: DescMessage): boolean {
  return typeName === StructSchema.typeName
}

/** Calls of a service that answer with records. */
export type Calls<Service extends DescService> = {
  readonly [Name in keyof Service['method']]: Call<Service['method'][Name]>
}

type Call<Method extends DescMethod> =
  Method extends DescMethodUnary<infer In, infer Out>
    ? (request: MessageShape<In>, context: HandlerContext) => RecordOf<Out> | Promise<RecordOf<Out>>
    : Method extends DescMethodServerStreaming<infer In, infer Out>
      ? (request: MessageShape<In>, context: HandlerContext) => AsyncIterable<RecordOf<Out>>
      : never

type AnyCall = (request: Message, context: HandlerContext) => object | Promise<object> | AsyncIterable<object>

/** Registers a service whose calls answer with records. */
export function routeOf<Service extends DescService>(
  service: Service,
  calls: Calls<Service>,
): (router: ConnectRouter) => void {
  const answering = service.methods.map(({ localName, methodKind, output }) => {
    const call = (calls as Readonly<Record<string, AnyCall>>)[localName]!
    const unary = async (request: Message, context: HandlerContext) => messageOf(output, await call(request, context))
    const streaming = async function* (request: Message, context: HandlerContext) {
      for await (const record of call(request, context) as AsyncIterable<object>) yield messageOf(output, record)
    }
    return [localName, methodKind === 'server_streaming' ? streaming : unary]
  })
  return (router) => {
    router.service(service, Object.fromEntries(answering) as ServiceImpl<Service>)
  }
}

/** The contract's word for an enum value, such as `member_not_found`; undefined for `unspecified` and unknown numbers. */
export function wordFromEnum(schema: DescEnum, number: number): string | undefined {
  return number === 0 ? undefined : schema.value[number]?.localName.toLowerCase()
}

/** The enum value of a contract's word; 0, `unspecified`, for null and unknown words. */
export function enumFromWord(schema: DescEnum, word: string | null | undefined): number {
  if (word === null || word === undefined) return 0
  return schema.values.find(({ localName }) => localName.toLowerCase() === word)?.number ?? 0
}

/** A channel by its number, or a name of LOYALTY_CHANNELS by itself. */
export function channelFromWord(word: string | null | undefined) {
  const channel = enumFromWord(ChannelSchema, word)
  return channel === 0 && word ? { channel, channelName: word } : { channel }
}
