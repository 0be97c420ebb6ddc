import type { BenefitReport, Dropped, Missing } from '../../../engine/core/base/outcome.js'
import { unpackReports } from '../../../engine/wire/pack.js'
import type { DroppedSchema, MissingSchema } from '../../gen/loyalty/v1/explanation_pb.js'
import type { Closed } from '../../use-cases/closed-benefits.js'
import type { RecordOf } from './message.js'

/**
 * The stored reports of a calculation (benefits 4).
 *
 * @param request  the body that was priced
 */
export function messagesFromReports(explanation: Uint8Array, request: Uint8Array) {
  const { lines } = JSON.parse(Buffer.from(request).toString()) as { readonly lines: readonly SentLine[] }
  return unpackReports(explanation).map((report) => messageFromReport(report, lines))
}

/** A line of the request, as JSON. */
interface SentLine {
  readonly quantity: number
  readonly weighed?: boolean | null
  readonly noDiscount?: boolean | null
}

export function messageFromReport(report: BenefitReport, sent: readonly SentLine[]) {
  const { lines, dropped } = report
  return {
    ...report,
    lines: lines.map((each) => {
      const { quantity, weighed, noDiscount } = sent[each.line]!
      return { ...each, weighed: weighed === true || !Number.isInteger(quantity), noDiscount: noDiscount === true }
    }),
    dropped: dropped && { stage: stageOf(dropped) },
  }
}

/** Benefits that were not open; null: not known, or no member. */
export function messageFromClosed(closed: readonly Closed[] | null) {
  return closed && { benefits: closed }
}

type Stage = NonNullable<RecordOf<typeof DroppedSchema>['stage']>
type What = NonNullable<RecordOf<typeof MissingSchema>['what']>

function stageOf(dropped: Dropped): Stage {
  switch (dropped.stage) {
    case 'conditions_not_met':
      return { case: 'conditionsNotMet', value: { missing: dropped.missing.map((each) => ({ what: whatOf(each) })) } }
    case 'not_discountable':
      return { case: 'notDiscountable', value: dropped }
    case 'existing_discount_kept':
      return { case: 'existingDiscountKept', value: dropped }
    case 'limit_exhausted':
      return { case: 'limitExhausted', value: dropped }
    case 'value_held':
      return { case: 'valueHeld', value: dropped }
    case 'beaten':
      return { case: 'beaten', value: dropped }
  }
}

function whatOf(missing: Missing): What {
  switch (missing.kind) {
    case 'spend':
      return { case: 'spend', value: missing.amount }
    case 'units':
      return { case: 'units', value: missing.units }
    case 'product':
      return { case: 'productId', value: missing.productId }
    case 'value':
      return { case: 'cannotAfford', value: missing }
  }
}
