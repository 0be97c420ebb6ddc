import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { WrongUse } from './command.js'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** How help texts explain a time. */
export const momentHelp = 'minutes, hours or days ago (90m, 12h, 7d) or a time (2026-11-21T10:00:00Z)'

/** The moment that a word of a person means; undefined where there is none. */
export function momentFrom(option: string, word: string | undefined, nowMs: number): Timestamp | undefined {
  if (word === undefined) return undefined
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(word) ?? []
  if (count !== undefined) return timestampFromMs(nowMs - Number(count) * unitMs[unit as keyof typeof unitMs])
  const at = /^\d{4}-\d\d-\d\d/.test(word) ? Date.parse(word) : Number.NaN
  if (Number.isNaN(at)) throw new WrongUse(`--${option}: expected ${momentHelp}, received ${word}`)
  return timestampFromMs(at)
}
