import { isDeepStrictEqual } from 'node:util'
import { readDefined } from '../../../engine/programme/read-defined.js'
import type { ProgrammeVenue } from '../../../engine/programme/read-venue.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { Environment } from '../../gen/loyalty/v1/enums_pb.js'
import {
  type ReadPriceListRequest,
  type Venue,
  type VenueProduct,
  VenueService,
} from '../../gen/loyalty/v1/venue_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { readPriceList } from '../../use-cases/read-price-list.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { numberFromInt64, readPart } from '../messages/programme-fields.js'

export interface VenueParts {
  readonly adminLedger: Pick<AdminLedger, 'venues'>
  readonly commands: Commands
}

export function venueRoutes({ adminLedger, commands }: VenueParts) {
  return routeOf(VenueService, {
    async getVenue({ venueId }) {
      new FieldChecks().id('venue_id', venueId).done()
      const venue = await adminLedger.venues.find(venueId)
      if (venue === null) throw refusal('VENUE_NOT_FOUND', 'no such venue')
      return { venue: messageFromVenue(venue) }
    },

    async listVenues(request) {
      const { rows, nextPageToken } = await pageOf(request, {
        name: 'ListVenues',
        form: ['string'],
        read: adminLedger.venues.list,
        cursorOf: ({ venueId }) => [venueId],
      })
      return { venues: rows.map(messageFromVenue), nextPageToken }
    },

    readPriceList: (request) => priceListMessage(adminLedger, request),

    async upsertVenue(request, context) {
      new FieldChecks().uuid('request_id', request.requestId).done()
      const venue = venueFromMessage(request.venue)
      const reply = await sendCommand(commands.upsertVenue, [venue], { request, context })
      return { created: reply.created, unchanged: !reply.created && !reply.changed }
    },
  })
}

async function priceListMessage(adminLedger: VenueParts['adminLedger'], { venueId, csv }: ReadPriceListRequest) {
  new FieldChecks()
    .id('venue_id', venueId)
    .expect('csv', csv.length > 0, 'a file', '')
    .done()
  const venue = await adminLedger.venues.find(venueId)
  if (venue === null) throw refusal('VENUE_NOT_FOUND', 'no such venue')
  const read = readPriceList(csv, venue)
  if (read.kind === 'faulty') return { faults: read.faults, moreFaults: read.more }
  const before = new Map(venue.products.map((product) => [product.productId, product]))
  const after = new Map(read.products.map((product) => [product.productId, product]))
  const added = read.products.filter(({ productId }) => !before.has(productId))
  const kept = read.products.filter(({ productId }) => before.has(productId))
  const changed = kept.filter((product) => !isDeepStrictEqual(product, before.get(product.productId)))
  const removed = venue.products.filter(({ productId }) => !after.has(productId))
  const changes = [...changed, ...added, ...removed].slice(0, changesMax)
  return {
    venue: messageFromVenue({ ...venue, products: read.products }),
    ...{ added: added.length, changed: changed.length, removed: removed.length },
    unchanged: kept.length - changed.length,
    changes: changes.map(({ productId }) => ({
      ...{ productId, before: before.get(productId), after: after.get(productId) },
    })),
  }
}

const changesMax = 100

export function venueFromMessage(venue: Venue | undefined): StoredVenue {
  const part = venue && {
    venueId: venue.venueId,
    name: venue.name,
    environment: environmentWords[venue.environment],
    currency: venue.currency,
    timeZone: venue.timeZone,
    ...(venue.dayStartsAt === '' ? {} : { dayStartsAt: venue.dayStartsAt }),
    baxIds: venue.baxIds,
    products: venue.products.map(productPart),
  }
  return readPart('venue', part, (place) => readDefined<ProgrammeVenue>(place, 'venue'))
}

function productPart({ productId, name, unitPrice, productGroupId, productMasterId, ean, ...flags }: VenueProduct) {
  const { noDiscount, noPercentageDiscount } = flags
  const price = numberFromInt64(unitPrice)
  return { productId, name, unitPrice: price, productGroupId, productMasterId, ean, noDiscount, noPercentageDiscount }
}

function messageFromVenue(venue: StoredVenue) {
  return { ...venue, dayStartsAt: timeOfDay(venue.dayStartsAt ?? 0) }
}

/** As the programme writes it, such as `06:00`. */
function timeOfDay(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

const environmentWords: Readonly<Record<Environment, string | undefined>> = {
  [Environment.UNSPECIFIED]: undefined,
  [Environment.STAGING]: 'staging',
  [Environment.PRODUCTION]: 'production',
}
