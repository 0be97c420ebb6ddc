import type { BenefitReport, Dropped } from '../../../../engine/core/base/outcome.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'

/** Why benefits are dropped at a stage. */
export type At<S extends Dropped['stage']> = Extract<Dropped, { stage: S }>

/** The reports of a stage, each with its benefit. */
export function droppedAt<S extends Dropped['stage']>(
  stage: S,
  reports: readonly BenefitReport[],
  benefits: readonly Benefit[],
) {
  return reports.flatMap(({ benefitId, dropped }) => {
    const benefit = benefits.find((each) => each.benefitId === benefitId)!
    return dropped?.stage === stage ? [{ benefit, dropped: dropped as At<S> }] : []
  })
}
