import type { TrafficCounts, TrafficMinute } from '../../../store/ledger/gateways.js'
import type { SumKeys } from '../../../store/ledger/reports.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  ReportService,
  type ReportSumsRequest,
  type ReportTopMembersRequest,
  type ReportTrafficRequest,
  SumsBy,
  SumsBySchema,
} from '../../gen/loyalty/v1/report_service_pb.js'
import { atMostEvery } from '../../telemetry/at-most-every.js'
import { errorCount, p95MaxMs, p99MaxMs, type Traffic, type TrafficPlace, trafficOf } from '../../telemetry/traffic.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { boundWatchers } from '../watching.js'
import { createTodayWatch, none, type TodayParts } from './watch-today.js'

const rowsMax = 50_000
const daysMax = 3_700
const dayMs = 86_400_000
const topMax = 100
const topDefault = 10
const everyDay = { from: '1000-01-01', until: '2999-12-31' }
/** Days over which the ledger can count members. */
const reachDaysMax = 400
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The stored minutes, and the default of a request. */
const minutesMax = 2_880
const minutesDefault = 1_440
const stepDefault = 10
/** Processes report a minute within this time after its end. */
const reportedMs = 10_000
/** Figures that every console asks for are read once in this time at most. */
const trafficEveryMs = 5_000
const latestEveryMs = 1_000

export interface ReportParts extends TodayParts {
  readonly adminLedger: TodayParts['adminLedger'] & Pick<AdminLedger, 'reports' | 'traffic'>
}

export function reportRoutes(parts: ReportParts) {
  const watchToday = boundWatchers(createTodayWatch(parts))
  const { adminLedger } = parts
  const minutes = atMostEvery(trafficEveryMs, () =>
    adminLedger.traffic.readMinutes(adminLedger.clock() - minutesMax * minuteMs),
  )
  const latest = atMostEvery(latestEveryMs, () => adminLedger.traffic.readLatest())
  return routeOf(ReportService, {
    reportSums: (request) => reportSums(parts, request),
    reportTopMembers: (request) => reportTopMembers(parts, request),
    async reportTraffic(request) {
      const [counted, processes] = await Promise.all([minutes(), latest()])
      return trafficMessage(request, { counted, processes, now: adminLedger.clock() })
    },
    watchToday: (request, { signal }) => watchToday(request, signal),
  })
}

async function reportSums({ adminLedger: { reports } }: ReportParts, request: ReportSumsRequest) {
  const { fromDay: from, untilDay: until, venueId, benefitId } = request
  const by = keysFrom(request)
  const filter = { days: { from, until }, venueId, benefitId }
  const [benefits, sales, value, reach, reachSince] = await Promise.all([
    reports.readBenefits(filter, by, rowsMax + 1),
    benefitId === '' ? reports.readSales(filter, by, rowsMax + 1) : [],
    reports.readValue(filter, by, rowsMax + 1),
    hasReach(request) ? reports.readReach(filter, by, rowsMax + 1) : [],
    reports.reachSince(),
  ])
  if ([benefits, sales, value, reach].some(({ length }) => length > rowsMax))
    throw refusal('REPORT_TOO_LARGE', `a list has more than ${rowsMax} rows`)
  return {
    ...{ benefits, sales, value, reach, reachSince },
  }
}

async function reportTopMembers(
  { adminLedger: { reports } }: ReportParts,
  { benefitId, membersMax }: ReportTopMembersRequest,
) {
  const limit = membersMax === 0 ? topDefault : membersMax
  new FieldChecks()
    .id('benefit_id', benefitId)
    .expect('members_max', limit >= 1 && limit <= topMax, `1 to ${topMax}`, String(membersMax))
    .done()
  // Members first: a sale that is summed in between is among the others.
  const members = await reports.readTopMembers(benefitId, limit)
  const [sums, reachSince] = await Promise.all([
    reports.readBenefits({ days: everyDay, venueId: '', benefitId }, none, rowsMax),
    reports.reachSince(),
  ])
  const redemptions = sums.reduce((sum, row) => sum + row.redemptions, 0)
  const others = members.reduce((left, row) => left - row.redemptions, redemptions)
  return {
    ...{ members, redemptions, others, reachSince },
  }
}

