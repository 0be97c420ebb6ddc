import type { EarningPer, EarningRule, Multiplier } from '../core/base/earning.js'
import { factorOne } from '../core/base/earning.js'
import { moneyMax } from '../core/base/money.js'
import { scaledFromText } from '../wire/decimal.js'
import type { Place } from './place.js'
import { readAudience } from './read-audience.js'
import { periods, readMinimumSpend, readWindow } from './read-benefit.js'
import { type ProgrammeCurrency, readCurrencyId } from './read-programme-currency.js'
import { readSelect } from './read-selector.js'
import {
  isObject,
  type Once,
  openFields,
  readFlag,
  readId,
  readInteger,
  readList,
  readMoment,
  readOptional,
  readUnits,
  readWord,
} from './read-values.js'
import { readOwn } from './read-venue.js'

export interface ListedRule {
  readonly rule: EarningRule
  readonly path: string
}

export interface RuleIdentities {
  readonly ruleIds: Once
  readonly currencies: readonly ProgrammeCurrency[]
}

const ruleFields = [
  'ruleId',
  'currencyId',
  'give',
  'per',
  'select',
  'includeNoDiscount',
  'minimumSpend',
  'cooldownMinutes',
  'maximum',
  'multipliers',
  'audience',
  'venueIds',
  'channels',
  'schedule',
  'validFrom',
  'validUntil',
] as const

const cooldownMinutesMax = 5_256_000
const factorMax = 100 * factorOne
const factorDecimals = 4
const factorForm = /^\d{1,3}(\.\d{1,4})?$/

export function readRule(place: Place, { ruleIds, currencies }: RuleIdentities): ListedRule {
  const at = openFields(place, ruleFields)
  const rule: EarningRule = {
    ruleId: readOwn(at('ruleId'), ruleIds),
    ...readCurrencyOf(at('currencyId'), currencies),
    give: readInteger(at('give'), 1, moneyMax),
    per: readPer(at('per')),
    select: readSelect(at('select')).select ?? null,
    includeNoDiscount: readOptional(at('includeNoDiscount'), readFlag) ?? false,
    minimumSpend: readOptional(at('minimumSpend'), readMinimumSpend),
    cooldownMinutes: readOptional(at('cooldownMinutes'), (value) => readInteger(value, 1, cooldownMinutesMax)),
    maximum: readOptional(at('maximum'), readMaximum),
    multipliers:
      readOptional(at('multipliers'), (list) => readList(list, (each) => readMultiplier(each, currencies))) ?? [],
    audience: readOptional(at('audience'), (each) => readAudience(each, currencies)),
    venueIds: readOptional(at('venueIds'), (list) => readList(list, readId)),
    channels: readOptional(at('channels'), (list) => readList(list, readId)),
    schedule: readOptional(at('schedule'), (list) => readList(list, readWindow)),
    validFrom: readOptional(at('validFrom'), readMoment),
    validUntil: readOptional(at('validUntil'), readMoment),
  }
  const { validFrom, validUntil } = rule
  if (validFrom !== null && validUntil !== null && validFrom >= validUntil) {
    at('validUntil').fault('a moment after validFrom')
  }
  return { rule, path: place.path }
}

function readCurrencyOf(
  place: Place,
  currencies: readonly ProgrammeCurrency[],
): Pick<EarningRule, 'currencyId' | 'opensAfterDays' | 'expires' | 'onReturn'> {
  const currencyId = readCurrencyId(place, currencies)
  const currency = currencies.find((each) => each.currencyId === currencyId)
  const { opensAfterDays = 0, expires = null, onReturn = 'to_zero' } = currency ?? {}
  return { currencyId, opensAfterDays, expires, onReturn }
}

function readPer(place: Place): EarningPer {
  if (!isObject(place.value)) {
    if (place.value !== 'visit') place.fault('"visit", or an object with amount or units')
    return { kind: 'visit' }
  }
  const at = openFields(place, ['amount', 'units'])
  if (at('amount').absent === at('units').absent) place.fault('either amount or units')
  return at('units').absent
    ? { kind: 'amount', every: readOptional(at('amount'), (value) => readInteger(value, 1, moneyMax)) ?? 1 }
    : { kind: 'units', every: readUnits(at('units')) }
}

function readMaximum(place: Place): NonNullable<EarningRule['maximum']> {
  const at = openFields(place, ['amount', 'period'])
  return {
    amount: readInteger(at('amount'), 1, moneyMax),
    period: readWord(at('period'), ['basket', ...periods]),
  }
}

function readMultiplier(place: Place, currencies: readonly ProgrammeCurrency[]): Multiplier {
  const at = openFields(place, ['audience', 'schedule', 'factor'])
  return {
    audience: readOptional(at('audience'), (each) => readAudience(each, currencies)),
    schedule: readOptional(at('schedule'), (list) => readList(list, readWindow)),
    factor: readFactor(at('factor')),
  }
}

function readFactor(place: Place): number {
  const { value } = place
  const scaled = typeof value === 'string' && factorForm.test(value) ? scaledFromText(value, factorDecimals) : null
  if (scaled !== null && scaled > 0 && scaled <= factorMax) return scaled
  place.fault('a text such as "1.5": above 0, at most 100, with at most 4 decimals')
  return factorOne
}
