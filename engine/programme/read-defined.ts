import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Place } from './place.js'
import {
  audienceFrom,
  benefitFrom,
  bundleDiscountFrom,
  costFrom,
  requiredFrom,
  volumePercentageFrom,
} from './read-benefit.js'
import {
  currencyFrom,
  exchangeFrom,
  multiplierFrom,
  readCurrencyNamed,
  readEarningPer,
  ruleFrom,
  tierFrom,
} from './read-earning.js'
import { experimentFrom, guardFrom } from './read-experiment.js'
import { collectionFrom, readCollectionNamed, readFieldTests } from './read-selector.js'
import {
  readCurrency,
  readDate,
  readDayOfYear,
  readFactor,
  readFlag,
  readId,
  readInteger,
  readList,
  readMoment,
  readPercentage,
  readText,
  readTimeOfDay,
  readTimeZone,
  readWord,
} from './read-values.js'
import { memberFrom, productFrom, venueFrom } from './read-venue.js'

interface Node {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly const?: string
  readonly anyOf?: readonly Node[]
  readonly allOf?: readonly { readonly if: Node; readonly then: Node }[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
  readonly minItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** JSON Schema (draft 2020-12) of a programme document, as text. */
export const programmeSchema = readFileSync(join(import.meta.dirname, 'programme.schema.json'), 'utf8')
const { $defs, ...document } = JSON.parse(programmeSchema) as Node & { readonly $defs: Readonly<Record<string, Node>> }

/** Readers in place of a definition. */
const values: Readonly<Record<string, (place: Place) => unknown>> = {
  id: readId,
  percentage: readPercentage,
  optionalMoment: readMoment,
  timeOfDay: readTimeOfDay,
  timeZone: readTimeZone,
  currencyCode: (place) => readCurrency(place, $defs['currencyCode']!.enum!),
  date: readDate,
  dayOfYear: readDayOfYear,
  factor: readFactor,
  fields: readFieldTests,
  collectionNamed: readCollectionNamed,
  currencyNamed: readCurrencyNamed,
  earningPer: readEarningPer,
}

/** They fill in defaults, and check what no schema can say. */
const results: Readonly<Record<string, (read: never, place: Place) => unknown>> = {
  audience: audienceFrom,
  benefit: benefitFrom,
  bundleDiscount: bundleDiscountFrom,
  collection: collectionFrom,
  cost: costFrom,
  currency: currencyFrom,
  exchange: exchangeFrom,
  experiment: experimentFrom,
  guard: guardFrom,
  member: memberFrom,
  multiplier: multiplierFrom,
  product: productFrom,
  required: requiredFrom,
  rule: ruleFrom,
  tier: tierFrom,
  venue: venueFrom,
  volumePercentage: volumePercentageFrom,
}

/** Ids that a document has once each. */
const uniqueIds = [
  ...['benefitId', 'collectionId', 'currencyId', 'exchangeId', 'experimentId', 'guardId'],
  ...['limitId', 'memberId', 'ruleId', 'tierId', 'venueId'],
]

/**
 * Reads a value as `programme.schema.json` defines it. An optional field that is absent is left out.
 *
 * @param mayLack  required fields that may be absent, or an empty list
 */
export function readDefined<T>(place: Place, name: string, mayLack: readonly string[] = []): T {
  return readNode(place, $defs[name]!, name, mayLack) as T
}

export function readFields<T>(place: Place): T {
  return readNode(place, document) as T
}

function readNode(place: Place, node: Node, name = '', mayLack: readonly string[] = []): unknown {
  const ref = node.$ref ?? node.anyOf?.find(({ $ref }) => $ref !== undefined)?.$ref
  if (ref !== undefined) {
    const target = ref.slice('#/$defs/'.length)
    return (values[target] ?? ((at) => readNode(at, $defs[target]!, target)))(place)
  }
  const words = node.enum ?? (node.const === undefined ? undefined : [node.const])
  if (words !== undefined)
    return readWord(
      place,
      words.flatMap((word) => word ?? []),
    )
  switch ([node.type ?? []].flat().find((type) => type !== 'null')) {
    case 'object':
      return readObject(place, node, name, mayLack)
    case 'array':
      return readList(place, (entry) => readNode(entry, node.items!), node.minItems ?? 0)
    case 'integer':
      return readInteger(place, node.minimum!, node.maximum!)
    case 'boolean':
      return readFlag(place)
    case 'string':
      return readText(place, node.maxLength)
    default:
      return place.value
  }
}

/** A value that is no object is one fault, and its fields report nothing. */
function readObject(place: Place, node: Node, name: string, mayLack: readonly string[]): unknown {
  const own = isObject(place.value) ? place : place.silenced()
  if (own !== place) place.fault('an object')
  const { properties, required = [] } = node
  if (properties === undefined) return place.value
  const variants = (node.allOf ?? []).filter(({ then }) => then.$ref !== undefined)
  if (variants.length > 0) return readVariant(own, node, variants)
  const names = Object.keys(properties)
  for (const other of own === place ? Object.keys(place.value as object) : []) {
    if (!Object.hasOwn(properties, other)) own.at(other).fault(`no field of this name; known are ${names.join(', ')}`)
  }
  const read: Record<string, unknown> = {}
  for (const field of names) {
    const at = own.at(field)
    const isEmpty = at.absent || (mayLack.includes(field) && Array.isArray(at.value) && at.value.length === 0)
    if (isEmpty && (!required.includes(field) || mayLack.includes(field))) continue
    read[field] = readNode(at, properties[field]!)
    if (field === `${name}Id` && uniqueIds.includes(field)) at.checkOnce(field, read[field])
  }
  const result = results[name]
  return result === undefined ? read : result(read as never, own)
}

/** An object whose `kind` decides about its other fields. */
function readVariant(own: Place, { properties }: Node, variants: NonNullable<Node['allOf']>): unknown {
  const kind = own.at('kind')
  const word = readNode(kind, properties!['kind']!)
  const { then } = variants.find((variant) => variant.if.properties?.['kind']?.const === word)!
  return readNode(word === kind.value ? own : own.silenced(), then)
}
