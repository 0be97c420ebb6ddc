import type { MessageInitShape } from '@bufbuild/protobuf'
import type { BenefitReport, Dropped, Missing } from '../../../engine/core/base/outcome.js'
import { unpackReports } from '../../../engine/wire/pack.js'
import { LimitCountsSchema } from '../../gen/loyalty/v1/enums_pb.js'
import {
  type BenefitReportSchema,
  type ClosedBenefitsSchema,
  type DroppedSchema,
  type MissingSchema,
  OpeningTermSchema,
} from '../../gen/loyalty/v1/explanation_pb.js'
import type { Closed } from '../../use-cases/closed-benefits.js'
import { timestamp } from './fields.js'
import { enumFromWord } from './words.js'

/**
 * The stored reports of a calculation (benefits 4).
 *
 * @param request  the body that was priced
 */
export function messagesFromReports(
  explanation: Uint8Array,
  request: Uint8Array,
): MessageInitShape<typeof BenefitReportSchema>[] {
  const { lines } = JSON.parse(Buffer.from(request).toString()) as { readonly lines: readonly SentLine[] }
  return unpackReports(explanation).map((report) => messageFromReport(report, lines))
}

/** A line of the request, as JSON. */
interface SentLine {
  readonly quantity: number
  readonly weighed?: boolean | null
  readonly noDiscount?: boolean | null
}

export function messageFromReport(
  report: BenefitReport,
  sent: readonly SentLine[],
): MessageInitShape<typeof BenefitReportSchema> {
  const { benefitId, value, lines, dropped, spent } = report
  return {
    benefitId,
    value: BigInt(value),
    lines: lines.map(({ line, units, amount, follows }) => {
      const { quantity, weighed, noDiscount } = sent[line]!
      return {
        ...{ line, units: BigInt(units), amount: BigInt(amount) },
        weighed: weighed === true || !Number.isInteger(quantity),
        noDiscount: noDiscount === true,
        ...(follows === undefined ? {} : { follows }),
      }
    }),
    ...(dropped === null ? {} : { dropped: { stage: stageOf(dropped) } }),
    ...(spent === undefined ? {} : { spent: { currencyId: spent.currencyId, amount: BigInt(spent.amount) } }),
  }
}

/** Benefits that were not open; null: not known, or no member. */
export function messageFromClosed(closed: readonly Closed[] | null): {
  readonly closed?: MessageInitShape<typeof ClosedBenefitsSchema>
} {
  if (closed === null) return {}
  const benefits = closed.map(({ benefitId, terms, withheldBy = [] }) => ({
    benefitId,
    withheldBy: [...withheldBy],
    terms: terms.map((term) => enumFromWord(OpeningTermSchema, term)),
  }))
  return { closed: { benefits } }
}

type Stage = NonNullable<MessageInitShape<typeof DroppedSchema>['stage']>
type What = NonNullable<MessageInitShape<typeof MissingSchema>['what']>

function stageOf(dropped: Dropped): Stage {
  switch (dropped.stage) {
    case 'conditions_not_met':
      return { case: 'conditionsNotMet', value: { missing: dropped.missing.map((each) => ({ what: whatOf(each) })) } }
    case 'not_discountable':
      return { case: 'notDiscountable', value: { lines: [...dropped.lines] } }
    case 'existing_discount_kept':
      return { case: 'existingDiscountKept', value: { lines: [...dropped.lines] } }
    case 'limit_exhausted': {
      const { limitId, period, counts, left, wanted, backAt = null } = dropped
      const until = backAt === null ? {} : { backAt: timestamp(backAt) }
      return {
        case: 'limitExhausted',
        value: {
          limitId,
          period,
          counts: enumFromWord(LimitCountsSchema, counts),
          left: BigInt(left),
          wanted: BigInt(wanted),
          ...until,
        },
      }
    }
    case 'value_held': {
      const { currencyId, left, wanted } = dropped
      return { case: 'valueHeld', value: { currencyId, left: BigInt(left), wanted: BigInt(wanted) } }
    }
    case 'beaten': {
      const { by, gap, gives, instead } = dropped
      const isKept = gives !== undefined && instead !== undefined
      const figures = isKept ? { gives: BigInt(gives), instead: BigInt(instead) } : {}
      return { case: 'beaten', value: { by: [...by], gap: BigInt(gap), ...figures } }
    }
  }
}

function whatOf(missing: Missing): What {
  switch (missing.kind) {
    case 'spend':
      return { case: 'spend', value: BigInt(missing.amount) }
    case 'units':
      return { case: 'units', value: BigInt(missing.units) }
    case 'product':
      return { case: 'productId', value: missing.productId }
    case 'value':
      return { case: 'cannotAfford', value: { currencyId: missing.currencyId, amount: BigInt(missing.amount) } }
  }
}