/** Members are counted over all venues together, and for a limited number of days. */
function hasReach({ by, venueId, fromDay, untilDay }: ReportSumsRequest): boolean {
  return venueId === '' && !by.includes(SumsBy.VENUE) && daysFrom(fromDay, untilDay) <= reachDaysMax
}

function daysFrom(fromDay: string, untilDay: string): number {
  return (Date.parse(untilDay) - Date.parse(fromDay)) / dayMs + 1
}

interface Counted {
  readonly counted: readonly TrafficMinute[]
  /** The last minute of each process. */
  readonly processes: readonly TrafficCounts[]
  readonly now: number
}

function trafficMessage({ minutes, stepMinutes }: ReportTrafficRequest, { counted, processes, now }: Counted) {
  const step = stepMinutes === 0 ? stepDefault : stepMinutes
  const count = minutes === 0 ? minutesDefault : minutes
  new FieldChecks()
    .expect('minutes', count >= 1 && count <= minutesMax, `1 to ${minutesMax}`, String(minutes))
    .expect('step_minutes', step >= 1 && step <= minutesDefault, `1 to ${minutesDefault}`, String(stepMinutes))
    .done()
  const until = Math.floor((now - reportedMs) / minuteMs) * minuteMs
  const trafficIn = (from: number, to: number) => {
    const within = counted.filter(({ at }) => at >= from && at < to)
    return messageFromTraffic(trafficOf(within, (to - from) / 1_000))
  }
  const from = until - count * minuteMs
  const ends = Array.from({ length: Math.ceil(count / step) }, (_, back) => until - back * step * minuteMs).reverse()
  return {
    until,
    all: trafficIn(from, until),
    now: messageFromTraffic(trafficOf(processes, minuteMs / 1_000)),
    hour: trafficIn(until - hourMs, until),
    amissSince: amissSince(counted, until),
    ...{ p95MaxMs, p99MaxMs },
    steps: ends.map((end) => {
      const begin = Math.max(from, end - step * minuteMs)
      return { from: begin, traffic: { ...trafficIn(begin, end), places: [] } }
    }),
  }
}

/** The first of the minutes with calls up to `until` none of which was well; null: the last one was. */
function amissSince(counted: readonly TrafficMinute[], until: number): number | null {
  let since: number | null = null
  for (const minute of counted.toReversed()) {
    if (minute.at >= until) continue
    if (trafficOf([minute], minuteMs / 1_000).isWell) break
    since = minute.at
  }
  return since
}

function keysFrom({ by, fromDay, untilDay, venueId, benefitId }: ReportSumsRequest): SumKeys {
  const checks = new FieldChecks()
    .expect('from_day', isDay(fromDay), 'a day such as 2026-11-21', fromDay)
    .expect('until_day', isDay(untilDay), 'a day such as 2026-11-21', untilDay)
    .idOrEmpty('venue_id', venueId)
    .idOrEmpty('benefit_id', benefitId)
  const days = daysFrom(fromDay, untilDay)
  if (Number.isFinite(days)) checks.expect('until_day', days >= 1 && days <= daysMax, `1 to ${daysMax} days`, untilDay)
  for (const [at, key] of by.entries()) {
    const isKey = key !== SumsBy.UNSPECIFIED && SumsBySchema.value[key] !== undefined && by.indexOf(key) === at
    checks.expect(`by[${at}]`, isKey, 'a value of SumsBy, each once', String(key))
  }
  checks.done()
  return { benefit: by.includes(SumsBy.BENEFIT), venue: by.includes(SumsBy.VENUE), day: by.includes(SumsBy.DAY) }
}

/** Within the years of Postgres. */
function isDay(text: string): boolean {
  const ms = /^[12]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const placesMax = 100

function messageFromTraffic(traffic: Traffic) {
  const { seconds, baskets, outcomes, calls, places, isWell } = traffic
  return {
    ...{ seconds, baskets, calls, well: isWell },
    outcomes,
    ...timesFrom(traffic),
    ...errorsFrom(traffic),
    places: places.slice(0, placesMax).map((place) => ({
      ...place,
      ...timesFrom(place),
      ...errorsFrom(place),
    })),
  }
}

function timesFrom(counted: Pick<Traffic, 'percentile'>) {
  const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map((each) => counted.percentile(each))
  return { p50Ms, p95Ms, p99Ms }
}

function errorsFrom(counted: Pick<TrafficPlace, 'errors'>) {
  return { failedCalls: errorCount(counted), errors: counted.errors }
}
