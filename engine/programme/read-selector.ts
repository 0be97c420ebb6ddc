import type { FieldTest, RequiredQuantity, SelectedUnits, Selector } from '../core/base/programme.js'
import { lineSchema } from '../wire/basket-schema.js'
import { fieldValueOf } from '../wire/field-value.js'
import type { Place } from './place.js'
import {
  isObject,
  type Once,
  openFields,
  readFlag,
  readId,
  readList,
  readMeasure,
  readOptional,
  readText,
  readUnits,
} from './read-values.js'
import { readOwn } from './read-venue.js'

const idLists = ['productMasterIds', 'eans', 'productIds', 'productGroupIds'] as const
const collectionFields = [...idLists, 'fields', 'fullPrice', 'not'] as const
const selectorFields = [...collectionFields, 'collections', 'includeNoDiscount', 'children'] as const

const fieldsMax = 10

function readSelector(place: Place): Selector {
  const at = openFields(place, selectorFields)
  const collections = readOptional(at('collections'), (list) => readList(list, readCollectionNamed))
  const includeNoDiscount = readOptional(at('includeNoDiscount'), readFlag)
  const children = readOptional(at('children'), readFlag)
  return {
    ...readNarrowing(at, readSelector),
    ...(collections === null ? {} : { collections }),
    ...(includeNoDiscount === null ? {} : { includeNoDiscount }),
    ...(children === null ? {} : { children }),
  }
}

function readCollectionSelector(place: Place): Selector {
  return readNarrowing(openFields(place, collectionFields), readCollectionSelector)
}

function readNarrowing(
  at: (field: (typeof collectionFields)[number]) => Place,
  readNot: (place: Place) => Selector,
): Selector {
  const lists = idLists.flatMap((field) => {
    const ids = readOptional(at(field), (list) => readList(list, readId))
    return ids === null ? [] : [[field, ids] as const]
  })
  const fields = readOptional(at('fields'), readFieldTests)
  const fullPrice = readOptional(at('fullPrice'), readFlag)
  const not = readOptional(at('not'), readNot)
  return {
    ...Object.fromEntries(lists),
    ...(fields === null ? {} : { fields }),
    ...(fullPrice === null ? {} : { fullPrice }),
    ...(not === null ? {} : { not }),
  }
}

function readFieldTests(place: Place): FieldTest[] {
  const { value } = place
  const names = isObject(value) ? Object.keys(value) : []
  if (names.length === 0 || names.length > fieldsMax) {
    place.fault(`an object of 1 to ${fieldsMax} fields of the POS`)
    return []
  }
  return names.map((name) => {
    const list = place.below(name, (value as Readonly<Record<string, unknown>>)[name])
    if (Object.hasOwn(lineSchema.properties, name)) list.fault('a field of the POS: the contract has this name')
    readId(place.below(name, name))
    return { name, values: readList(list, readFieldValue) }
  })
}

function readFieldValue(place: Place): string {
  const { value } = place
  if (typeof value === 'number' || typeof value === 'boolean') return fieldValueOf(value)
  if (typeof value === 'string') return fieldValueOf(readText(place))
  place.fault('a text, a number, or true or false')
  return ''
}

function readCollectionNamed(place: Place): Selector {
  const collectionId = readId(place)
  const collection = place.collections.get(collectionId)
  if (collection === undefined && collectionId !== '') place.fault('the collectionId of one of the collections')
  return collection ?? {}
}

export interface ProgrammeCollection {
  readonly collectionId: string
  readonly select: Selector
}

export function readCollection(place: Place, collectionIds: Once): ProgrammeCollection {
  const at = openFields(place, ['collectionId', 'name', 'select'])
  const collectionId = readOwn(at('collectionId'), collectionIds)
  readOptional(at('name'), readText)
  const select = readCollectionSelector(at('select'))
  if (collectionId !== '') place.collections.set(collectionId, select)
  return { collectionId, select }
}

export function readSelect(place: Place): { readonly select?: Selector } {
  return place.absent ? {} : { select: readSelector(place) }
}

export function readSelectedUnits(place: Place): SelectedUnits {
  const at = openFields(place, ['select', 'quantity'])
  return { ...readSelect(at('select')), quantity: readUnits(at('quantity')) }
}

export function readRequired(place: Place): RequiredQuantity {
  const at = openFields(place, ['select', 'quantity', 'measure'])
  const measure = readOptional(at('measure'), readFlag)
  return {
    ...readSelect(at('select')),
    quantity: measure === true ? readMeasure(at('quantity')) : readUnits(at('quantity')),
    ...(measure === null ? {} : { measure }),
  }
}
