export type Environment = Readonly<Record<string, string | undefined>>

export interface Source {
  /** The value of a variable; one that is empty counts as not set. */
  text(name: string): string | undefined
  fault(name: string, expected: string, received: string): void
}

/** One of the words, exactly; `fallback` where it is not set, or after a fault. */
export function readWord<Word extends string>(
  source: Source,
  name: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  const text = source.text(name)
  if (text === undefined) return fallback
  const word = words.find((one) => one === text)
  if (word === undefined) source.fault(name, `one of ${words.join(', ')}`, quoted(text))
  return word ?? fallback
}

/** A whole number within bounds; `fallback` where it is not set, or after a fault. */
export function readWhole(
  source: Source,
  name: string,
  fallback: number,
  [least, most]: readonly [number, number],
): number {
  const text = source.text(name)
  if (text === undefined) return fallback
  const value = /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  source.fault(name, `a whole number from ${least} to ${most}`, quoted(text))
  return fallback
}

/** Replaces a value that may be a secret in faults. */
export const hidden = 'something else (not shown)'
const receivedCharactersMax = 64

export function quoted(text: string): string {
  return JSON.stringify(text.slice(0, receivedCharactersMax))
}
