import type { Checked } from '../conformance/run-checks.js'
import { type Judging, problemsOfRun, repeatedRequestIds } from './judge-run.js'
import { noteOfCut } from './judge-tries.js'
import type { Problem, Run } from './run.js'

/** One step and its problems. */
export interface Verdict {
  readonly run: Run
  /** Empty: passed. */
  readonly problems: readonly Problem[]
  /** A part that the step could not test; null: none. */
  readonly note: string | null
}

/** Judges every step; events that came late count for the step of their basket. */
export function verdictsOf(runs: readonly Run[], judging: Judging): readonly Verdict[] {
  const repeated = repeatedRequestIds(runs)
  return runs.map((run) => {
    const again = repeated.get(run)
    const problems = [...problemsOfRun(run, judging), ...(again === undefined ? [] : [again])]
    return { run, problems, note: noteOfCut(run) }
  })
}

/** For JUnit: a step is a test, and its first problem's rule comes before the text. */
export function checkedOf({ run, problems }: Verdict): Checked {
  const { name, title } = run.step
  const texts = shortenProblems(problems).map(({ rule, text }) => `${rule}: ${text}`)
  const problem = texts.length === 0 ? null : texts.join('; ')
  return { name: `${name}: ${title}`, section: 'POS', problem, durationMs: run.endedMs - run.startedMs }
}

/** Lines printed for each rule, or for the requests, of a step. */
const linesMax = 20

/** The first lines, and the number of further ones. */
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
