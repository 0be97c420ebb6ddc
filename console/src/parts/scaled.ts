import { remembered } from '../i18n/format-message.js'

export { digitsOf } from '../../../engine/programme/currency-digits.js'

interface InLocale {
  readonly locale: string
}

/** Writes whole numbers, and the character before decimals. */
const numbersOf = remembered((locale: string) => {
  const format = new Intl.NumberFormat(locale)
  return { format, point: format.format(1.1).charAt(1) }
})

/** An amount in units of 10^-scale, digit for digit: never a rounded number. */
export function formatScaled(amount: bigint, scale: number, locale: string): string {
  const sign = amount < 0n ? '−' : ''
  const size = amount < 0n ? -amount : amount
  const unit = 10n ** BigInt(scale)
  const { format, point } = numbersOf(locale)
  const whole = format.format(size / unit)
  if (scale === 0) return sign + whole
  return `${sign}${whole}${point}${String(size % unit).padStart(scale, '0')}`
}

/**
 * An amount typed by a person, in units of 10^-scale: a sign, digits, and at most `scale` decimals after a point or a comma. null: no
 * amount.
 */
export function readScaled(text: string, scale: number): bigint | null {
  const match = /^([-+−]?)(\d{1,16})(?:[.,](\d+))?$/.exec(text.replaceAll(/\s/g, ''))
  if (match === null) return null
  const [, sign, whole = '', decimals = ''] = match
  if (decimals.length > scale) return null
  const size = BigInt(whole + decimals.padEnd(scale, '0'))
  return sign === '-' || sign === '−' ? -size : size
}

/** A size in typed form, digit for digit, without zeros at the end; `readScaled` reads it back. */
export function typedScaled(size: bigint, scale: number): string {
  const digits = String(size).padStart(scale + 1, '0')
  const whole = digits.length - scale
  const decimals = digits.slice(whole).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${decimals}`
}

export function countText({ locale }: InLocale, count: number | bigint): string {
  return new Intl.NumberFormat(locale).format(count)
}

export function figureText({ locale }: InLocale, figure: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(figure)
}

/** A part of a whole in whole per cent; with a decimal below one. 0 % of nothing. */
export function percentText({ locale }: InLocale, part: number | bigint, whole: number | bigint): string {
  const share = Number(whole) === 0 ? 0 : Number(part) / Number(whole)
  const maximumFractionDigits = share !== 0 && Math.abs(share) < 0.01 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits }).format(share)
}

/** Relative growth or decline, such as `+12 %`; '': there was nothing before. */
export function changeText({ locale }: InLocale, now: number | bigint, before: number | bigint): string {
  if (Number(before) === 0) return ''
  const change = Number(now) / Number(before) - 1
  return new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  }).format(change)
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

export function bytesText({ locale }: InLocale, bytes: bigint): string {
  let size = Number(bytes)
  let at = 0
  while (size >= 1_000 && at < units.length - 1) {
    size /= 1_000
    at += 1
  }
  const format = { style: 'unit', unit: units[at]!, maximumFractionDigits: size < 10 ? 1 : 0 } as const
  return new Intl.NumberFormat(locale, format).format(size)
}
