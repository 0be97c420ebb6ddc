import type { Place } from './place.js'
import { type Once, openFields, readInteger, readOptional, readText } from './read-values.js'
import { readOwn } from './read-venue.js'

/** A currency of the programme: what members collect (4-member-value, section 2), as the ledger stores it. */
export interface ProgrammeCurrency {
  readonly currencyId: string
  readonly name: string
  /** Decimals of an amount: amounts are whole numbers of 10^-scale. */
  readonly scale: number
}

/** Largest number of decimals. */
const scaleMax = 4

/** Reads one currency. Its scale is fixed once published: the ledger checks that at a publication. */
export function readProgrammeCurrency(place: Place, currencyIds: Once): ProgrammeCurrency {
  const at = openFields(place, ['currencyId', 'name', 'scale'])
  return {
    currencyId: readOwn(at('currencyId'), currencyIds),
    name: readText(at('name')),
    scale: readOptional(at('scale'), (scale) => readInteger(scale, 0, scaleMax)) ?? 0,
  }
}
