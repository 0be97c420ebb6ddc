import type { PosBasket } from '../pos-js/basket.js'
import type { AnswerInCase, ScriptedAnswer } from './cases.js'
import { type AnswerParts, fitChange } from './fit-change.js'

/** What is answered to a basket, or to the event of its sale. */
export interface Answered extends ScriptedAnswer {
  /** The basket in it; null: it has none. */
  readonly basket: PosBasket | null
}

/** An answer of the cases, made for the basket of a POS. */
export function answerToBasket(answer: AnswerInCase, sent: PosBasket, parts: AnswerParts): Answered {
  const { json, text, change, more, ...how } = answer
  const { calculationId } = sent
  if (change === undefined) return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }), basket: null }
  const basket = fitChange(change, sent, parts)
  return { ...how, body: JSON.stringify({ calculationId, status: 'applied', basket, ...more }), basket }
}

export function answerToSale({ json, text, ...how }: AnswerInCase, calculationId: string): ScriptedAnswer {
  return { ...how, body: text ?? JSON.stringify({ calculationId, ...json }) }
}
