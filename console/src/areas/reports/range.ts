import { plusDays } from '../../parts/days.js'
import type { ReportSearch } from '../../search.js'

const dayMs = 86_400_000

/** Days of a report, both inclusive, `YYYY-MM-DD`. */
export interface Range {
  readonly from: string
  readonly until: string
  /** '': any. */
  readonly venueId: string
  /** The first of as many days to compare with. '': the days before. */
  readonly against: string
}

/** @param daysShown  without days in the address, those up to today */
export function rangeOf(search: ReportSearch, today: string, daysShown: number): Range {
  const { from, until = today, venueId = '', against = '' } = search
  return { from: from ?? plusDays(until, 1 - daysShown), until, venueId, against }
}

export interface Preset extends Pick<Range, 'from' | 'until'> {
  readonly name: string
}

/** Days that people ask for; weeks begin on Monday. */
export function presetsAt(today: string): readonly Preset[] {
  const yesterday = plusDays(today, -1)
  const sunday = plusDays(today, -(new Date(today).getUTCDay() || 7))
  const monthEnd = plusDays(`${today.slice(0, 8)}01`, -1)
  return [
    { name: 'yesterday', from: yesterday, until: yesterday },
    { name: 'lastWeek', from: plusDays(sunday, -6), until: sunday },
    { name: 'lastMonth', from: `${monthEnd.slice(0, 8)}01`, until: monthEnd },
  ]
}

export function daysIn({ from, until }: Pick<Range, 'from' | 'until'>): number {
  return Math.max(1, (Date.parse(until) - Date.parse(from)) / dayMs + 1)
}

export function rangeBefore(range: Range): Range {
  const count = daysIn(range)
  const from = range.against || plusDays(range.from, -count)
  return { ...range, from, until: plusDays(from, count - 1) }
}

export function eachDay(range: Pick<Range, 'from' | 'until'>): readonly string[] {
  return Array.from({ length: daysIn(range) }, (_, at) => plusDays(range.from, at))
}
