import type { CalculationFacts } from '../base/input.js'
import type { Entered } from '../base/outcome.js'
import type { Experiment } from '../base/programme.js'
import type { CompiledBenefit, CompiledExperiment } from './compile.js'
import { isOpen, type Occasion } from './open.js'

export interface Experimented {
  readonly withheld: ReadonlySet<number>
  readonly entered: readonly Entered[]
}

const nothing: Experimented = { withheld: new Set(), entered: [] }

/** A basket enters those of which a benefit is open to the member, or would be if it were not withheld: one rule for every arm. */
export function experimentsAt(
  experiments: readonly CompiledExperiment[],
  arms: CalculationFacts['arms'],
  occasion: Occasion,
): Experimented {
  if (experiments.length === 0 || arms === undefined) return nothing
  const withheld = new Set<number>()
  const entered: Entered[] = []
  for (const { experimentId, armId, ranks, benefits } of runningAt(experiments, arms, occasion)) {
    for (const rank of ranks) withheld.add(rank)
    const isWithheld = benefits.some((each) => ranks.has(each.rank) && isOpen(each, occasion))
    if (isWithheld || benefits.some((each) => isOpen(each, occasion))) entered.push({ experimentId, armId, isWithheld })
  }
  return { withheld, entered }
}

interface Withholding {
  readonly experimentId: string
  readonly name: string
  readonly armId: string
  readonly ranks: ReadonlySet<number>
  readonly benefits: readonly CompiledBenefit[]
}

export function runningAt(
  experiments: readonly CompiledExperiment[],
  arms: CalculationFacts['arms'] = {},
  { basket }: Occasion,
): readonly Withholding[] {
  return experiments.flatMap(({ experiment, benefits, withheld }) => {
    const { experimentId, name } = experiment
    if (!Object.hasOwn(arms, experimentId) || !isRunning(experiment, basket.requestedAt)) return []
    const armId = arms[experimentId]!
    return [{ experimentId, name, armId, ranks: withheld.get(armId) ?? noRanks, benefits }]
  })
}

const noRanks: ReadonlySet<number> = new Set()

export function isRunning({ from, until }: Pick<Experiment, 'from' | 'until'>, at: number): boolean {
  return (from === null || at >= from) && (until === null || at < until)
}
