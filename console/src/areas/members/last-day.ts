import type { Account } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import type { ExpiryPart } from '../../api/programme.js'

/**
 * The last day of value given today, by the rule of its currency: as the service computes it, without the time.
 *
 * @param today  `YYYY-MM-DD` in the zone of the programme's first venue
 * @returns      the same
 */
export function lastDay({ afterMonths, afterDays, atEndOf }: ExpiryPart, today: string): string {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  const due =
    afterMonths == null
      ? utcDay(year, month, day + (afterDays ?? 0))
      : utcDay(year, month + afterMonths, Math.min(day, daysIn(year, month + afterMonths)))
  return endOf(due, atEndOf).toISOString().slice(0, 10)
}

function endOf(date: Date, span: ExpiryPart['atEndOf']): Date {
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  switch (span) {
    case 'week':
      return utcDay(year, month, day + ((7 - date.getUTCDay()) % 7))
    case 'month':
      return utcDay(year, month, daysIn(year, month))
    case 'year':
      return utcDay(year, 12, 31)
    default:
      return date
  }
}

/** @param month  from 1; above 12 in a later year */
function utcDay(year: number, month: number, day: number): Date {
  return new Date(Date.UTC(year, month - 1, day))
}

function daysIn(year: number, month: number): number {
  return utcDay(year, month + 1, 0).getUTCDate()
}

export function debtPaid(account: Pick<Account, 'debt'> | undefined, credit: bigint): bigint {
  const debt = account?.debt ?? 0n
  return credit < 0n ? 0n : credit < debt ? credit : debt
}
