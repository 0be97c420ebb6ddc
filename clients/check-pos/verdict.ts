import type { Checked } from '../conformance/run-checks.js'
import { type Judging, problemsOfRun, repeatedRequestIds } from './judge-run.js'
import { noteOfCut } from './judge-tries.js'
import type { Problem, Run } from './run.js'

export interface Verdict {
  readonly run: Run
  readonly problems: readonly Problem[]
  readonly note: string | null
}

export function verdictsOf(runs: readonly Run[], judging: Judging): readonly Verdict[] {
  const repeated = repeatedRequestIds(runs)
  return runs.map((run) => {
    const again = repeated.get(run)
    const problems = [...problemsOfRun(run, judging), ...(again === undefined ? [] : [again])]
    return { run, problems, note: noteOfCut(run) }
  })
}

export function checkedOf({ run, problems }: Verdict): Checked {
  const { name, title } = run.step
  const texts = shortenProblems(problems).map(({ rule, text }) => `${rule}: ${text}`)
  const problem = texts.length === 0 ? null : texts.join('; ')
  return { name: `${name}: ${title}`, section: 'POS', problem, durationMs: run.endedMs - run.startedMs }
}

const linesMax = 20

export function shorten<Line>(lines: readonly Line[], lineOf: (text: string) => Line): readonly Line[] {
  const more = lines.length - linesMax
  return more <= 0 ? lines : [...lines.slice(0, linesMax), lineOf(`and ${more} more`)]
}

export function shortenProblems(problems: readonly Problem[]): readonly Problem[] {
  const rules = [...new Set(problems.map(({ rule }) => rule))]
  return rules.flatMap((rule) =>
    shorten(
      problems.filter((problem) => problem.rule === rule),
      (text) => ({ rule, text }),
    ),
  )
}
