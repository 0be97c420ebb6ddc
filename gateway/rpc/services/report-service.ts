import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import type { SumKeys } from '../../../store/ledger/reports.js'
import type { Ledger } from '../../../store/ledger.js'
import {
  ReportService,
  type ReportSumsRequest,
  type ReportSumsResponseSchema,
  SumsBy,
  SumsBySchema,
} from '../../gen/loyalty/v1/report_service_pb.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { messageFromBenefit, messageFromSales, messageFromValue } from '../messages/sum-message.js'
import { boundWatchers } from '../watching.js'
import { createTodayWatch, type TodayParts } from './watch-today.js'

/** Rows of one list. */
const rowsMax = 50_000
const daysMax = 3_700
const dayMs = 86_400_000

export interface ReportParts extends TodayParts {
  readonly ledger: TodayParts['ledger'] & Pick<Ledger, 'reports'>
}

/** Sums of sales, and today as it goes. */
export function reportRoutes(parts: ReportParts): (router: ConnectRouter) => void {
  const watchToday = boundWatchers(createTodayWatch(parts))
  return (router) => {
    router.service(ReportService, {
      reportSums: (request) => reportSums(parts, request),
      watchToday: (request, { signal }) => watchToday(request, signal),
    })
  }
}

async function reportSums(
  { ledger: { reports } }: ReportParts,
  request: ReportSumsRequest,
): Promise<MessageInitShape<typeof ReportSumsResponseSchema>> {
  const { fromDay: from, untilDay: until, venueId, benefitId } = request
  const by = keysFrom(request)
  const filter = { days: { from, until }, venueId, benefitId }
  const [benefits, sales, value] = await Promise.all([
    reports.readBenefits(filter, by, rowsMax + 1),
    benefitId === '' ? reports.readSales(filter, by, rowsMax + 1) : [],
    reports.readValue(filter, by, rowsMax + 1),
  ])
  if ([benefits, sales, value].some(({ length }) => length > rowsMax))
    throw refusal('REPORT_TOO_LARGE', `a list has more than ${rowsMax} rows`)
  return {
    benefits: benefits.map(messageFromBenefit),
    sales: sales.map(messageFromSales),
    value: value.map(messageFromValue),
  }
}

function keysFrom({ by, fromDay, untilDay, venueId, benefitId }: ReportSumsRequest): SumKeys {
  const checks = new FieldChecks()
    .expect('from_day', isDay(fromDay), 'a day such as 2026-11-21', fromDay)
    .expect('until_day', isDay(untilDay), 'a day such as 2026-11-21', untilDay)
    .idOrEmpty('venue_id', venueId)
    .idOrEmpty('benefit_id', benefitId)
  const days = (Date.parse(untilDay) - Date.parse(fromDay)) / dayMs + 1
  if (Number.isFinite(days)) checks.expect('until_day', days >= 1 && days <= daysMax, `1 to ${daysMax} days`, untilDay)
  for (const [at, key] of by.entries()) {
    const isKey = key !== SumsBy.UNSPECIFIED && SumsBySchema.value[key] !== undefined && by.indexOf(key) === at
    checks.expect(`by[${at}]`, isKey, 'a value of SumsBy, each once', String(key))
  }
  checks.done()
  return { benefit: by.includes(SumsBy.BENEFIT), venue: by.includes(SumsBy.VENUE), day: by.includes(SumsBy.DAY) }
}

/** Of the years that Postgres and people know. */
function isDay(text: string): boolean {
  const ms = /^[12]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
