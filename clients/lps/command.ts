/** Where a command shows what it does. */
export interface Screen {
  readonly print: (line: string) => void
  /** For people beside the result: progress, hints, faults. */
  readonly tell: (line: string) => void
  /** One line that the next one takes the place of, on a terminal only; empty: it goes. */
  readonly status: (line: string) => void
}

/** One command of `lps`. */
export interface Command {
  /** The words that name it, such as `secret new`. */
  readonly name: string
  /** One line for the list. */
  readonly summary: string
  /** What `lps NAME --help` prints: what it does, an example, every option. */
  readonly help: string
  /** Resolves to the exit code: 0 done, 1 the answer is no. Throws WrongUse where the words make no sense. */
  run(words: readonly string[], screen: Screen): Promise<number>
}

/** The words make no sense, or what they name is not there: exit code 2, and a line that says what to do. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}
