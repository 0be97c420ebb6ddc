import type { Expiry, OnReturn } from '../core/base/earning.js'
import { moneyMax } from '../core/base/money.js'
import type { Place } from './place.js'
import { isObject, Once, openFields, readId, readInteger, readOptional, readText, readWord } from './read-values.js'
import { readOwn } from './read-venue.js'

export interface ProgrammeCurrency {
  readonly currencyId: string
  readonly name: string
  readonly scale: number
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

interface ExchangeIdentities {
  readonly exchangeIds: Once
  readonly currencies: readonly ProgrammeCurrency[]
  readonly pairs: Set<string>
}

export function createExchangeIdentities(currencies: readonly ProgrammeCurrency[]): ExchangeIdentities {
  return { exchangeIds: new Once('exchangeId'), currencies, pairs: new Set() }
}

export function readExchange(place: Place, { exchangeIds, currencies, pairs }: ExchangeIdentities): ProgrammeExchange {
  const at = openFields(place, ['exchangeId', 'from', 'to', 'validDays'])
  const exchangeId = readOwn(at('exchangeId'), exchangeIds)
  const validDays = readOptional(at('validDays'), (days) => readInteger(days, 1, daysMax))
  const { amount: from } = readAmount(at('from'), currencies)
  const { amount: to, currency } = readAmount(at('to'), currencies)
  const isPair = from.currencyId !== '' && to.currencyId !== ''
  const pair = JSON.stringify([from.currencyId, to.currencyId])
  if (isPair && from.currencyId === to.currencyId) currency.fault('another currency than in from')
  else if (isPair && pairs.has(pair)) currency.fault(`a currency that no exchange before gives for ${from.currencyId}`)
  pairs.add(pair)
  return { exchangeId, from, to, validDays }
}

/** An empty currencyId after a fault; `currency` is its place. */
function readAmount(place: Place, currencies: readonly ProgrammeCurrency[]) {
  const at = openFields(place, ['currencyId', 'amount'])
  const currency = at('currencyId')
  const currencyId = readCurrencyId(currency, currencies)
  const amount: ExchangedAmount = { currencyId, amount: readInteger(at('amount'), 1, moneyMax) }
  return { amount, currency }
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

interface TierIdentities {
  readonly tierIds: Once
  readonly currencies: readonly ProgrammeCurrency[]
  readonly ranks: Map<number, string>
}

const rankMax = 1_000_000

export function createTierIdentities(currencies: readonly ProgrammeCurrency[]): TierIdentities {
  return { tierIds: new Once('tierId'), currencies, ranks: new Map() }
}

export function readTier(place: Place, { tierIds, currencies, ranks }: TierIdentities): ProgrammeTier {
  const at = openFields(place, ['tierId', 'rank', 'currencyId', 'amount', 'windowMonths', 'keepMonths'])
  return {
    tierId: readOwn(at('tierId'), tierIds),
    rank: readRank(at('rank'), ranks),
    currencyId: readCurrencyId(at('currencyId'), currencies),
    amount: readInteger(at('amount'), 1, moneyMax),
    windowMonths: readInteger(at('windowMonths'), 1, monthsMax),
    keepMonths: readInteger(at('keepMonths'), 0, monthsMax),
  }
}

function readRank(place: Place, ranks: Map<number, string>): number {
  const rank = readInteger(place, -rankMax, rankMax)
  if (rank !== place.value) return rank
  const earlier = ranks.get(rank)
  if (earlier === undefined) ranks.set(rank, place.path)
  else place.fault(`a rank of its own: ${earlier} has it already`)
  return rank
}
