import type { Calculation } from '../../engine/core/base/outcome.js'
import { type BestOutcome, bestOutcome } from './best-outcome.js'
import { openBenefits } from './open-benefits.js'
import { outcomeFaults } from './outcome-faults.js'
import { byCodePoints, type PricingCase } from './pricing-case.js'
import { replayFaults } from './replay-faults.js'
import { readSentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'
import { earlyStageOf, unchangedReason } from './unchanged-reason.js'

/** A disagreement of the engine with the oracle or the identities. */
export interface Mismatch {
  readonly kind: 'threw' | 'identity' | 'value' | 'spent' | 'allowed' | 'stage' | 'reason' | 'bound'
  readonly engine: string
  readonly oracle: string
}

/** The engine under test. */
export type Engine = (question: PricingCase) => Calculation

/** Runs both and returns the first relevant difference; null where they agree. Which of equal outcomes the engine takes is its own. */
export function compareCase(question: PricingCase, engine: Engine): Mismatch | null {
  let said: Calculation
  try {
    said = engine(question)
  } catch (error) {
    return {
      kind: 'threw',
      engine: error instanceof Error ? (error.stack ?? error.message) : String(error),
      oracle: '',
    }
  }
  // A basket that carries an earlier answer of ours may come back unchanged, as it already is the outcome.
  const isRepeated = readSentBasket(question.input).stripped
  if (isRepeated && said.outcome.status === 'unchanged') return null
  const faults = outcomeFaults(question, said)
  if (faults.length > 0) return { kind: 'identity', engine: faults.join('; '), oracle: '' }
  return differing(question, said, isRepeated)
}

function differing(question: PricingCase, said: Calculation, isRepeated: boolean): Mismatch | null {
  const best = bestOutcome(question)
  const values = { engine: String(said.value), oracle: String(best.value) }
  if (!said.optimal) {
    const isBound = said.value <= best.value && said.value + said.gap >= best.value
    return isBound ? null : { kind: 'bound', engine: `${said.value} + ${said.gap}`, oracle: values.oracle }
  }
  if (said.value !== best.value) return { kind: 'value', ...values }
  const spent = sumOf(said.spending.map(({ amount, times }) => amount * times))
  if (spent !== best.spent) return { kind: 'spent', engine: String(spent), oracle: String(best.spent) }
  return reportFaults(question, said) ?? outcomeFault(question, said, { best, isRepeated })
}

function outcomeFault(
  question: PricingCase,
  said: Calculation,
  { best, isRepeated }: { best: BestOutcome; isRepeated: boolean },
): Mismatch | null {
  if (said.outcome.status === 'applied') {
    const faults = replayFaults(question, said)
    if (faults.length > 0) return { kind: 'allowed', engine: faults.join('; '), oracle: '' }
    if (best.value === 0 && !isRepeated) return { kind: 'reason', engine: 'applied', oracle: 'unchanged' }
    return null
  }
  const reason = unchangedReason(question)
  return said.outcome.reason === reason ? null : { kind: 'reason', engine: said.outcome.reason, oracle: reason }
}

/** Every benefit open to the member is reported, and one that is dropped before the search is reported at its stage. */
function reportFaults(question: PricingCase, { benefits }: Calculation): Mismatch | null {
  const basket = readSentBasket(question.input)
  const open = openBenefits(question.benefits, question.input)
  const ids = (list: readonly { benefitId: string }[]) =>
    list
      .map(({ benefitId }) => benefitId)
      .sort(byCodePoints)
      .join()
  if (ids(open) !== ids(benefits)) return { kind: 'stage', engine: ids(benefits), oracle: ids(open) }
  for (const benefit of open) {
    const dropped = benefits.find((report) => report.benefitId === benefit.benefitId)!.dropped
    const stage = earlyStageOf(benefit, basket, question)
    const isSaidEarly = dropped?.stage === 'conditions_not_met' || dropped?.stage === 'not_discountable'
    if ((stage !== null || isSaidEarly) && dropped?.stage !== stage) {
      const labelled = (text: string) => `${benefit.benefitId}: ${text}`
      return { kind: 'stage', engine: labelled(dropped?.stage ?? 'applied'), oracle: labelled(stage ?? 'later') }
    }
  }
  return null
}
