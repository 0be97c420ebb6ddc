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
