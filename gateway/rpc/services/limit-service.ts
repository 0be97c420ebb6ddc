import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import type { CounterState } from '../../../store/ledger/counters.js'
import type { Ledger } from '../../../store/ledger.js'
import type { Facts } from '../../cache/facts.js'
import { type LimitCounterSchema, LimitService } from '../../gen/loyalty/v1/limit_service_pb.js'
import { refusal } from '../errors.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { cutPage, pageToken, readPage } from '../messages/page-token.js'

/** Reservations that one answer shows. */
const holdsMax = 100

export interface LimitParts {
  readonly ledger: Pick<Ledger, 'counters'>
  readonly facts: Pick<Facts, 'limits'>
}

/** Limits and what is left of them. */
export function limitRoutes({ ledger, facts }: LimitParts): (router: ConnectRouter) => void {
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
          counter: counterMessage(facts, state),
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
        return { counters: rows.map((state) => counterMessage(facts, state)), nextPageToken }
      },
    })
  }
}

const untouched = { used: 0, late: 0, open: 0, nextExpiryAt: null, lastExpiryAt: null }

/** The maximum is the one of the programme in force, where the limit is still in it. */
function counterMessage(
  { limits }: Pick<Facts, 'limits'>,
  { limitId, subject, period, maximum, used, open, late, nextExpiryAt, lastExpiryAt }: CounterState,
): MessageInitShape<typeof LimitCounterSchema> {
  return {
    limitId,
    subject,
    period,
    maximum: BigInt(limits.get(limitId)?.maximum ?? maximum),
    used: BigInt(used),
    open: BigInt(open),
    late: BigInt(late),
    nextExpiryAt: timestamp(nextExpiryAt),
    lastExpiryAt: timestamp(lastExpiryAt),
  }
}
