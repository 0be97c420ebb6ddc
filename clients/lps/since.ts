import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { WrongUse } from './command.js'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Help text for a time. */
export const momentHelp = 'minutes, hours or days ago (90m, 12h, 7d) or a time (2026-11-21T10:00:00Z)'

/** Parses `since` and `until`; throws WrongUse on an empty range. */
export function rangeFrom(
  { since, until }: { readonly since: string; readonly until?: string | undefined },
  nowMs: number,
): { readonly from: Timestamp; readonly until?: Timestamp } {
  const from = momentFrom('since', since, nowMs)!
  const end = momentFrom('until', until, nowMs)
  if (end === undefined ? timestampMs(from) > nowMs : timestampMs(from) >= timestampMs(end))
    throw new WrongUse(
      `--since: expected a time before ${until === undefined ? 'now' : `--until ${until}`}, received ${since}`,
    )
  return { from, ...(end && { until: end }) }
}

function momentFrom(option: string, word: string | undefined, nowMs: number): Timestamp | undefined {
  if (word === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(word) ?? []
  if (count !== undefined) return timestampFromMs(nowMs - Number(count) * unitMs[unit as keyof typeof unitMs])
  const at = /^\d{4}-\d\d-\d\d/.test(word) ? Date.parse(word) : Number.NaN
  if (Number.isNaN(at)) throw new WrongUse(`--${option}: expected ${momentHelp}, received ${word}`)
  return timestampFromMs(at)
}
