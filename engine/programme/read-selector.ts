import type { FieldTest, Selector } from '../core/base/programme.js'
import { lineSchema } from '../wire/basket-schema.js'
import { fieldValueOf } from '../wire/field-value.js'
import { isObject, type Place } from './place.js'
import { readId, readList, readText } from './read-values.js'

const fieldsMax = 10
const fieldTextMax = 128

export interface ProgrammeCollection {
  readonly collectionId: string
  readonly select: Selector
}

export function readFieldTests(place: Place): FieldTest[] {
  const names = isObject(place.value) ? Object.keys(place.value) : []
  if (names.length === 0 || names.length > fieldsMax) {
    place.fault(`an object of 1 to ${fieldsMax} fields of the POS`)
    return []
  }
  return names.map((name) => {
    const list = place.at(name)
    if (Object.hasOwn(lineSchema.properties, name)) list.fault('a field of the POS: the contract has this name')
    readId(place.below(name, name))
    return { name, values: readList(list, readFieldValue) }
  })
}

function readFieldValue(place: Place): string {
  const { value } = place
  if (typeof value === 'number' || typeof value === 'boolean') return fieldValueOf(value)
  if (typeof value === 'string') return fieldValueOf(readText(place, fieldTextMax))
  place.fault('a text, a number, or true or false')
  return ''
}

export function readCollectionNamed(place: Place): Selector {
  const collectionId = readId(place)
  const collection = place.known.collections.get(collectionId)
  if (collection === undefined && collectionId !== '') place.fault('the collectionId of one of the collections')
  return collection ?? {}
}

export function collectionFrom({ collectionId, select }: ProgrammeCollection, place: Place): ProgrammeCollection {
  if (collectionId !== '') place.known.collections.set(collectionId, select)
  return { collectionId, select }
}
