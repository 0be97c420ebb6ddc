import type { Money } from '../core/money.js'
import type { Calculation, OutcomeLine, PricedBasket } from '../core/outcome.js'
import { Fields } from './fields.js'
import type { JsonText } from './json-text.js'
import { basketPlaces, basketRule, lineRule, orderDiscountPlaces, orderDiscountRule } from './request-rules.js'
import { type ArrayItem, type TextEdit, TextEdits } from './text-edits.js'
import { editLine, editTotals, setItems, textOfAdded, textOfOrderDiscount, textOfSplit } from './write-line.js'

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
export function writeAnswer(json: JsonText, calculation: Calculation | null): AnswerText {
  const root = new Fields(json, 0, basketRule)
  const id = `{"calculationId":"${root.string(basketPlaces.calculationId)}","status":`
  if (calculation === null) return { before: `${id}"member_not_found"}`, edits: null, after: '' }
  const { outcome } = calculation
  if (outcome.status === 'unchanged') {
    return { before: `${id}"unchanged","reason":"${outcome.reason}"}`, edits: null, after: '' }
  }
  return { before: `${id}"applied","basket":`, edits: editBasket(json, root, outcome.basket), after: '}' }
}

function editBasket(json: JsonText, root: Fields, basket: PricedBasket): readonly TextEdit[] {
  const edits = new TextEdits(json)
  const sent = root.items(basketPlaces.lines)
  const lineIds = new Set(basket.lines.map(({ lineId }) => lineId))
  const lines = basket.lines.map((line): ArrayItem => {
    if (line.kind === 'added') return { kind: 'new', text: textOfAdded(line) }
    return editedLine(edits, new Fields(json, sent[line.source]!, lineRule), { line, lineIds })
  })
  setItems(edits, root, basketPlaces.lines, lines)
  const discounts = root.items(basketPlaces.orderDiscounts)
  const orderDiscounts = basket.orderDiscounts.map((each): ArrayItem => {
    if (each.kind === 'added') return { kind: 'new', text: textOfOrderDiscount(each.discount) }
    return editedOrderDiscount(edits, new Fields(json, discounts[each.position]!, orderDiscountRule), each.amount)
  })
  setItems(edits, root, basketPlaces.orderDiscounts, orderDiscounts)
  editTotals(edits, json, root.sent(basketPlaces.totals), basket.totals)
  return edits.take()
}

interface Wanted {
  readonly line: OutcomeLine
  readonly lineIds: ReadonlySet<string>
}

function editedLine(edits: TextEdits, fields: Fields, { line, lineIds }: Wanted): ArrayItem {
  if (line.kind === 'split') return { kind: 'new', text: textOfSplit(fields, line, lineIds) }
  editLine(edits, fields, line, lineIds)
  return { kind: 'sent', value: fields.object }
}

function editedOrderDiscount(edits: TextEdits, fields: Fields, amount: Money): ArrayItem {
  const { amount: place } = orderDiscountPlaces
  if (fields.number(place) !== amount) edits.replace(fields.sent(place), String(amount))
  return { kind: 'sent', value: fields.object }
}
