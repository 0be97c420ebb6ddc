import { WrongUse } from './command.js'

/** As many as a message can name. */
const versionMax = 2 ** 31 - 1

/** A published version as a word, 1 or more; throws WrongUse else. */
export function versionFrom(option: string, word: string): number {
  const version = Number(word)
  if (!(/^\d+$/.test(word) && version >= 1 && version <= versionMax))
    throw new WrongUse(`${option}: expected a version such as 7, received ${word}`)
  return version
}
