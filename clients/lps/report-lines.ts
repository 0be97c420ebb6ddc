import { timestampDate } from '@bufbuild/protobuf/wkt'
import { LimitCounts } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  type BenefitReport,
  type ClosedBenefits,
  type Dropped,
  type Missing,
  OpeningTerm,
  OpeningTermSchema,
  type ReportLine,
  type WithheldBy,
} from '../../gateway/gen/loyalty/v1/explanation_pb.js'
import { wordFromEnum } from '../../gateway/internal/messages/message.js'
import { oneLine } from './screen.js'
import { amountText, moneyText } from './words.js'

export interface Reported {
  readonly lines: readonly ReceiptLine[]
  readonly names: ReadonlyMap<string, string>
  readonly currency: string
}

export function reportLines(reports: readonly BenefitReport[], reported: Reported): readonly string[] {
  const width = Math.max(0, ...reports.map(({ benefitId }) => benefitId.length))
  return reports.map((report) => oneLine(`  ${report.benefitId.padEnd(width)}  ${reportText(report, reported)}`))
}

const closedMax = 100

export function closedLines({ benefits }: ClosedBenefits): readonly string[] {
  const nearest = benefits.toSorted((left, right) => left.terms.length - right.terms.length)
  const lines = nearest.slice(0, closedMax).map(({ benefitId, terms, withheldBy }) => {
    const words = terms.map((term) => {
      if (term === OpeningTerm.EXPERIMENT) return withheldBy.map(withheldText).join(', ')
      return wordFromEnum(OpeningTermSchema, term) ?? 'a term that this version of lps does not support'
    })
    return oneLine(`  ${benefitId}  not open: ${words.join(', ')}`)
  })
  const more = benefits.length - lines.length
  return more === 0 ? lines : [...lines, `  and ${more} more, with --json`]
}

function withheldText({ name, armId }: WithheldBy): string {
  return armId === 'holdout' ? `in the holdout of ${name}` : `in the arm ${armId} of ${name}`
}

function reportText({ value, lines, dropped, spent }: BenefitReport, reported: Reported): string {
  if (dropped !== undefined) return `not applied: ${droppedText(dropped, reported)}`
  const where = lines.map((each) => servedText(each, reported))
  const cost = spent === undefined ? '' : ` for ${spent.amount} ${spent.currencyId}`
  return `gives ${moneyText(value, reported.currency)}${where.length === 0 ? '' : ` on ${where.join(', ')}`}${cost}`
}

function servedText({ line, units, weighed, noDiscount, follows }: ReportLine, reported: Reported): string {
  const leader = follows === undefined ? undefined : reported.lines[follows]
  const notes = [
    ...(weighed ? ['weighed'] : []),
    ...(noDiscount ? ['no discount on it'] : []),
    ...(leader === undefined ? [] : [`follows ${productText(leader, reported.names)} on line ${follows! + 1}`]),
  ]
  return `${units > 0n ? `${units} x ` : ''}${lineText(line, reported, notes)}`
}

const addedProduct = 'the product that it adds'

function lineText(position: number, { lines, names }: Reported, notes: readonly string[] = []): string {
  const line = lines[position]
  const place = [`line ${position + 1}`, ...notes].join(', ')
  return line === undefined ? place : `${productText(line, names)} (${place})`
}

function droppedText({ stage }: Dropped, reported: Reported): string {
  const linesOf = (lines: readonly number[]) => lines.map((line) => lineText(line, reported)).join(', ')
  switch (stage.case) {
    case 'conditionsNotMet':
      return lackingText(stage.value.missing, reported)
    case 'notDiscountable':
      return `${linesOf(stage.value.lines) || addedProduct} may not be discounted`
    case 'existingDiscountKept':
      if (stage.value.lines.length === 0) return `${addedProduct} costs nothing`
      return `nothing to gain on ${linesOf(stage.value.lines)}, or it keeps the discounts there`
    case 'limitExhausted': {
      const { limitId, period, counts, left, wanted, backAt } = stage.value
      const counted = (each: bigint) => countedText(each, counts, reported.currency)
      const until = backAt === undefined ? '' : `; it begins anew at ${timestampDate(backAt).toISOString()}`
      return `the limit ${limitId}${period === '' ? '' : ` of ${period}`} has ${counted(left)} left, ${counted(wanted)} wanted${until}`
    }
    case 'valueHeld': {
      const { currencyId, left, wanted } = stage.value
      return `other open calculations hold what it costs: ${left} ${currencyId} free, ${wanted} wanted`
    }
    case 'beaten': {
      const { by, gap, gives, instead } = stage.value
      const money = (minor: bigint) => moneyText(minor, reported.currency)
      const behind = gap === 0n ? 'is worth as much' : `is worth ${money(gap)} more`
      const figures = gives === undefined || instead === undefined ? '' : ` (${money(instead)} against ${money(gives)})`
      return by.length === 0 ? 'other benefits are worth more' : `${by.join(' with ')} ${behind}${figures}`
    }
    case undefined:
      return 'for a reason that this version of lps does not support'
  }
}

