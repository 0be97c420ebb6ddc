import { readFileSync, statSync } from 'node:fs'
import { documentBytesMax } from '../../gateway/rpc/limits.js'
import { WrongUse } from './command.js'

/** A text file; throws WrongUse where it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new WrongUse(`${file}: expected a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Reads a programme document; throws WrongUse where the service could not accept it. */
export function readDocument(file: string): string {
  const text = readText(file)
  if (Buffer.byteLength(text) > documentBytesMax)
    throw new WrongUse(`${file}: expected at most ${documentBytesMax} bytes, received ${Buffer.byteLength(text)}`)
  return text
}

export function onlyWord(positionals: readonly string[], what: string): string {
  const [word, ...others] = positionals
  if (word === undefined || others.length > 0) throw new WrongUse(`expected ${what}`)
  return word
}

/** Bytes of a file; throws WrongUse where it is none. */
export function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new WrongUse(`${file}: there is no such file`)
  if (found.isDirectory()) throw new WrongUse(`${file}: expected a file, received a directory`)
  return found.size
}
