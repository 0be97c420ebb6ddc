/**
 * An amount as a person types it, in units of 10^-scale: a sign, digits, and at most `scale` decimals behind a point or a comma.
 * null: it is none.
 */
export function readScaled(text: string, scale: number): bigint | null {
  const match = /^([-+−]?)(\d{1,16})(?:[.,](\d+))?$/.exec(text.replaceAll(/\s/g, ''))
  if (match === null) return null
  const [, sign, whole = '', decimals = ''] = match
  if (decimals.length > scale) return null
  const size = BigInt(whole + decimals.padEnd(scale, '0'))
  return sign === '-' || sign === '−' ? -size : size
}

/** A size as a person would type it, digit for digit, without zeros at the end; `readScaled` reads it back. */
export function typedScaled(size: bigint, scale: number): string {
  const digits = String(size).padStart(scale + 1, '0')
  const whole = digits.length - scale
  const decimals = digits.slice(whole).replace(/0+$/, '')
  return decimals === '' ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${decimals}`
}
