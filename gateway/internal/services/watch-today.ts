import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { SumFilter, SumKeys } from '../../../store/ledger/reports.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import { DiscrepancySchema, LimitCountsSchema } from '../../gen/loyalty/v1/enums_pb.js'
import type {
  FullLimitSchema,
  WatchTodayRequest,
  WatchTodayResponseSchema,
} from '../../gen/loyalty/v1/report_service_pb.js'
import { atMostEvery } from '../../telemetry/at-most-every.js'
import { createTraffic, type Traffic, trafficOf } from '../../telemetry/traffic.js'
import { type FullLimit, type FullLimitParts, findFullLimits } from '../../use-cases/full-limits.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { messageFromPace } from '../messages/pace-message.js'
import { messageFromBenefit, messageFromSales } from '../messages/sum-message.js'
import { messageFromTraffic } from '../messages/traffic-message.js'
import { enumFromWord } from '../messages/words.js'
import { currencyOf } from './limit-service.js'

/** Milliseconds between two messages. */
const everyMs = 2_000
/** Milliseconds between two reads of limits, each with its pace. */
const limitsEveryMs = 4_000
/** Rows of each list. */
const rowsMax = 100
/** Benefits or venues that are summed before the largest are shown. */
const summedMax = 10_000
const dayMs = 86_400_000
const minuteMs = 60_000
const reportedWithinMs = 5_000

const none: SumKeys = { benefit: false, venue: false, day: false }

export interface TodayParts {
  readonly adminLedger: Pick<AdminLedger, 'reports' | 'traffic'> & FullLimitParts['adminLedger']
  readonly facts: FullLimitParts['facts'] & Pick<LookupCache, 'programmeVersion'>
  /** Metrics of all processes of this gateway; null: none of them serves POSs. */
  readonly metricsPage: (() => Promise<string>) | null
}

/** WatchToday; watchers of all venues share their messages. */
export function createTodayWatch(
  parts: TodayParts,
): (
  request: WatchTodayRequest,
  signal: AbortSignal,
) => AsyncGenerator<MessageInitShape<typeof WatchTodayResponseSchema>> {
  const traffic = atMostEvery(
    everyMs / 2,
    parts.metricsPage === null
      ? () => lastMinute(parts.adminLedger)
      : createTraffic(parts.metricsPage, () => performance.now()),
  )
  const limits = atMostEvery(limitsEveryMs, () => findFullLimits(parts, '', rowsMax))
  const everywhere = atMostEvery(everyMs / 2, () => look(parts, '', limits))
  return async function* watch({ venueId }, signal) {
    new FieldChecks().idOrEmpty('venue_id', venueId).done()
    for (;;) {
      signal.throwIfAborted()
      const [seen, flow] = await Promise.all([
        venueId === '' ? everywhere() : look(parts, venueId, () => findFullLimits(parts, venueId, rowsMax)),
        traffic(),
      ])
      yield { ...seen, traffic: messageFromTraffic(flow) }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** The last whole minute that gateways may have reported: each does so within seconds. */
async function lastMinute({ clock, traffic }: TodayParts['adminLedger']): Promise<Traffic> {
  const until = Math.floor((clock() - reportedWithinMs) / minuteMs) * minuteMs
  const minutes = await traffic.readMinutes(until - minuteMs)
  return trafficOf(
    minutes.filter(({ at }) => at < until),
    minuteMs / 1_000,
  )
}

async function look(parts: TodayParts, venueId: string, fullLimits: () => Promise<readonly FullLimit[]>) {
  const { adminLedger, facts } = parts
  const { reports } = adminLedger
  const today: SumFilter = { days: 'today', venueId, benefitId: '' }
  const [benefits, venues, totals, limits, disagreeing] = await Promise.all([
    reports.readBenefits(today, { ...none, benefit: true }, summedMax),
    reports.readSales(today, { ...none, venue: true }, summedMax),
    reports.readSales(today, none, summedMax),
    fullLimits(),
    reports.countDiscrepancies(dayMs, venueId),
  ])
  return {
    at: timestamp(adminLedger.clock()),
    programmeVersion: facts.programmeVersion,
    benefits: largest(benefits).map(messageFromBenefit),
    venues: largest(venues).map(messageFromSales),
    totals: totals.map(messageFromSales),
    limits: await Promise.all(limits.map((limit) => messageFromLimit(parts, limit))),
    discrepancies: disagreeing.kinds.map(({ discrepancy, sales }) => ({
      discrepancy: enumFromWord(DiscrepancySchema, discrepancy),
      sales: BigInt(sales),
    })),
    disagreeingSales: BigInt(disagreeing.sales),
  }
}

async function messageFromLimit(
  parts: TodayParts,
  { limitId, subject, period, taken, limit, hour, periodEnd, runsOut }: FullLimit,
): Promise<MessageInitShape<typeof FullLimitSchema>> {
  return {
    ...{ limitId, subject, period },
    taken: BigInt(taken),
    maximum: BigInt(limit.maximum),
    counts: enumFromWord(LimitCountsSchema, limit.counts),
    currency: limit.counts === 'amount' ? await currencyOf(parts, limit, subject) : '',
    periodEndsAt: timestamp(periodEnd),
    runsOutAt: timestamp(runsOut),
    lastHour: messageFromPace(hour),
  }
}

function largest<Row extends { readonly discount: number }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((left, right) => right.discount - left.discount).slice(0, rowsMax)
}
