import type { CommanderError } from 'commander'

/** Invalid arguments, or a named file or id that does not exist: exit code 2, and a line with the remedy. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

/** An action of a command; its work resolves to the exit code: 0 success, 1 a negative answer. Throws WrongUse on invalid arguments. */
export function exits<Words extends readonly unknown[]>(work: (...words: Words) => Promise<number>) {
  return async (...words: Words): Promise<void> => {
    process.exitCode = await work(...words)
  }
}

/** A fault that the library found, as one line in our words. */
export function faultText({ message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const [, option, word, expected] =
    /^(?:option|command-argument value) (.*) (?:argument )?'(.*)' is invalid[^.]*\. (.*)$/.exec(text) ?? []
  return option === undefined ? text : `${/--[\w.-]+/.exec(option)?.[0] ?? option}: ${expected}, received ${word}`
}
