import type { Money } from '../core/money.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../core/outcome.js'
import { Fields } from './fields.js'
import type { ReadBasket } from './read-basket.js'
import { basketPlaces, basketRule, orderDiscountPlaces, orderDiscountRule } from './request-rules.js'
import { type ArrayItem, type TextEdit, TextEdits } from './text-edits.js'
import {
  editLine,
  editTotals,
  type SentLine,
  setItems,
  textOfAdded,
  textOfOrderDiscount,
  textOfSplit,
} from './write-line.js'

/** What an answer is written from: the request as it was read. */
export type Request = Pick<ReadBasket, 'json' | 'basket' | 'lineFields'>

/**
 * The body of a basket call's 200, as the request and what was changed in it: `before`, then, unless `edits` is null, the
 * edited request, then `after`. Kept in this form, for it is far smaller than the body (`packAnswer`).
 */
export interface AnswerText {
  readonly before: string
  readonly edits: readonly TextEdit[] | null
  readonly after: string
}

/**
 * Writes a calculation as the answer (wire decisions 2). `applied` holds the request's own text, edited where the outcome
 * differs from it: everything else, the POS's own fields, the digits of numbers and white space, stays as it was sent.
 *
 * @param calculation  null: there is no such member
 */
export function writeAnswer(request: Request, calculation: Calculation | null): AnswerText {
  const root = new Fields(request.json, 0, basketRule)
  const id = `{"calculationId":"${root.string(basketPlaces.calculationId)}","status":`
  if (calculation === null) return { before: `${id}"member_not_found"}`, edits: null, after: '' }
  const { outcome } = calculation
  if (outcome.status === 'unchanged') {
    return { before: `${id}"unchanged","reason":"${outcome.reason}"}`, edits: null, after: '' }
  }
  return { before: `${id}"applied","basket":`, edits: editBasket(request, root, outcome.basket), after: '}' }
}

function editBasket(request: Request, root: Fields, basket: PricedBasket): readonly TextEdit[] {
  const { json } = request
  const edits = new TextEdits(json)
  const hasLine = lookUpIn(basket.lines)
  const lines = basket.lines.map((line): ArrayItem => {
    if (line.kind === 'added') return { kind: 'new', text: textOfAdded(line) }
    const sent = { fields: request.lineFields[line.source]!, line: request.basket.lines[line.source]!, hasLine }
    return editedLine(edits, sent, line)
  })
  setItems(edits, root, basketPlaces.lines, lines)
  const discounts = root.items(basketPlaces.orderDiscounts)
  const orderDiscounts = basket.orderDiscounts.map((each): ArrayItem => {
    if (each.kind === 'added') return { kind: 'new', text: textOfOrderDiscount(each.discount) }
    return editedOrderDiscount(edits, new Fields(json, discounts[each.position]!, orderDiscountRule), each.amount)
  })
  setItems(edits, root, basketPlaces.orderDiscounts, orderDiscounts)
  editTotals(edits, { json, value: root.sent(basketPlaces.totals), totals: request.basket.totals }, basket.totals)
  return edits.take()
}

/** Few lines have parents: the ids are gathered with the first that asks. */
function lookUpIn(lines: readonly OutcomeLine[]): (lineId: string) => boolean {
  let lineIds: ReadonlySet<string> | null = null
  return (lineId) => {
    lineIds ??= new Set(lines.map((line) => line.lineId))
    return lineIds.has(lineId)
  }
}

function editedLine(edits: TextEdits, sent: SentLine, line: OutcomeLine): ArrayItem {
  if (line.kind === 'split') return { kind: 'new', text: textOfSplit(sent, line) }
  editLine(edits, sent, line)
  return { kind: 'sent', value: sent.fields.object }
}

function editedOrderDiscount(edits: TextEdits, fields: Fields, amount: Money): ArrayItem {
  const { amount: place } = orderDiscountPlaces
  if (fields.number(place) !== amount) edits.replace(fields.sent(place), String(amount))
  return { kind: 'sent', value: fields.object }
}
