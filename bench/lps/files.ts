import { readFileSync } from 'node:fs'
import { WrongUse } from './command.js'

/** The text of a file that a person named. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new WrongUse(`${file}: expected a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** The one word that a command takes beside its options. */
export function onlyWord(positionals: readonly string[], what: string): string {
  const [word, ...others] = positionals
  if (word === undefined || others.length > 0) throw new WrongUse(`expected ${what}`)
  return word
}
