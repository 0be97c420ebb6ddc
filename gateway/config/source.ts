import { readFileSync } from 'node:fs'

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

/** Values with a secret or password in them, which a file may hold instead: container engines pass secrets as files. */
const fromFiles = [
  ...['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL'],
  ...['LOYALTY_TOKENS', 'LOYALTY_OIDC_CLIENT_SECRET', 'LOYALTY_LOG_KEY', 'LOYALTY_PARTNER_KEY'],
]

/** Puts the contents of the files that `NAME_FILE` names into the environment; calls `fault` for each that cannot be used. */
export function withFiles(env: Environment, fault: Source['fault']): Environment {
  const found: Record<string, string> = {}
  for (const name of fromFiles) {
    const file = env[`${name}_FILE`]
    if (!file) continue
    if (env[name]) fault(`${name}_FILE`, `nothing, since ${name} is set`, quoted(file))
    try {
      found[name] = readFileSync(file, 'utf8').trim()
    } catch (error) {
      fault(`${name}_FILE`, 'a file that can be read', `${quoted(file)} (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { ...env, ...found }
}
