import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  ReportService,
  type ReportSumsResponse,
  ReportSumsResponseSchema,
  SumsBySchema,
} from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { enumFromWord } from '../../gateway/rpc/messages/words.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import { tableLines } from './table.js'

const dayMs = 86_400_000
/** How far the earliest time zone is ahead of UTC. */
const aheadMs = 14 * 3_600_000
const keys = ['benefit', 'venue', 'day'] as const

export const report: Command = {
  name: 'report',
  summary: 'what benefits gave, by benefit, venue and day',
  help: `lps report

Sums of sales: how often each benefit was calculated and redeemed, what it took off, what was sold, and what members earned and spent.
A sale counts on the local day of its venue on which its basket was calculated.

  lps report --from 2026-11-01 --until 2026-11-30 --by benefit,venue

  --from DAY          the first day. Default: 30 days before the last one
  --until DAY         the last day. Default: today, wherever that is first
  --by WORDS          ${keys.join(', ')}, comma-separated. Default: benefit
  --venue ID          only of this venue
  --benefit ID        only of this benefit
  --json              the sums as JSON
${internalHelp}

Exit code 0: there are some; 1: nothing was sold.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const until = values.until ?? new Date(Date.now() + aheadMs).toISOString().slice(0, 10)
    const untilMs = Date.parse(until)
    if (Number.isNaN(untilMs)) throw new WrongUse(`--until: expected a day such as 2026-11-30, received ${until}`)
    const by = values.by === '' ? [] : values.by.split(',')
    const wrong = by.find((word) => !keys.some((key) => key === word))
    if (wrong !== undefined) throw new WrongUse(`--by: expected ${keys.join(', ')}, received ${wrong}`)
    const request = {
      fromDay: values.from ?? new Date(untilMs - 30 * dayMs).toISOString().slice(0, 10),
      untilDay: until,
      by: by.map((word) => enumFromWord(SumsBySchema, word)),
      venueId: values.venue ?? '',
      benefitId: values.benefit ?? '',
    }
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const sums = await createClient(ReportService, transport).reportSums(request)
      if (values.json) screen.print(JSON.stringify(toJson(ReportSumsResponseSchema, sums), null, 2))
      else show(sums, screen)
      return sums.benefits.length + sums.sales.length + sums.value.length === 0 ? 1 : 0
    })
  },
}

const options = {
  ...internalOptions,
  from: { type: 'string' },
  until: { type: 'string' },
  by: { type: 'string', default: 'benefit' },
  venue: { type: 'string' },
  benefit: { type: 'string' },
  json: { type: 'boolean' },
} as const

function show({ benefits, sales, value }: ReportSumsResponse, { print }: Screen): void {
  const tables = [
    tableLines(
      ['day', 'venue', 'benefit', 'calculated>', 'redeemed>', 'took off>', 'paid with it>'],
      benefits.map((each) => [
        ...[each.day, each.venueId, each.benefitId, String(each.calculations), String(each.redemptions)],
        ...[moneyText(each.discount, each.currency), moneyText(each.paid, each.currency)],
      ]),
    ),
    tableLines(
      ['day', 'venue', 'sales>', 'of members>', 'applied>', 'failed>', 'cancelled>', 'paid>', 'discounts>'],
      sales.map((each) => [
        ...[
          each.day,
          each.venueId,
          ...counted(each.sales, each.memberSales, each.applied, each.failed, each.cancelled),
        ],
        ...[moneyText(each.paid, each.currency), moneyText(each.discount, each.currency)],
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
  for (const [at, lines] of tables.entries()) {
    if (at > 0) print('')
    for (const line of lines) print(line)
  }
}

function counted(...counts: readonly bigint[]): readonly string[] {
  return counts.map(String)
}
