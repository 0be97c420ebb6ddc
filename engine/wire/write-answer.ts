import type { Calculation, OutcomeLine, OutcomeOrderDiscount, PricedBasket } from '../core/base/outcome.js'
import { FieldOrder, Fields } from './fields.js'
import type { ReadBasket } from './read-basket.js'
import { basketPlaces, basketRule, orderDiscountPlaces, orderDiscountRule } from './request-rules.js'
import { type ChangedText, ItemsWriter, TextWriter } from './text-writer.js'
import {
  type SentLine,
  setNewItems,
  textOfAdded,
  textOfOrderDiscount,
  textOfSplit,
  writeLine,
  writeTotals,
} from './write-line.js'

export type Request = Pick<ReadBasket, 'json' | 'basket' | 'lineFields'>

/**
 * Writes a calculation as the answer (wire decisions 2), the body of a basket call's 200. `applied` is the request's
 * text, changed where the outcome differs: the POS's own fields, digits and white space stay as sent.
 *
 * @param calculation  null: the loyaltyId belongs to no member
 */
export function writeAnswer(request: Request, calculation: Calculation | null): ChangedText {
  const { json } = request
  const root = new Fields(json, 0, basketRule)
  const writer = new TextWriter(json)
  const end = json.text.length
  const id = `{"calculationId":"${root.string(basketPlaces.calculationId)}","status":`
  if (calculation === null) writer.replaceBytes(0, end, `${id}"member_not_found"}`)
  else if (calculation.outcome.status === 'unchanged') {
    writer.replaceBytes(0, end, `${id}"unchanged","reason":"${calculation.outcome.reason}"}`)
  } else {
    writer.insert(0, `${id}"applied","basket":`)
    writeBasket(writer, { request, root, basket: calculation.outcome.basket })
    writer.insert(end, '}')
  }
  return writer.finish(end)
}

interface BasketWriting {
  readonly request: Request
  readonly root: Fields
  readonly basket: PricedBasket
}

const basketOrder = new FieldOrder(basketPlaces, ['lines', 'orderDiscounts', 'totals'])

function writeBasket(writer: TextWriter, { request, root, basket }: BasketWriting): void {
  for (const name of basketOrder.in(root)) {
    switch (name) {
      case 'lines':
        writeLines(writer, root.sent(basketPlaces.lines), { request, lines: basket.lines })
        break
      case 'orderDiscounts':
        writeOrderDiscounts(writer, root, basket.orderDiscounts)
        break
      case 'totals':
        writeTotals(writer, { value: root.sent(basketPlaces.totals), totals: request.basket.totals }, basket.totals)
    }
  }
}

interface LinesWriting {
  readonly request: Request
  readonly lines: readonly OutcomeLine[]
}

function writeLines(writer: TextWriter, array: number, { request, lines }: LinesWriting): void {
  const first = lines.find(({ kind }) => kind === 'sent')
  const hasLine = lookUpIn(lines)
  const sentLine = ({ source }: OutcomeLine): SentLine => ({
    fields: request.lineFields[source]!,
    line: request.basket.lines[source]!,
    hasLine,
  })
  const textOfNew = (line: OutcomeLine) =>
    line.kind === 'added' ? textOfAdded(line) : textOfSplit(sentLine(line), line)
  if (first === undefined) {
    writer.replace(array, `[${lines.map(textOfNew).join(',')}]`)
    return
  }
  const items = new ItemsWriter(writer, array, sentLine(first).fields.object)
  for (const line of lines) {
    if (line.kind === 'sent') {
      const sent = sentLine(line)
      items.stay(sent.fields.object)
      writeLine(writer, sent, line)
    } else items.add(textOfNew(line))
  }
  items.end()
}

function lookUpIn(lines: readonly OutcomeLine[]): (lineId: string) => boolean {
  let lineIds: ReadonlySet<string> | null = null
  return (lineId) => {
    lineIds ??= new Set(lines.map((line) => line.lineId))
    return lineIds.has(lineId)
  }
}

function writeOrderDiscounts(writer: TextWriter, root: Fields, orderDiscounts: readonly OutcomeOrderDiscount[]): void {
  const place = basketPlaces.orderDiscounts
  const sent = root.items(place)
  const first = orderDiscounts.find((each) => each.kind === 'kept')
  if (first === undefined) {
    const added = orderDiscounts.filter((each) => each.kind === 'added')
    setNewItems(
      writer,
      { fields: root, place },
      added.map(({ discount }) => textOfOrderDiscount(discount)),
    )
    return
  }
  const items = new ItemsWriter(writer, root.sent(place), sent[first.position]!)
  for (const each of orderDiscounts) {
    if (each.kind === 'added') items.add(textOfOrderDiscount(each.discount))
    else {
      const fields = new Fields(writer.json, sent[each.position]!, orderDiscountRule)
      items.stay(fields.object)
      if (fields.number(orderDiscountPlaces.amount) !== each.amount) {
        writer.replace(fields.sent(orderDiscountPlaces.amount), String(each.amount))
      }
    }
  }
  items.end()
}
