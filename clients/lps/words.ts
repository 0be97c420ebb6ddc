import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { type Timestamp, timestampDate, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import { InvalidArgumentError } from 'commander'
import { digitsOf } from '../../engine/programme/currency-digits.js'
import { momentFromText } from '../../engine/wire/moment.js'
import { documentBytesMax } from '../../gateway/internal/limits.js'
import { WrongUse } from './screen.js'

// Readers of an argument throw InvalidArgumentError with what they expect; the library adds option and word.

export function amountFrom(word: string): bigint {
  if (!/^-?\d{1,16}$/.test(word)) throw new InvalidArgumentError('expected a whole number')
  return BigInt(word)
}

export function countFrom(word: string): number {
  if (!/^\d{1,9}$/.test(word)) throw new InvalidArgumentError('expected a whole number')
  return Number(word)
}

export function versionFrom(word: string): number {
  if (!(/^\d{1,10}$/.test(word) && Number(word) < 2 ** 31))
    throw new InvalidArgumentError('expected a version such as 7')
  return Number(word)
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export const momentHelp = 'minutes, hours or days ago (90m, 12h, 7d) or a time (2026-11-21T10:00:00Z, 2026-11-21)'

export function momentFrom(word: string): Timestamp {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(word) ?? []
  if (count !== undefined) return timestampFromMs(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs])
  const at = momentFromText(/^\d{4}-\d\d-\d\d$/.test(word) ? `${word}T00:00:00Z` : word)
  if (at === null) throw new InvalidArgumentError(`expected ${momentHelp}`)
  return timestampFromMs(at)
}

export function rangeFrom({ since, until }: { readonly since: Timestamp; readonly until?: Timestamp }) {
  const end = until === undefined ? Date.now() : timestampMs(until)
  if (timestampMs(since) >= end)
    throw new WrongUse(`--since: expected a time before ${until === undefined ? 'now' : '--until'}`)
  return { from: since, ...(until && { until }) }
}

export function momentText(at: Timestamp | undefined): string {
  return at === undefined ? '' : timestampDate(at).toISOString()
}

export function several(word: string, before: readonly string[] = []): readonly string[] {
  return [...before, word]
}

export function readText(file: string): string {
  return readBytes(file).toString('utf8')
}

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new WrongUse(`${file}: expected a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

export function readDocument(file: string): string {
  const text = readText(file)
  if (Buffer.byteLength(text) > documentBytesMax)
    throw new WrongUse(`${file}: expected at most ${documentBytesMax} bytes, received ${Buffer.byteLength(text)}`)
  return text
}

export function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new WrongUse(`${file}: there is no such file`)
  if (found.isDirectory()) throw new WrongUse(`${file}: expected a file, received a directory`)
  return found.size
}

export function uuidOf(...values: readonly unknown[]): string {
  const text = JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** Minor units as text, such as `1234.50 NOK`: exact, with the digits of the currency. */
export function moneyText(amount: bigint | number, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`
}

export function amountText(amount: bigint | number, currency: string): string {
  const digits = digitsOf(currency)
  const minor = BigInt(amount)
  const sign = minor < 0n ? '-' : ''
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0')
  if (digits === 0) return `${sign}${text}`
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
