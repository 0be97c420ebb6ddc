import { setTimeout as sleep } from 'node:timers/promises'
import type { SumFilter, SumKeys } from '../../../store/ledger/reports.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import type { WatchTodayRequest, WatchTodayResponseSchema } from '../../gen/loyalty/v1/report_service_pb.js'
import { atMostEvery } from '../../telemetry/at-most-every.js'
import { type FullLimit, type FullLimitParts, findFullLimits } from '../../use-cases/full-limits.js'
import { FieldChecks } from '../messages/fields.js'
import type { RecordOf } from '../messages/message.js'
import { currencyOf } from './limit-service.js'

/** Milliseconds between two messages. */
const everyMs = 2_000
/** Milliseconds between two reads of limits, each with its pace. */
const limitsEveryMs = 4_000
/** Limits shown, and benefits or venues of each currency. */
const limitsMax = 100
const rowsMax = 10
/** Benefits or venues that are summed before the largest are shown. */
const summedMax = 10_000
const dayMs = 86_400_000

export const none: SumKeys = { benefit: false, venue: false, day: false }

export interface TodayParts {
  readonly adminLedger: Pick<AdminLedger, 'reports'> & FullLimitParts['adminLedger']
  readonly facts: FullLimitParts['facts'] & Pick<LookupCache, 'programmeVersion'>
}

/** WatchToday; watchers of all venues share their messages. */
export function createTodayWatch(
  parts: TodayParts,
): (request: WatchTodayRequest, signal: AbortSignal) => AsyncGenerator<RecordOf<typeof WatchTodayResponseSchema>> {
  const limits = atMostEvery(limitsEveryMs, () => findFullLimits(parts, '', limitsMax))
  const everywhere = atMostEvery(everyMs / 2, () => look(parts, '', limits))
  return async function* watch({ venueId }, signal) {
    new FieldChecks().idOrEmpty('venue_id', venueId).done()
    for (;;) {
      signal.throwIfAborted()
      yield venueId === ''
        ? await everywhere()
        : await look(parts, venueId, () => findFullLimits(parts, venueId, limitsMax))
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }
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
    at: adminLedger.clock(),
    programmeVersion: facts.programmeVersion,
    benefits: shownOf(benefits),
    otherBenefits: othersOf(benefits).map((row) => ({ ...row, benefitId: '' })),
    venues: shownOf(venues),
    otherVenues: othersOf(venues).map((row) => ({ ...row, venueId: '' })),
    totals,
    limits: await Promise.all(limits.map((limit) => messageFromLimit(parts, limit))),
    discrepancies: disagreeing.kinds,
    disagreeingSales: disagreeing.sales,
  }
}

async function messageFromLimit(parts: TodayParts, full: FullLimit) {
  const { limit } = full
  return {
    ...full,
    maximum: limit.maximum,
    counts: limit.counts,
    currency: limit.counts === 'amount' ? await currencyOf(parts, limit, full.subject) : '',
    ...{ periodEndsAt: full.periodEnd, runsOutAt: full.runsOut, lastHour: full.hour },
  }
}

interface Given {
  readonly currency: string
  readonly discount: number
}

/** The largest rows of each currency; with `others` the rest. */
function split<Row extends Given>(
  rows: readonly Row[],
): { readonly shown: readonly Row[]; readonly others: readonly Row[] } {
  const counts = new Map<string, number>()
  const [shown, others]: [Row[], Row[]] = [[], []]
  for (const row of rows.toSorted((left, right) => right.discount - left.discount)) {
    const count = counts.get(row.currency) ?? 0
    counts.set(row.currency, count + 1)
    ;(count < rowsMax ? shown : others).push(row)
  }
  return { shown, others }
}

function shownOf<Row extends Given>(rows: readonly Row[]): readonly Row[] {
  return split(rows).shown
}

/** The rows not shown, summed by currency. */
function othersOf<Row extends Given>(rows: readonly Row[]): readonly Row[] {
  const sums = new Map<string, Row>()
  for (const row of split(rows).others) {
    const sum = sums.get(row.currency)
    const added = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + Number(sum?.[name as keyof Row] ?? 0) : value,
    ])
    sums.set(row.currency, Object.fromEntries(added) as Row)
  }
  return [...sums.values()]
}
