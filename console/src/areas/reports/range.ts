import type { ReportSearch } from '../../search.js'

const dayMs = 86_400_000
const daysShown = 7

/** Days of a report, both inclusive, `YYYY-MM-DD`, and a venue; '': any. */
export interface Range {
  readonly from: string
  readonly until: string
  readonly venueId: string
}

export function rangeOf({ from, until, venueId = '' }: ReportSearch, today: string): Range {
  const last = until ?? today
  return { from: from ?? plusDays(last, 1 - daysShown), until: last, venueId }
}

export function daysIn({ from, until }: Range): number {
  return Math.max(1, (Date.parse(until) - Date.parse(from)) / dayMs + 1)
}

export function rangeBefore(range: Range): Range {
  return { ...range, from: plusDays(range.from, -daysIn(range)), until: plusDays(range.from, -1) }
}

export function eachDay(range: Range): readonly string[] {
  return Array.from({ length: daysIn(range) }, (_, at) => plusDays(range.from, at))
}

function plusDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10)
}
