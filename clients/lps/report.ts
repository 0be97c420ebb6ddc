import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient, type Transport } from '@connectrpc/connect'
import {
  ReportService,
  ReportSumsResponseSchema,
  SumsBySchema,
} from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { enumFromWord } from '../../gateway/rpc/messages/words.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { addedLines } from './report-added.js'
import { beforeLines, sumLines } from './report-sums.js'

const dayMs = 86_400_000
/** How far the earliest time zone is ahead of UTC. */
const aheadMs = 14 * 3_600_000
const keys = ['benefit', 'venue', 'day'] as const

export const report: Command = {
  name: 'report',
  summary: 'what benefits gave, by benefit, venue and day',
  help: `lps report

Sums of sales: how often each benefit was calculated and redeemed, how many different members it reached, what it took off in all, for
each sale and of the price, what was sold, and what members earned and spent. A sale counts on the local day of its venue on which its
basket was calculated. Members are counted over all venues together, in up to 400 days.

  lps report --from 2026-11-01 --until 2026-11-30 --by benefit,venue
  lps report --from 2026-11-01 --compare
  lps report --from 2026-11-01 --without happy-hour

  --from DAY          the first day. Default: 30 days before the last one
  --until DAY         the last day. Default: today, wherever that is first
  --by WORDS          ${keys.join(', ')}, comma-separated. Default: benefit
  --venue ID          only of this venue
  --benefit ID        only of this benefit
  --compare           also against as many days before
  --without ID        also what would not have been given without this benefit: prices the baskets of these days (UTC) twice, by the
                      programme in force with and without it; POS callers have priority
  --json              the sums as JSON
${internalHelp}

Exit code 0: there are some; 1: nothing was sold.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const request = requestFrom(values)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, () => print(transport, { ...values, request }, screen))
  },
}

const options = {
  ...internalOptions,
  from: { type: 'string' },
  until: { type: 'string' },
  by: { type: 'string', default: 'benefit' },
  venue: { type: 'string' },
  benefit: { type: 'string' },
  compare: { type: 'boolean' },
  without: { type: 'string' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

function requestFrom(values: Values) {
  const until = values.until ?? new Date(Date.now() + aheadMs).toISOString().slice(0, 10)
  const untilMs = Date.parse(until)
  if (Number.isNaN(untilMs)) throw new WrongUse(`--until: expected a day such as 2026-11-30, received ${until}`)
  const from = values.from ?? new Date(untilMs - 30 * dayMs).toISOString().slice(0, 10)
  if (Number.isNaN(Date.parse(from))) throw new WrongUse(`--from: expected a day such as 2026-11-01, received ${from}`)
  const by = values.by === '' ? [] : values.by.split(',')
  const wrong = by.find((word) => !keys.some((key) => key === word))
  if (wrong !== undefined) throw new WrongUse(`--by: expected ${keys.join(', ')}, received ${wrong}`)
  return {
    fromDay: from,
    untilDay: until,
    by: by.map((word) => enumFromWord(SumsBySchema, word)),
    venueId: values.venue ?? '',
    benefitId: values.benefit ?? '',
  }
}

interface Asked extends Pick<Values, 'compare' | 'without' | 'json'> {
  readonly request: ReturnType<typeof requestFrom>
}

async function print(
  transport: Transport,
  { request, compare, without, json }: Asked,
  screen: Screen,
): Promise<number> {
  const reports = createClient(ReportService, transport)
  const sums = await reports.reportSums(request)
  const code = sums.benefits.length + sums.sales.length + sums.value.length === 0 ? 1 : 0
  if (json) {
    screen.print(JSON.stringify(toJson(ReportSumsResponseSchema, sums), null, 2))
    return code
  }
  for (const line of sumLines(sums)) screen.print(line)
  if (compare) {
    const total = { ...request, by: [] }
    const [now, before] = [
      await reports.reportSums(total),
      await reports.reportSums({ ...total, ...daysBefore(request) }),
    ]
    for (const line of beforeLines(now, before)) screen.print(line)
  }
  if (without !== undefined) {
    for (const line of await addedLines(transport, { ...request, benefitId: without }, screen)) screen.print(line)
  }
  return code
}

function daysBefore({ fromDay, untilDay }: { readonly fromDay: string; readonly untilDay: string }) {
  const days = (Date.parse(untilDay) - Date.parse(fromDay)) / dayMs + 1
  const day = (back: number) => new Date(Date.parse(fromDay) - back * dayMs).toISOString().slice(0, 10)
  return { fromDay: day(days), untilDay: day(1) }
}
