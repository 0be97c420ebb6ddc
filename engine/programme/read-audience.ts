import { moneyMax } from '../core/base/money.js'
import type { Audience, Between, DaysAround } from '../core/base/programme.js'
import type { Place } from './place.js'
import { type ProgrammeCurrency, readCurrencyId } from './read-programme-currency.js'
import { isObject, Once, openFields, readId, readInteger, readList } from './read-values.js'

/** Days on one side of a date: the next one is never further away. */
const aroundDaysMax = 366
const pastDaysMax = 36_500

const lists = ['tiers', 'segments', 'memberIds'] as const
const others = ['visits', 'birthday', 'anniversary', 'joinedWithinDays', 'lastVisit', 'balances'] as const

export function readAudience(place: Place, currencies: readonly ProgrammeCurrency[]): Audience {
  const at = openFields(place, [...lists, ...others])
  const [visits, birthday, anniversary] = [at('visits'), at('birthday'), at('anniversary')]
  const [joined, lastVisit, balances] = [at('joinedWithinDays'), at('lastVisit'), at('balances')]
  const currencyIds = new Once('currencyId')
  return {
    ...Object.fromEntries(
      lists.filter((field) => !at(field).absent).map((field) => [field, readList(at(field), readId)]),
    ),
    ...(visits.absent ? {} : { visits: readBetween(visits) }),
    ...(birthday.absent ? {} : { birthday: readAround(birthday) }),
    ...(anniversary.absent ? {} : { anniversary: readAround(anniversary) }),
    ...(joined.absent ? {} : { joinedWithinDays: readInteger(joined, 0, pastDaysMax) }),
    ...(lastVisit.absent ? {} : { lastVisit: readLastVisit(lastVisit) }),
    ...(balances.absent
      ? {}
      : { balances: readList(balances, (entry) => readBalance(entry, { currencies, currencyIds })) }),
  }
}

function readBetween(place: Place, more: readonly 'currencyId'[] = []): Between {
  const at = openFields(place, [...more, 'from', 'to'])
  return readBounds(place, { low: at('from'), high: at('to'), max: moneyMax, names: ['from', 'to'] })
}

function readLastVisit(place: Place): NonNullable<Audience['lastVisit']> {
  const names = ['atLeastDays', 'atMostDays'] as const
  const at = openFields(place, names)
  return readBounds(place, { low: at(names[0]), high: at(names[1]), max: pastDaysMax, names })
}

interface Bounds<L extends string, H extends string> {
  readonly low: Place
  readonly high: Place
  readonly max: number
  readonly names: readonly [L, H]
}

function readBounds<L extends string, H extends string>(
  place: Place,
  { low, high, max, names: [lowName, highName] }: Bounds<L, H>,
): { readonly [name in L | H]?: number } {
  if (isObject(place.value) && low.absent && high.absent) place.fault(`${lowName}, ${highName} or both`)
  const least = low.absent ? null : readInteger(low, 0, max)
  const most = high.absent ? null : readInteger(high, 0, max)
  if (least !== null && most !== null && least > most) high.fault(`as much as ${lowName}, or more`)
  return {
    ...(least === null ? {} : { [lowName]: least }),
    ...(most === null ? {} : { [highName]: most }),
  } as { readonly [name in L | H]?: number }
}

function readAround(place: Place): DaysAround {
  const at = openFields(place, ['daysBefore', 'daysAfter'])
  return {
    daysBefore: readInteger(at('daysBefore'), 0, aroundDaysMax),
    daysAfter: readInteger(at('daysAfter'), 0, aroundDaysMax),
  }
}

interface OfCurrencies {
  readonly currencies: readonly ProgrammeCurrency[]
  readonly currencyIds: Once
}

function readBalance(place: Place, { currencies, currencyIds }: OfCurrencies) {
  const between = readBetween(place, ['currencyId'])
  const id = place.below('currencyId', isObject(place.value) ? place.value.currencyId : undefined)
  const currencyId = isObject(place.value) ? readCurrencyId(id, currencies) : ''
  currencyIds.add(id, currencyId)
  return { currencyId, ...between }
}
