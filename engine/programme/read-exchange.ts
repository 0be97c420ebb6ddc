import { moneyMax } from '../core/base/money.js'
import type { Place } from './place.js'
import { type ProgrammeCurrency, readCurrencyId } from './read-programme-currency.js'
import { Once, openFields, readInteger, readOptional } from './read-values.js'
import { readOwn } from './read-venue.js'

/** An exchange of one currency for another (4-member-value, section 6), as the ledger stores it. */
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

const daysMax = 36_500

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
