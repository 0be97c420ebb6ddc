import type { Words } from '../i18n/words.js'

/** A count, with the marks of the language between thousands. */
export function countText({ locale }: Pick<Words, 'locale'>, count: number | bigint): string {
  return new Intl.NumberFormat(locale).format(count)
}

/** A figure with one decimal where it has one. */
export function figureText({ locale }: Pick<Words, 'locale'>, figure: number): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(figure)
}

/** A part of a whole in whole per cent; what is less than one with a decimal. Nothing of nothing is 0 %. */
export function percentText({ locale }: Pick<Words, 'locale'>, part: number | bigint, whole: number | bigint): string {
  const share = Number(whole) === 0 ? 0 : Number(part) / Number(whole)
  const maximumFractionDigits = share !== 0 && Math.abs(share) < 0.01 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits }).format(share)
}

/** By how much something grew or shrank, such as `+12 %`; '': there was nothing before. */
export function changeText({ locale }: Pick<Words, 'locale'>, now: number | bigint, before: number | bigint): string {
  if (Number(before) === 0) return ''
  const change = Number(now) / Number(before) - 1
  return new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  }).format(change)
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size in the largest unit that it has one of. */
export function bytesText({ locale }: Pick<Words, 'locale'>, bytes: bigint): string {
  let size = Number(bytes)
  let at = 0
  while (size >= 1_000 && at < units.length - 1) {
    size /= 1_000
    at += 1
  }
  const format = { style: 'unit', unit: units[at]!, maximumFractionDigits: size < 10 ? 1 : 0 } as const
  return new Intl.NumberFormat(locale, format).format(size)
}
