import type { SelectedUnits, Selector } from '../core/base/programme.js'
import type { Place } from './place.js'
import { openFields, readFlag, readId, readList, readOptional, readUnits } from './read-values.js'

const selectorFields = ['productMasterIds', 'eans', 'productIds', 'productGroupIds', 'children', 'not'] as const

/** Reads a selector (benefits 1, Selector). Absent fields stay absent. */
function readSelector(place: Place): Selector {
  const at = openFields(place, selectorFields)
  const lists = (['productMasterIds', 'eans', 'productIds', 'productGroupIds'] as const).flatMap((field) => {
    const ids = readOptional(at(field), (list) => readList(list, readId))
    return ids === null ? [] : [[field, ids] as const]
  })
  const children = readOptional(at('children'), readFlag)
  const not = readOptional(at('not'), readSelector)
  return {
    ...Object.fromEntries(lists),
    ...(children === null ? {} : { children }),
    ...(not === null ? {} : { not }),
  }
}

/** The `select` of a record that may have one: `{}` where it is absent. */
export function readSelect(place: Place): { readonly select?: Selector } {
  return place.absent ? {} : { select: readSelector(place) }
}

export function readSelectedUnits(place: Place): SelectedUnits {
  const at = openFields(place, ['select', 'quantity'])
  return { ...readSelect(at('select')), quantity: readUnits(at('quantity')) }
}
