/** Sign, digits without leading or trailing zeros, and the power of ten of the last digit. Zero has no digits. */
export interface Decimal {
  readonly negative: boolean
  readonly digits: string
  /** bigint: a POS may write an exponent of any length. */
  readonly exponent: bigint
}

const zero: Decimal = { negative: false, digits: '', exponent: 0n }
const integerDigitsMax = 16

/** The text of a JSON number. 250,000 digits take microseconds in the mantissa and 15 ms in the exponent. */
export function decimalFromText(text: string): Decimal {
  const negative = text.startsWith('-')
  const mark = text.search(/[eE]/)
  const mantissa = text.slice(negative ? 1 : 0, mark < 0 ? text.length : mark)
  const point = mantissa.indexOf('.')
  const whole = point < 0 ? mantissa : mantissa.slice(0, point)
  const fraction = point < 0 ? '' : mantissa.slice(point + 1)
  const all = whole + fraction
  let end = all.length
  while (end > 0 && all.charCodeAt(end - 1) === 48) end--
  if (end === 0) return zero
  let start = 0
  while (all.charCodeAt(start) === 48) start++
  const exponent = mark < 0 ? 0n : BigInt(text.slice(mark + 1).replace('+', ''))
  return { negative, digits: all.slice(start, end), exponent: exponent + BigInt(whole.length - end) }
}

/** In units of 10^-decimals: `scaledFromText('1.005', 3)` is 1005. null: negative, more decimals, or above 2^53 - 1. */
export function scaledFromText(text: string, decimals: number): number | null {
  const { negative, digits, exponent } = decimalFromText(text)
  if (digits === '') return 0
  const zeros = exponent + BigInt(decimals)
  if (negative || zeros < 0n || zeros + BigInt(digits.length) > BigInt(integerDigitsMax)) return null
  const scaled = Number(digits + '0'.repeat(Number(zeros)))
  return Number.isSafeInteger(scaled) ? scaled : null
}

/** Digits and at most one point in so few bytes are exact in a double. */
const plainBytesMax = 11

/** Raising to a power takes longer than all else here. */
const powersOfTen = [1, 10, 100, 1000, 10_000]

export function scaledAt(bytes: Uint8Array, start: number, end: number, decimals: number): number | null {
  const plain = end - start > plainBytesMax ? -1 : scaledFromPlain(bytes, start, end, decimals)
  if (plain >= 0) return plain
  return scaledFromText(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'), decimals)
}

function scaledFromPlain(bytes: Uint8Array, start: number, end: number, decimals: number): number {
  let value = 0
  let missing = -1
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte === 0x2e) missing = decimals
    else if (byte < 0x30 || byte > 0x39 || missing === 0) return -1
    else {
      value = value * 10 + byte - 0x30
      if (missing > 0) missing--
    }
  }
  const zeros = missing < 0 ? decimals : missing
  return value * powersOfTen[zeros]!
}

export function textFromScaled(scaled: number, decimals: number): string {
  const one = powersOfTen[decimals]!
  if (scaled % one === 0) return String(scaled / one)
  const padded = String(scaled).padStart(decimals + 1, '0')
  const fraction = padded.slice(-decimals).replace(/0+$/, '')
  const whole = padded.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

export function sameDecimal(left: string, right: string): boolean {
  if (left === right) return true
  const a = decimalFromText(left)
  const b = decimalFromText(right)
  return a.negative === b.negative && a.digits === b.digits && a.exponent === b.exponent
}
