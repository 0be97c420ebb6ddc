import type { EarningPer, EarningRule, Expiry, Multiplier, OnReturn } from '../core/base/earning.js'
import { moneyMax } from '../core/base/money.js'
import { isObject, type Place } from './place.js'
import { readId, readInteger, readQuantity } from './read-values.js'

export interface ListedRule {
  readonly rule: EarningRule
  readonly path: string
}

export interface ProgrammeCurrency {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
  readonly opensAfterDays: number
  readonly expires: Expiry | null
  readonly onReturn: OnReturn
}

export interface ProgrammeExchange {
  readonly exchangeId: string
  readonly from: ExchangedAmount
  readonly to: ExchangedAmount
  /** Units of 24 hours from the activation until the value given expires; null: never. */
  readonly validDays: number | null
}

interface ExchangedAmount {
  readonly currencyId: string
  readonly amount: number
}

export interface ProgrammeTier {
  readonly tierId: string
  readonly rank: number
  readonly currencyId: string
  /** To be earned within `windowMonths`; 1 to 2^53 - 1. */
  readonly amount: number
  readonly windowMonths: number
  /** How long it is kept after the day on which it was last qualified for; 0: to the end of that day. */
  readonly keepMonths: number
}

const absent = {
  ...{ select: null, includeNoDiscount: false, minimumSpend: null, cooldownMinutes: null, maximum: null },
  ...{ multipliers: [], audience: null, venueIds: null, channels: null, schedule: null },
  ...{ validFrom: null, validUntil: null, opensAfterDays: 0, expires: null },
  onReturn: 'to_zero',
} as const satisfies Partial<EarningRule>

export function ruleFrom(read: Omit<EarningRule, keyof typeof absent> & Partial<EarningRule>, place: Place) {
  const rule: EarningRule = { ...absent, ...read, ...place.known.currencies.get(read.currencyId) }
  checkEnd(rule, place)
  return { rule, path: place.path }
}

export function checkEnd({ validFrom, validUntil }: Pick<EarningRule, 'validFrom' | 'validUntil'>, place: Place): void {
  if (validFrom !== null && validUntil !== null && validFrom >= validUntil)
    place.at('validUntil').fault('a moment after validFrom')
}

export function readEarningPer(place: Place): EarningPer {
  if (!isObject(place.value)) {
    if (place.value !== 'visit') place.fault('"visit", or an object with amount or units')
    return { kind: 'visit' }
  }
  const [amount, units] = [place.at('amount'), place.at('units')]
  const others = Object.keys(place.value).filter((name) => name !== 'amount' && name !== 'units')
  for (const other of others) place.at(other).fault('no field of this name; known are amount, units')
  if (amount.absent === units.absent) place.fault('either amount or units')
  return units.absent
    ? { kind: 'amount', every: amount.absent ? 1 : readInteger(amount, 1, moneyMax) }
    : { kind: 'units', every: readQuantity(units, false) }
}

export function multiplierFrom(read: Pick<Multiplier, 'factor'>): Multiplier {
  return { audience: null, schedule: null, ...read }
}

interface CurrencyRead extends Omit<Partial<ProgrammeCurrency>, 'expires'> {
  readonly currencyId: string
  readonly name: string
  readonly expires?: ExpiryRead
}

interface ExpiryRead {
  readonly afterMonths?: number
  readonly afterDays?: number
  readonly atEndOf?: Expiry['atEndOf']
}

export function currencyFrom({ expires: sent, ...read }: CurrencyRead, place: Place): ProgrammeCurrency {
  const expires = sent === undefined ? null : expiryFrom(sent, place.at('expires'))
  const currency: ProgrammeCurrency = { scale: 0, opensAfterDays: 0, onReturn: 'to_zero', ...read, expires }
  const { opensAfterDays, onReturn } = currency
  // As many days are too few: where clocks are put forward meanwhile, the last has 23 hours.
  if (expires !== null && opensAfterDays >= daysAtLeast(expires))
    place.at('opensAfterDays').fault('fewer days than until it expires, wherever it begins')
  if (read.currencyId !== '') place.known.currencies.set(read.currencyId, { opensAfterDays, expires, onReturn })
  return currency
}

export function readCurrencyNamed(place: Place): string {
  const named = readId(place)
  if (named === '' || place.known.currencies.has(named)) return named
  place.fault('the currencyId of one of the currencies')
  return ''
}

function expiryFrom({ afterMonths, afterDays, atEndOf = null }: ExpiryRead, place: Place): Expiry {
  if (isObject(place.value) && (afterMonths === undefined) === (afterDays === undefined))
    place.fault('either afterMonths or afterDays')
  return afterDays === undefined
    ? { unit: 'months', after: afterMonths ?? 1, atEndOf }
    : { unit: 'days', after: afterDays, atEndOf }
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

export function exchangeFrom(
  read: Omit<ProgrammeExchange, 'validDays'> & Partial<ProgrammeExchange>,
  place: Place,
): ProgrammeExchange {
  const { from, to } = read
  const other = place.at('to').at('currencyId')
  if (from.currencyId !== '' && from.currencyId === to.currencyId) other.fault('another currency than in from')
  else if (from.currencyId !== '' && to.currencyId !== '' && other.first('exchange', from.currencyId) !== other)
    other.fault(`a currency that no exchange before gives for ${from.currencyId}`)
  return { validDays: null, ...read }
}

export function tierFrom(read: ProgrammeTier, place: Place): ProgrammeTier {
  place.at('rank').checkOnce('rank', read.rank)
  return read
}
