import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import type { LimitOfBenefit } from '../../../engine/index.js'
import type { CounterState, LimitFilter, Paces } from '../../../store/ledger/counters.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import { LimitCountsSchema, LimitScopeSchema } from '../../gen/loyalty/v1/enums_pb.js'
import {
  type LimitCounterSchema,
  LimitOwner,
  LimitOwnerSchema,
  LimitService,
  type ListLimitsRequest,
  type ListLimitsResponseSchema,
} from '../../gen/loyalty/v1/limit_service_pb.js'
import { periodsNow } from '../../use-cases/full-limits.js'
import { createLasting } from '../../use-cases/limit-pace.js'
import { refusal } from '../errors.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { messageFromPace } from '../messages/pace-message.js'
import { pageOf } from '../messages/page-token.js'
import { enumFromWord } from '../messages/words.js'

const holdsMax = 100

export interface LimitParts {
  readonly adminLedger: Pick<AdminLedger, 'counters' | 'venues' | 'clock'>
  readonly facts: Pick<LookupCache, 'limits' | 'findVenue'>
}

export function limitRoutes(parts: LimitParts): (router: ConnectRouter) => void {
  const { adminLedger, facts } = parts
  return (router) => {
    router.service(LimitService, {
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
          openReservations: holds.map(({ calculationId, units, expiresAt }) => ({
            calculationId,
            units: BigInt(units),
            expiresAt: timestamp(expiresAt),
          })),
        }
      },

      listLimits: (request) => listLimits(parts, request),
    })
  }
}

async function listLimits(
  parts: LimitParts,
  request: ListLimitsRequest,
): Promise<MessageInitShape<typeof ListLimitsResponseSchema>> {
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
  return async (counter: CounterState): Promise<MessageInitShape<typeof LimitCounterSchema>> => {
    const { limitId, subject, period, maximum, used, open, late, nextExpiryAt, lastExpiryAt } = counter
    const limit = parts.facts.limits.get(limitId)
    const lasting = limit === undefined ? null : await lastingOf(limit, { ...counter, taken: used + open + late })
    const paces = lasting === null || limit?.scope === 'member' ? noPaces : counter
    return {
      ...{ limitId, subject, period },
      maximum: BigInt(limit?.maximum ?? maximum),
      used: BigInt(used),
      open: BigInt(open),
      late: BigInt(late),
      nextExpiryAt: timestamp(nextExpiryAt),
      lastExpiryAt: timestamp(lastExpiryAt),
      counts: enumFromWord(LimitCountsSchema, limit?.counts),
      scope: enumFromWord(LimitScopeSchema, limit?.scope),
      currency: limit?.counts === 'amount' ? await currencyOf(parts, limit, subject) : '',
      periodEndsAt: timestamp(lasting?.periodEnd ?? null),
      runsOutAt: timestamp(lasting?.runsOut ?? null),
      lastHour: messageFromPace(paces.hour),
      lastDay: messageFromPace(paces.day),
      lastWeek: messageFromPace(paces.week),
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
