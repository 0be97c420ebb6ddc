export interface Screen {
  readonly print: (line: string) => void
  /** Text besides the result, on stderr: progress, hints, faults. */
  readonly tell: (line: string) => void
  /** A line that the next one overwrites, on a terminal only; empty: clears it. */
  readonly status: (line: string) => void
}

export interface Command {
  /** Its words on the command line, such as `secret new`. */
  readonly name: string
  readonly summary: string
  /** Output of `lps NAME --help`: what it does, an example, every option. */
  readonly help: string
  /** Resolves to the exit code: 0 success, 1 a negative answer. Throws WrongUse on invalid arguments. */
  run(words: readonly string[], screen: Screen): Promise<number>
}

/** Invalid arguments, or a named file or id that does not exist: exit code 2, and a line that says what to do. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}
