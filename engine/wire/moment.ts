const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const
const dayMs = 86_400_000
const minuteMs = 60_000
/** Days from 0000-03-01 to 1970-01-01 in the proleptic Gregorian calendar. */
const epochDays = 719_468
const eraDays = 146_097

/**
 * Parses an RFC 3339 date-time with an offset (wire decisions 1, requestedAt) to milliseconds since the epoch; null
 * where it is not one. Accepts lower-case `t` and `z`, `-00:00` and any number of fraction digits; cuts below a
 * millisecond. Refuses 30 February and 24:00. A leap second (23:59:60 UTC at the end of a month) is the first moment of
 * the next day.
 */
export function momentFromText(text: string): number | null {
  const parts = form.exec(text)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts
  const days = daysFromDate(Number(year), Number(month), Number(day))
  if (days === null) return null
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute))
  const wholeMinute = days * dayMs + (Number(hour) * 60 + Number(minute) - offset) * minuteMs
  if (second === '60') return isMonthStart(wholeMinute + minuteMs) ? wholeMinute + minuteMs : null
  return wholeMinute + Number(second) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

function daysFromDate(year: number, month: number, day: number): number | null {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 && isLeap ? 29 : monthDays[month - 1]
  if (last === undefined || day < 1 || day > last) return null
  const shifted = month > 2 ? year : year - 1
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * eraDays + dayOfEra - epochDays
}

function isMonthStart(moment: number): boolean {
  const date = new Date(moment)
  return moment % dayMs === 0 && date.getUTCDate() === 1
}
