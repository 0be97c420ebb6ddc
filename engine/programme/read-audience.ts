import { moneyMax } from '../core/base/money.js'
import type { Audience } from '../core/base/programme.js'
import type { Place } from './place.js'
import { isObject, openFields, readId, readInteger, readList } from './read-values.js'

/** Days on one side of a birthday: the next one is never further away. */
const birthdayDaysMax = 366
/** A hundred years. */
const joinedDaysMax = 36_500

const lists = ['tiers', 'segments', 'memberIds'] as const

export function readAudience(place: Place): Audience {
  const at = openFields(place, [...lists, 'visits', 'birthday', 'joinedWithinDays'])
  const [visits, birthday, joined] = [at('visits'), at('birthday'), at('joinedWithinDays')]
  return {
    ...Object.fromEntries(
      lists.filter((field) => !at(field).absent).map((field) => [field, readList(at(field), readId)]),
    ),
    ...(visits.absent ? {} : { visits: readVisits(visits) }),
    ...(birthday.absent ? {} : { birthday: readNearBirthday(birthday) }),
    ...(joined.absent ? {} : { joinedWithinDays: readInteger(joined, 0, joinedDaysMax) }),
  }
}

function readVisits(place: Place): NonNullable<Audience['visits']> {
  const at = openFields(place, ['from', 'to'])
  const [from, to] = [at('from'), at('to')]
  if (isObject(place.value) && from.absent && to.absent) place.fault('from, to or both')
  const visits = {
    ...(from.absent ? {} : { from: readInteger(from, 0, moneyMax) }),
    ...(to.absent ? {} : { to: readInteger(to, 0, moneyMax) }),
  }
  if (visits.from !== undefined && visits.to !== undefined && visits.from > visits.to)
    to.fault('as much as from, or more')
  return visits
}

function readNearBirthday(place: Place): NonNullable<Audience['birthday']> {
  const at = openFields(place, ['daysBefore', 'daysAfter'])
  return {
    daysBefore: readInteger(at('daysBefore'), 0, birthdayDaysMax),
    daysAfter: readInteger(at('daysAfter'), 0, birthdayDaysMax),
  }
}
