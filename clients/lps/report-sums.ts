import type { BenefitSum, ReportSumsResponse } from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { print, tableLines } from './screen.js'
import { moneyText } from './words.js'

/** The sums of a report as tables, one below the other. */
export function showSums({ benefits, sales, value, reach }: ReportSumsResponse): void {
  const members = new Map(reach.map((each) => [`${each.day}/${each.benefitId}`, String(each.members)]))
  const ofBenefits = ['day', 'venue', 'benefit', 'calculated>', 'redeemed>', 'members>', 'took off>', 'a sale>']
  const ofSales = ['day', 'venue', 'sales>', 'of members>', 'applied>', 'failed>', 'cancelled>', 'paid>', 'discounts>']
  const tables = [
    tableLines(
      [...ofBenefits, 'of price>', 'paid with it>'],
      benefits.map((each) => [
        ...[each.day, each.venueId, each.benefitId, String(each.calculations), String(each.redemptions)],
        members.get(`${each.day}/${each.benefitId}`) ?? '',
        ...[moneyText(each.discount, each.currency), perSale(each), shareOf(each), moneyText(each.paid, each.currency)],
      ]),
    ),
    tableLines(
      [...ofSales, 'of price>'],
      sales.map((each) => [
        ...[each.day, each.venueId],
        ...[each.sales, each.memberSales, each.applied, each.failed, each.cancelled].map(String),
        ...[moneyText(each.paid, each.currency), moneyText(each.discount, each.currency), shareOf(each)],
      ]),
    ),
    tableLines(
      ['day', 'venue', 'rule or benefit', 'currency', 'earned>', 'spent>'],
      value.map(({ day, venueId, sourceId, currencyId, earned, spent }) => [
        ...[day, venueId, sourceId, currencyId, String(earned), String(spent)],
      ]),
    ),
  ].filter((lines) => lines.length > 0)
  tables.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])).forEach(print)
}

function perSale({ discount, redemptions, currency }: BenefitSum): string {
  return redemptions === 0n ? '' : moneyText((2n * discount + redemptions) / (2n * redemptions), currency)
}

/** What was taken off as a part of the price. */
function shareOf({ discount, paid }: { readonly discount: bigint; readonly paid: bigint }): string {
  return percentText(discount, discount + paid)
}

export function percentText(part: bigint, whole: bigint): string {
  return whole === 0n ? '' : `${((100 * Number(part)) / Number(whole)).toFixed(1)} %`
}
