import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createClient, type Transport } from '@connectrpc/connect'
import { type Command, InvalidArgumentError } from 'commander'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  type BenefitSum,
  ReportService,
  type ReportSumsResponse,
  ReportSumsResponseSchema,
  SumsBySchema,
} from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { enumFromWord } from '../../gateway/internal/messages/message.js'
import { printAnswer } from './answer.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, print, tableLines } from './screen.js'
import { shadowReport } from './shadow.js'
import { moneyText } from './words.js'

const dayMs = 86_400_000
const aheadMs = 14 * 3_600_000
const keys = ['benefit', 'venue', 'day']

interface ReportOptions extends InternalOptions {
  readonly from?: string
  readonly until?: string
  readonly by: readonly string[]
  readonly venue?: string
  readonly benefit?: string
  readonly without?: string
  readonly json?: boolean
}

export function addReport(program: Command): void {
  const command = program
    .command('report')
    .summary('what benefits gave, by benefit, venue and day')
    .description(`Sums of sales: how often each benefit was calculated and redeemed, how many different members it reached, what it took off in all, for
each sale and of the price, what was sold, and what members earned and spent. A sale counts on the local day of its venue on which its
basket was calculated. Members are counted over all venues together, in up to 400 days.

  lps report --from 2026-11-01 --until 2026-11-30 --by benefit,venue
  lps report --from 2026-11-01 --without happy-hour

Exit code 0: there are some; 1: nothing was sold.`)
    .option('--from <day>', 'the first day. Default: 30 days before the last one', dayFrom)
    .option('--until <day>', 'the last day. Default: today, wherever that is first', dayFrom)
    .option('--by <words>', `${keys.join(', ')}, comma-separated`, keysFrom, ['benefit'])
    .option('--venue <id>', 'only of this venue')
    .option('--benefit <id>', 'only of this benefit')
    .option(
      '--without <id>',
      'also what would not have been given without this benefit: prices the baskets of these days (UTC) twice, by the programme in force with and without it; POS callers have priority',
    )
    .option('--json', 'the sums as JSON')
  withInternal(command).action(
    exits((options: ReportOptions) => onInternal(options, (transport) => show(transport, options))),
  )
}

function dayFrom(word: string): string {
  if (Number.isNaN(Date.parse(word))) throw new InvalidArgumentError('expected a day such as 2026-11-30')
  return word
}

function keysFrom(words: string): readonly string[] {
  const by = words === '' ? [] : words.split(',')
  if (!by.every((word) => keys.includes(word))) throw new InvalidArgumentError(`expected ${keys.join(', ')}`)
  return by
}

function requestFrom({ from, until, by, venue = '', benefit = '' }: ReportOptions) {
  const untilDay = until ?? dayText(Date.now() + aheadMs)
  return {
    fromDay: from ?? dayText(Date.parse(untilDay) - 30 * dayMs),
    untilDay,
    by: by.map((word) => enumFromWord(SumsBySchema, word)),
    venueId: venue,
    benefitId: benefit,
  }
}

async function show(transport: Transport, options: ReportOptions): Promise<number> {
  const reports = createClient(ReportService, transport)
  const request = requestFrom(options)
  const sums = await reports.reportSums(request)
  const code = sums.benefits.length + sums.sales.length + sums.value.length === 0 ? 1 : 0
  if (options.json) {
    printAnswer(ReportSumsResponseSchema, sums, { asJson: true })
    return code
  }
  showSums(sums)
  if (options.without !== undefined) await showAdded(transport, options.without, request)
  return code
}

interface Days {
  readonly fromDay: string
  readonly untilDay: string
}

function dayText(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10)
}

async function showAdded(transport: Transport, benefitId: string, { fromDay, untilDay }: Days): Promise<void> {
  const untilMs = Date.parse(untilDay) + dayMs
  const request = {
    withoutBenefitId: benefitId,
    from: timestampFromMs(Date.parse(fromDay)),
    ...(untilMs < Date.now() ? { until: timestampFromMs(untilMs) } : {}),
  }
  const run = createClient(ProgrammeService, transport).shadowRun(request, { timeoutMs: 0 })
  const { calculations, byBenefit, totals } = await shadowReport(run)
  print('')
  const rows = byBenefit.filter(({ key, discountThen }) => key === benefitId && discountThen > 0n)
  if (rows.length === 0) print(`${benefitId} gives nothing in these baskets`)
  for (const { currency, discountThen: given } of rows) {
    const total = totals.find((row) => row.currency === currency)
    const added = (total?.discountThen ?? 0n) - (total?.discountDraft ?? 0n)
    const money = `of ${moneyText(given, currency)} given by ${benefitId} ${moneyText(added, currency)}`
    print(`${money} would not have been given without it (${percentText(added, given)})`)
  }
  print(`${calculations} calculations priced twice`)
}

function showSums({ benefits, sales, value, reach }: ReportSumsResponse): void {
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

function shareOf({ discount, paid }: { readonly discount: bigint; readonly paid: bigint }): string {
  return percentText(discount, discount + paid)
}

function percentText(part: bigint, whole: bigint): string {
  return whole === 0n ? '' : `${((100 * Number(part)) / Number(whole)).toFixed(1)} %`
}