function lackingText(missing: readonly Missing[], reported: Reported): string {
  const texts = missing.map((each) => missingText(each, reported)).join(' and ')
  return missing.every(({ what }) => what.case === 'cannotAfford')
    ? `the member lacks ${texts}`
    : `the basket lacks ${texts}`
}

function countedText(counted: bigint, counts: LimitCounts, currency: string): string {
  return counts === LimitCounts.AMOUNT ? moneyText(counted, currency) : String(counted)
}

function missingText({ what }: Missing, { currency }: Reported): string {
  switch (what.case) {
    case 'spend':
      return `${moneyText(what.value, currency)} of spend`
    case 'units':
      return what.value === 1n ? '1 unit of what it asks for' : `${what.value} units of what it asks for`
    case 'productId':
      return `a product that this venue does not sell (${what.value})`
    case 'cannotAfford':
      return `${what.value.amount} ${what.value.currencyId} to pay for it`
    case undefined:
      return 'something that this version of lps does not support'
  }
}

export interface Receipt {
  readonly currency: string
  readonly lines: readonly ReceiptLine[]
  readonly orderDiscounts?: readonly ReceiptDiscount[] | null
  readonly totals: { readonly net: number }
}

export interface ReceiptLine {
  readonly lineId: string
  readonly productId: string
  readonly quantity: number
  readonly unitPrice: number
  readonly overrideUnitPrice?: number | null
  readonly discounts?: readonly ReceiptDiscount[] | null
  readonly addedByLoyalty?: boolean | null
  readonly totals: { readonly gross: number }
}

interface ReceiptDiscount {
  readonly text?: string | null
  readonly amount: number
  readonly type: string
  readonly percentage?: number | null
}

const width = 44

export function receiptLines(title: string, basket: Receipt, names: ReadonlyMap<string, string>): readonly string[] {
  const { currency } = basket
  const row = (text: string, amount: number) =>
    `  ${oneLine(text).padEnd(width)} ${amountText(amount, currency).padStart(12)}`.trimEnd()
  return [
    `${title} (${currency})`,
    ...basket.lines.flatMap((line) => [
      row(receiptLineText(line, names, currency), line.totals.gross),
      ...(line.discounts ?? []).map((discount) => row(`    ${discountText(discount)}`, -discount.amount)),
    ]),
    ...(basket.orderDiscounts ?? []).map((discount) => row(discountText(discount), -discount.amount)),
    row('To pay', basket.totals.net),
  ]
}

function productText({ productId }: Pick<ReceiptLine, 'productId'>, names: ReadonlyMap<string, string>): string {
  return names.get(productId) ?? productId
}

function receiptLineText(line: ReceiptLine, names: ReadonlyMap<string, string>, currency: string): string {
  const { quantity, unitPrice, overrideUnitPrice, addedByLoyalty } = line
  const price = amountText(overrideUnitPrice ?? unitPrice, currency)
  const instead = overrideUnitPrice == null ? '' : ` instead of ${amountText(unitPrice, currency)}`
  const added = addedByLoyalty ? ', added' : ''
  return `${quantity} x ${productText(line, names)} at ${price}${instead}${added}`
}

function discountText({ text, type, percentage }: ReceiptDiscount): string {
  const shown = text || 'Discount'
  return type === 'percentage' && percentage != null && !shown.includes('%') ? `${shown} ${percentage} %` : shown
}
