import type { Expiry, OnReturn } from '../core/base/earning.js'
import type { Place } from './place.js'
import {
  isObject,
  type Once,
  openFields,
  readId,
  readInteger,
  readOptional,
  readText,
  readWord,
} from './read-values.js'
import { readOwn } from './read-venue.js'

export interface ProgrammeCurrency {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
  /** Units of 24 hours until value earned opens. */
  readonly opensAfterDays: number
  readonly expires: Expiry | null
  readonly onReturn: OnReturn
}

const scaleMax = 4
const monthsMax = 1200
const daysMax = 36_500

export function readProgrammeCurrency(place: Place, currencyIds: Once): ProgrammeCurrency {
  const at = openFields(place, ['currencyId', 'name', 'scale', 'opensAfterDays', 'expires', 'onReturn'])
  const currency = {
    currencyId: readOwn(at('currencyId'), currencyIds),
    name: readText(at('name')),
    scale: readOptional(at('scale'), (scale) => readInteger(scale, 0, scaleMax)) ?? 0,
    opensAfterDays: readOptional(at('opensAfterDays'), (days) => readInteger(days, 0, daysMax)) ?? 0,
    expires: readOptional(at('expires'), readExpiry),
    onReturn: readOptional(at('onReturn'), readOnReturn) ?? 'to_zero',
  }
  const { opensAfterDays, expires } = currency
  // As many days are too few: where clocks are put forward meanwhile, the last has 23 hours.
  if (expires !== null && opensAfterDays >= daysAtLeast(expires)) {
    at('opensAfterDays').fault('fewer days than until it expires, wherever it begins')
  }
  return currency
}

function readOnReturn(place: Place): OnReturn {
  return readWord(place, ['to_zero', 'debt', 'pending_only'])
}

export function readCurrencyId(place: Place, currencies: readonly ProgrammeCurrency[]): string {
  const named = readId(place)
  if (named === '' || currencies.some(({ currencyId }) => currencyId === named)) return named
  place.fault('the currencyId of one of the currencies')
  return ''
}

function readExpiry(place: Place): Expiry {
  const at = openFields(place, ['afterMonths', 'afterDays', 'atEndOf'])
  const [months, days] = [at('afterMonths'), at('afterDays')]
  if (isObject(place.value) && months.absent === days.absent) place.fault('either afterMonths or afterDays')
  const after = days.absent
    ? { unit: 'months' as const, after: readOptional(months, (value) => readInteger(value, 1, monthsMax)) ?? 1 }
    : { unit: 'days' as const, after: readInteger(days, 1, daysMax) }
  return { ...after, atEndOf: readOptional(at('atEndOf'), (word) => readWord(word, ['day', 'week', 'month', 'year'])) }
}

/** The least days that a lot lasts, by the calendar: the shortest run of `after` months. */
function daysAtLeast({ unit, after }: Expiry): number {
  if (unit === 'days') return after
  const starts = Array.from({ length: 12 }, (_, month) => {
    return (Date.UTC(calmYear, month + after, 1) - Date.UTC(calmYear, month, 1)) / dayMs
  })
  return Math.min(...starts)
}

/** The seven years from here on have no leap day. */
const calmYear = 2097
const dayMs = 86_400_000
