import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import type { LimitOfBenefit } from '../../../engine/index.js'
import type { CounterState } from '../../../store/ledger/counters.js'
import type { Ledger } from '../../../store/ledger.js'
import type { Facts } from '../../cache/facts.js'
import { LimitCountsSchema } from '../../gen/loyalty/v1/enums_pb.js'
import { type LimitCounterSchema, LimitService } from '../../gen/loyalty/v1/limit_service_pb.js'
import { refusal } from '../errors.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { cutPage, pageToken, readPage } from '../messages/page-token.js'
import { enumFromWord } from '../messages/words.js'

/** Reservations that one answer shows. */
const holdsMax = 100

export interface LimitParts {
  readonly ledger: Pick<Ledger, 'counters' | 'venues'>
  readonly facts: Pick<Facts, 'limits' | 'findVenue'>
}

/** Limits and what is left of them. */
export function limitRoutes(parts: LimitParts): (router: ConnectRouter) => void {
  const { ledger, facts } = parts
  return (router) => {
    router.service(LimitService, {
      async getLimit({ limitId, subject, period }) {
        new FieldChecks().id('limit_id', limitId).idOrEmpty('subject', subject).idOrEmpty('period', period).done()
        const name = { limitId, subject, period }
        const [counter, holds] = await Promise.all([
          ledger.counters.find(name),
          ledger.counters.findHolds(name, holdsMax),
        ])
        const limit = facts.limits.get(limitId)
        if (counter === null && limit === undefined) throw refusal('LIMIT_NOT_FOUND', 'no limit of this name')
        const state = counter ?? { ...untouched, ...name, maximum: limit!.maximum }
        return {
          counter: await counterMessage(parts, state),
          openReservations: holds.map(({ calculationId, units, expiresAt }) => ({
            calculationId,
            units: BigInt(units),
            expiresAt: timestamp(expiresAt),
          })),
        }
      },

      async listLimits(request) {
        const { limitId, subject, period } = request
        new FieldChecks()
          .idOrEmpty('limit_id', limitId)
          .idOrEmpty('subject', subject)
          .idOrEmpty('period', period)
          .done()
        const filters = [limitId, subject, period]
        const page = readPage(request, 'ListLimits', { filters, form: ['string', 'string', 'string'] })
        const found = await ledger.counters.list(
          { limitId, subject, period },
          { after: page.after as readonly [string, string, string] | null, limit: page.size + 1 },
        )
        const { rows, nextPageToken } = cutPage(found, page, (last) =>
          pageToken('ListLimits', filters, [last.limitId, last.subject, last.period]),
        )
        return { counters: await Promise.all(rows.map((state) => counterMessage(parts, state))), nextPageToken }
      },
    })
  }
}

const untouched = { used: 0, late: 0, open: 0, nextExpiryAt: null, lastExpiryAt: null }

/** The maximum is the one of the programme in force, where the limit is still in it. */
async function counterMessage(
  parts: LimitParts,
  { limitId, subject, period, maximum, used, open, late, nextExpiryAt, lastExpiryAt }: CounterState,
): Promise<MessageInitShape<typeof LimitCounterSchema>> {
  const limit = parts.facts.limits.get(limitId)
  return {
    limitId,
    subject,
    period,
    maximum: BigInt(limit?.maximum ?? maximum),
    used: BigInt(used),
    open: BigInt(open),
    late: BigInt(late),
    nextExpiryAt: timestamp(nextExpiryAt),
    lastExpiryAt: timestamp(lastExpiryAt),
    counts: enumFromWord(LimitCountsSchema, limit?.counts),
    currency: limit?.counts === 'amount' ? await currencyOf(parts, limit, subject) : '',
  }
}

/** All venues of a benefit with a limit of money have one currency, so any of them tells it. */
async function currencyOf({ ledger, facts }: LimitParts, limit: LimitOfBenefit, subject: string): Promise<string> {
  const venueIds = limit.scope === 'venue' ? [subject] : (limit.venueIds ?? [])
  for (const venueId of venueIds) {
    const venue = await facts.findVenue(venueId)
    if (venue !== null) return venue.currency
  }
  if (limit.venueIds !== null) return ''
  const [first] = await ledger.venues.list({ after: null, limit: 1 })
  return first?.currency ?? ''
}
