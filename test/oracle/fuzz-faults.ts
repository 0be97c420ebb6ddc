import { type Calculation, counterKey } from '../../engine/core/base/outcome.js'
import { calculate, checkIdentities, compileProgramme } from '../../engine/core/index.js'
import { sentBack } from '../engine/core/builders.js'
import { outcomeFaults } from './outcome-faults.js'
import type { PricingCase } from './pricing-case.js'
import { readSentBasket } from './sent-basket.js'

/** The engine under test. */
export type Pricing = (question: PricingCase) => Calculation

export function engine({ benefits, input }: PricingCase): Calculation {
  return calculate(compileProgramme(benefits), input)
}

/**
 * Faults of an engine on one basket, for any choice: it throws, a sum is wrong, the member pays more, a repeat differs, or the answer
 * sent again has any of these faults.
 */
export function fuzzFaults(question: PricingCase, pricing: Pricing): string[] {
  const first = faultsOf(question, pricing)
  if (first.said === null || first.faults.length > 0) return first.faults
  const { outcome } = first.said
  const other = pricing({ ...question, benefits: question.benefits.toReversed() })
  if (JSON.stringify(first.said) !== JSON.stringify(other)) return ['two answers to one question']
  if (outcome.status === 'unchanged') return []
  const { input } = question
  const again = { ...question, input: { ...input, basket: sentBack(input.basket, outcome.basket) } }
  return faultsOf(again, pricing).faults.map((fault) => `sent again: ${fault}`)
}

function faultsOf(question: PricingCase, pricing: Pricing): { said: Calculation | null; faults: string[] } {
  const broken = checkIdentities(question.input.basket)
  if (broken !== null) return { said: null, faults: [`the basket itself: ${JSON.stringify(broken)}`] }
  try {
    const said = pricing(question)
    return { said, faults: answerFaults(question, said) }
  } catch (error) {
    return { said: null, faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}

function answerFaults(question: PricingCase, said: Calculation): string[] {
  const sent = readSentBasket(question.input)
  const faults = said.outcome.status === 'unchanged' && sent.stripped ? [] : outcomeFaults(question, said)
  if (said.netAfter > sent.net) faults.push(`net ${sent.net} became ${said.netAfter}`)
  if (said.gap < 0 || said.optimal !== (said.gap === 0)) faults.push(`optimal ${said.optimal}, gap ${said.gap}`)
  for (const want of said.wants) {
    const left = question.input.available[counterKey(want)] ?? want.maximum
    if (want.units > left || want.units <= 0) faults.push(`takes ${want.units} of ${want.limitId}, which has ${left}`)
  }
  return faults
}
