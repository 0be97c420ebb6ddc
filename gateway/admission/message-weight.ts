import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { lengthDelimited, WireCursor } from './wire-cursor.js'

/** A message weighs too much: as many parts cost more to decode than its call may. */
export class TooHeavy extends Error {
  override readonly name = 'TooHeavy'

  constructor(readonly what: 'parts' | 'lines') {
    super(`too many ${what}`)
  }
}

/** A message is no protobuf of its schema. The decoder reads some such messages all the same, and other fields than are weighed here. */
export class BrokenMessage extends Error {
  override readonly name = 'BrokenMessage'
}

export interface WeightLimits {
  readonly weightMax: number
  readonly linesMax: number
}

/** An element that becomes an object weighs more than a field that becomes a number. */
const objectWeight = 3
/** Messages in messages; decoding gives up later. */
const depthMax = 100
/** The repeated field that holds the lines of a basket, in protobuf. */
const basketName = 'loyalty.v1.Basket'
const linesName = 'lines'

/**
 * Walks over protobuf without decoding it: every field weighs 1, every message in it 3. Throws TooHeavy as soon as it weighs too much,
 * so that it takes no longer than a message that is allowed. Throws BrokenMessage where a length or a wire type is not what it must be.
 */
export function weighMessage(bytes: Uint8Array, schema: DescMessage, limits: WeightLimits): number {
  const walk = new Walk(bytes, limits)
  if (!walk.message(shapeOf(schema), bytes.length, 0)) throw new BrokenMessage('a length or a wire type is wrong')
  return walk.weight
}

/** What a walk must know of a message: how its fields are written, and which of them hold messages. */
interface Shape {
  /** What the decoder expects of each field; it looks at no field's own wire type. */
  readonly wireTypes: ReadonlyMap<number, number>
  /** Of a field that holds messages; a `packed` one holds scalars, each of a byte or more. */
  readonly inside: ReadonlyMap<number, () => Shape>
  readonly packed: ReadonlySet<number>
  readonly linesField: number | null
}

const shapes = new WeakMap<DescMessage, Shape>()

function shapeOf(schema: DescMessage): Shape {
  const known = shapes.get(schema)
  if (known !== undefined) return known
  const inside = new Map(schema.fields.flatMap((field) => insideOf(field) ?? []))
  const packed = new Set(schema.fields.filter(isPackable).map(({ number }) => number))
  const lines = schema.typeName === basketName ? schema.fields.find(({ name }) => name === linesName) : undefined
  const wireTypes = new Map(schema.fields.map((field) => [field.number, wireTypeOf(field)]))
  const shape = { wireTypes, inside, packed, linesField: lines?.number ?? null }
  shapes.set(schema, shape)
  return shape
}

function insideOf(field: DescField): [[number, () => Shape]] | null {
  if (field.fieldKind === 'map') {
    const value = field.message
    const wireTypes = new Map([
      [1, wireTypeOfScalar(field.mapKey)],
      [2, field.scalar === undefined ? (value ? lengthDelimited : 0) : wireTypeOfScalar(field.scalar)],
    ])
    const entry = {
      wireTypes,
      inside: new Map(value ? [[2, () => shapeOf(value)]] : []),
      packed: none,
      linesField: null,
    }
    return [[field.number, () => entry]]
  }
  const message = field.message
  return message === undefined ? null : [[field.number, () => shapeOf(message)]]
}

const none: ReadonlySet<number> = new Set()

function isPackable(field: DescField): boolean {
  return field.fieldKind === 'list' && (field.listKind === 'scalar' || field.listKind === 'enum') && field.packed
}

function wireTypeOf(field: DescField): number {
  if (field.fieldKind === 'map' || field.message !== undefined) return lengthDelimited
  return field.scalar === undefined ? 0 : wireTypeOfScalar(field.scalar)
}

function wireTypeOfScalar(type: ScalarType): number {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return lengthDelimited
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 1
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 5
    default:
      return 0
  }
}

class Walk {
  readonly #wire: WireCursor
  weight = 0
  #lines = 0

  constructor(
    bytes: Uint8Array,
    readonly limits: WeightLimits,
  ) {
    this.#wire = new WireCursor(bytes)
  }

  /** false: it is malformed. */
  message(shape: Shape, end: number, depth: number): boolean {
    if (depth > depthMax) return false
    while (this.#wire.at < end) {
      const tag = this.#wire.varint()
      if (tag < 0) return false
      const field = Math.floor(tag / 8)
      if (field === shape.linesField) this.#line()
      if (!this.#field(shape, { field, wireType: tag % 8, end, depth })) return false
    }
    return this.#wire.at === end
  }

  #field(shape: Shape, { field, wireType, end, depth }: Found): boolean {
    this.#add(1)
    const expected = shape.wireTypes.get(field) ?? wireType
    if (wireType !== expected && !(wireType === lengthDelimited && shape.packed.has(field))) return false
    switch (wireType) {
      case 0:
        return this.#wire.varint() >= 0
      case 1:
        return this.#skip(8, end)
      case lengthDelimited:
        return this.#delimited(shape, field, { end, depth })
      case 5:
        return this.#skip(4, end)
      default:
        // Groups: their fields follow, and none of ours has any.
        return wireType === 3 || wireType === 4
    }
  }

  #delimited(shape: Shape, field: number, { end, depth }: Pick<Found, 'end' | 'depth'>): boolean {
    const length = this.#wire.varint()
    if (length < 0 || this.#wire.at + length > end) return false
    if (shape.packed.has(field)) this.#add(length)
    const inside = shape.inside.get(field)
    if (inside === undefined) return this.#skip(length, end)
    this.#add(objectWeight - 1)
    return this.message(inside(), this.#wire.at + length, depth + 1)
  }

  #line(): void {
    this.#lines += 1
    if (this.#lines > this.limits.linesMax) throw new TooHeavy('lines')
  }

  #add(weight: number): void {
    this.weight += weight
    if (this.weight > this.limits.weightMax) throw new TooHeavy('parts')
  }

  #skip(length: number, end: number): boolean {
    this.#wire.at += length
    return this.#wire.at <= end
  }
}

interface Found {
  readonly field: number
  readonly wireType: number
  readonly end: number
  readonly depth: number
}

const [quote, backslash, comma, brace, bracket] = Array.from('"\\,{[', (each) => each.charCodeAt(0))

/** The same for JSON: every value but the first of a list or an object weighs 1, every list and object 3. */
export function weighJson(bytes: Uint8Array, { weightMax }: Pick<WeightLimits, 'weightMax'>): number {
  let weight = 0
  let isText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (isText) {
      if (byte === backslash) at += 1
      else if (byte === quote) isText = false
      continue
    }
    if (byte === quote) isText = true
    else if (byte === comma) weight += 1
    else if (byte === brace || byte === bracket) weight += objectWeight
    if (weight > weightMax) throw new TooHeavy('parts')
  }
  return weight
}
