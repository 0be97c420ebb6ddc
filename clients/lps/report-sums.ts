import type { BenefitSum, ReportSumsResponse, SaleSum } from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { moneyText } from './money.js'
import { tableLines } from './table.js'

/** The sums of a report as tables, one below the other. */
export function sumLines({ benefits, sales, value, reach }: ReportSumsResponse): readonly string[] {
  const members = new Map(reach.map((each) => [`${each.day}/${each.benefitId}`, String(each.members)]))
  const tables = [
    tableLines(
      [
        ...['day', 'venue', 'benefit', 'calculated>', 'redeemed>', 'members>', 'took off>', 'a sale>', 'of price>'],
        'paid with it>',
      ],
      benefits.map((each) => [
        ...[each.day, each.venueId, each.benefitId, String(each.calculations), String(each.redemptions)],
        members.get(`${each.day}/${each.benefitId}`) ?? '',
        ...[moneyText(each.discount, each.currency), perSale(each), shareOf(each), moneyText(each.paid, each.currency)],
      ]),
    ),
    tableLines(
      [
        'day',
        'venue',
        'sales>',
        'of members>',
        'applied>',
        'failed>',
        'cancelled>',
        'paid>',
        'discounts>',
        'of price>',
      ],
      sales.map((each) => [
        ...[each.day, each.venueId],
        ...counted(each.sales, each.memberSales, each.applied, each.failed, each.cancelled),
        ...[moneyText(each.paid, each.currency), moneyText(each.discount, each.currency), shareOf(each)],
      ]),
    ),
    tableLines(
      ['day', 'venue', 'rule or benefit', 'currency', 'earned>', 'spent>'],
      value.map((each) => [
        each.day,
        each.venueId,
        each.sourceId,
        each.currencyId,
        ...counted(each.earned, each.spent),
      ]),
    ),
  ].filter((lines) => lines.length > 0)
  return tables.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))
}

/** What was sold in all, against what was in as many days before. */
export function beforeLines(now: ReportSumsResponse, before: ReportSumsResponse): readonly string[] {
  const rows = now.sales.flatMap((sum) => {
    const then = before.sales.find(({ currency }) => currency === sum.currency)
    const row = (name: string, of: (sum: SaleSum) => bigint, text: (value: bigint) => string) => [
      name,
      text(of(sum)),
      text(then === undefined ? 0n : of(then)),
      changeText(of(sum), then === undefined ? 0n : of(then)),
    ]
    const money = (value: bigint) => moneyText(value, sum.currency)
    return [
      row('sales', ({ sales }) => sales, String),
      row('paid', ({ paid }) => paid, money),
      row('discounts', ({ discount }) => discount, money),
    ]
  })
  const lines = tableLines(['in all', 'now>', 'days before>', 'change>'], rows)
  return lines.length === 0 ? [] : ['', ...lines]
}

function perSale({ discount, redemptions, currency }: BenefitSum): string {
  return redemptions === 0n ? '' : moneyText((2n * discount + redemptions) / (2n * redemptions), currency)
}

/** What was taken off as a part of the price. */
function shareOf({ discount, paid }: { readonly discount: bigint; readonly paid: bigint }): string {
  return percentText(discount, discount + paid)
}

/** One decimal, as everywhere in this report. */
export function percentText(part: bigint, whole: bigint): string {
  return whole === 0n ? '' : `${((100 * Number(part)) / Number(whole)).toFixed(1)} %`
}

function changeText(now: bigint, before: bigint): string {
  if (before === 0n) return ''
  const change = 100 * (Number(now) / Number(before) - 1)
  return `${change > 0 ? '+' : ''}${change.toFixed(1)} %`
}

function counted(...counts: readonly bigint[]): readonly string[] {
  return counts.map(String)
}
