import type { Money } from '../core/base/money.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../core/base/outcome.js'
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

export type Request = Pick<ReadBasket, 'json' | 'basket' | 'lineFields'>

/**
 * The body of a basket call's 200: `before`, the edited request unless `edits` is null, `after`. Stored in this form,
 * which is far smaller than the body (`packAnswer`).
 */
export interface AnswerText {
  readonly before: string
  readonly edits: readonly TextEdit[] | null
  readonly after: string
}

/**
 * Writes a calculation as the answer (wire decisions 2). `applied` is the request's text, edited where the outcome
 * differs: the POS's own fields, digits and white space stay as sent.
 *
 * @param calculation  null: the loyaltyId belongs to no member
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

/** Builds the set at the first look-up: few lines have parents. */
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
