import type { LimitOfBenefit } from '../../../engine/index.js'
import type { CounterState, LimitFilter, Paces } from '../../../store/ledger/counters.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type LimitCounterSchema,
  LimitOwner,
  LimitOwnerSchema,
  LimitService,
  type ListLimitsRequest,
} from '../../gen/loyalty/v1/limit_service_pb.js'
import { periodsNow } from '../../use-cases/full-limits.js'
import { createLasting } from '../../use-cases/limit-pace.js'
import { refusal } from '../errors.js'
import { FieldChecks } from '../messages/fields.js'
import { type RecordOf, routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'

const holdsMax = 100

export interface LimitParts {
  readonly adminLedger: Pick<AdminLedger, 'counters' | 'venues' | 'clock'>
  readonly facts: Pick<LookupCache, 'limits' | 'findVenue'>
}

export function limitRoutes(parts: LimitParts) {
  const { adminLedger, facts } = parts
  return routeOf(LimitService, {
    async getLimit({ limitId, subject, period }) {
      new FieldChecks().id('limit_id', limitId).idOrEmpty('subject', subject).idOrEmpty('period', period).done()
      const name = { limitId, subject, period }
      const [counter, holds] = await Promise.all([
        adminLedger.counters.find(name),
        adminLedger.counters.findHolds(name, holdsMax),
      ])
      const limit = facts.limits.get(limitId)
      if (counter === null && limit === undefined) throw refusal('LIMIT_NOT_FOUND', 'no limit of this name')
      const state = counter ?? { ...untouched, ...name, maximum: limit!.maximum }
      return {
        counter: await counterMessages(parts)(state),
        openReservations: holds,
      }
    },

    listLimits: (request) => listLimits(parts, request),
  })
}

async function listLimits(parts: LimitParts, request: ListLimitsRequest) {
  const { adminLedger, facts } = parts
  const { limitId, subject, period, owner, current } = request
  new FieldChecks()
    .idOrEmpty('limit_id', limitId)
    .idOrEmpty('subject', subject)
    .idOrEmpty('period', period)
    .enumOrNone('owner', LimitOwnerSchema, owner)
    .done()
  const isAny = owner === LimitOwner.UNSPECIFIED && !current
  const asked = () => limitsAsked(facts.limits.values(), request, adminLedger.clock())
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListLimits',
    filters: [limitId, subject, period, owner, current],
    form: ['string', 'string', 'string'],
    read: (page) =>
      isAny
        ? adminLedger.counters.list({ limitId, subject, period }, page)
        : adminLedger.counters.listOf(asked(), { subject }, page),
    cursorOf: (last) => [last.limitId, last.subject, last.period],
  })
  return { counters: await Promise.all(rows.map(counterMessages(parts))), nextPageToken }
}

/** Limits of the programme in force that a request is about, and their periods. */
function limitsAsked(
  limits: Iterable<LimitOfBenefit>,
  { limitId, period, owner, current }: ListLimitsRequest,
  now: number,
): readonly LimitFilter[] {
  const isAsked = (limit: LimitOfBenefit) =>
    (limitId === '' || limit.limitId === limitId) &&
    (owner === LimitOwner.UNSPECIFIED || (limit.scope === 'member') === (owner === LimitOwner.MEMBER))
  return [...limits].filter(isAsked).map((limit) => {
    const asked = period === '' ? null : [period]
    const periods = current ? periodsNow(limit, now).filter((name) => asked === null || name === period) : asked
    return { limitId: limit.limitId, periods }
  })
}

const noPaces: Paces = { hour: null, day: null, week: null }
const untouched = { used: 0, late: 0, open: 0, nextExpiryAt: null, lastExpiryAt: null, ...noPaces }

/** Takes the maximum from the programme in force, where the limit is still in it. */
function counterMessages(parts: LimitParts) {
  const lastingOf = createLasting(parts, parts.adminLedger.clock())
  return async (counter: CounterState): Promise<RecordOf<typeof LimitCounterSchema>> => {
    const { limitId, subject, maximum, used, open, late } = counter
    const limit = parts.facts.limits.get(limitId)
    const lasting = limit === undefined ? null : await lastingOf(limit, { ...counter, taken: used + open + late })
    const paces = lasting === null || limit?.scope === 'member' ? noPaces : counter
    return {
      ...counter,
      maximum: limit?.maximum ?? maximum,
      counts: limit?.counts,
      scope: limit?.scope,
      currency: limit?.counts === 'amount' ? await currencyOf(parts, limit, subject) : '',
      ...{ periodEndsAt: lasting?.periodEnd, runsOutAt: lasting?.runsOut },
      ...{ lastHour: paces.hour, lastDay: paces.day, lastWeek: paces.week },
    }
  }
}

/** All venues of a benefit with a limit of money have one currency, so any of them gives it. */
export async function currencyOf(
  { adminLedger, facts }: Pick<LimitParts, 'facts'> & { readonly adminLedger: Pick<AdminLedger, 'venues'> },
  limit: LimitOfBenefit,
  subject: string,
): Promise<string> {
  const venueIds = limit.scope === 'venue' ? [subject] : (limit.venueIds ?? [])
  for (const venueId of venueIds) {
    const venue = await facts.findVenue(venueId)
    if (venue !== null) return venue.currency
  }
  if (limit.venueIds !== null) return ''
  const [first] = await adminLedger.venues.list({ after: null, limit: 1 })
  return first?.currency ?? ''
}
