import type { LineDiscount } from '../../../engine/core/base/basket.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../../../engine/core/base/outcome.js'
import { answerBytes } from '../../../engine/wire/pack.js'
import { type ReadBasket, readBasket } from '../../../engine/wire/read-basket.js'
import { writeAnswer } from '../../../engine/wire/write-answer.js'
import { applied, loyaltyDiscount, summed } from './a-calculation.js'
import { type BasketBody, bytesOf, calculationId } from './basket-body.js'

/** A request that must be valid, as the service reads it. */
export function read(body: unknown): ReadBasket {
  const reading = readBasket(bytesOf(body), calculationId, 200)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.refusal))
  return reading
}

/** The whole body of the 200. */
export function answerText(request: ReadBasket, calculation: Calculation | null): string {
  return Buffer.from(answerBytes(writeAnswer(request, calculation))).toString('utf8')
}

/** The basket inside an `applied` answer, as text; the service must accept it again. */
export function basketText(request: ReadBasket, outcome: PricedBasket): string {
  const answer = answerText(request, applied(outcome))
  const before = `{"calculationId":"${calculationId}","status":"applied","basket":`
  if (!answer.startsWith(before) || !answer.endsWith('}')) throw new Error(answer)
  const text = answer.slice(before.length, -1)
  const again = read(text)
  if (again.arithmetic !== null) throw new Error(again.arithmetic.message)
  return text
}

/** The basket inside an `applied` answer. */
export function basketObject(request: ReadBasket, outcome: PricedBasket): BasketBody {
  return JSON.parse(basketText(request, outcome)) as BasketBody
}

export function changeLine(outcome: PricedBasket, position: number, change: Partial<OutcomeLine>): PricedBasket {
  return summed({
    ...outcome,
    lines: outcome.lines.map((line, index) => (index === position ? { ...line, ...change } : line)),
  })
}

export function discounted(line: OutcomeLine, amount: number, more: Partial<LineDiscount> = {}): OutcomeLine {
  const { gross, lineDiscount, orderDiscount, net } = line.totals
  return {
    ...line,
    discounts: [...line.discounts, { kind: 'added', ...loyaltyDiscount(amount, more) }],
    amounts: [...line.amounts, amount],
    totals: { gross, lineDiscount: lineDiscount + amount, orderDiscount, net: net - amount },
  }
}
