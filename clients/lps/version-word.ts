import { WrongUse } from './command.js'

/** A published version as a word, 1 or more; throws WrongUse else. */
export function versionFrom(option: string, word: string): number {
  const version = Number(word)
  if (!(Number.isSafeInteger(version) && version >= 1))
    throw new WrongUse(`${option}: expected a version such as 7, received ${word}`)
  return version
}
