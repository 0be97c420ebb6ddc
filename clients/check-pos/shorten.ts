import type { Problem } from './run.js'

/** Lines that are printed of one rule, or of the requests, of a step. */
const linesMax = 20

/** The first lines, and how many more there are. */
export function shorten<Line>(lines: readonly Line[], lineOf: (text: string) => Line): readonly Line[] {
  const more = lines.length - linesMax
  return more <= 0 ? lines : [...lines.slice(0, linesMax), lineOf(`and ${more} more`)]
}

/** The same for each rule, rule by rule. */
export function shortenProblems(problems: readonly Problem[]): readonly Problem[] {
  const rules = [...new Set(problems.map(({ rule }) => rule))]
  return rules.flatMap((rule) =>
    shorten(
      problems.filter((problem) => problem.rule === rule),
      (text) => ({ rule, text }),
    ),
  )
}
