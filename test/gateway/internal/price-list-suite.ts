import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import type { Served } from './served.js'
import { aVenue } from './venue-suite.js'

const { getVenue, readPriceList, upsertVenue } = VenueService.method

/** Price lists as spreadsheets save them. */
export function priceListSuite(t: Test, served: () => Served): void {
  t.test('a price list of a spreadsheet is read, compared, and stored as it was read', async (t) => {
    const admin = served().admin(t)
    const venue = aVenue()
    const products = ['tea', 'cake'].map((productId) => ({ productId, name: productId, unitPrice: 300n }))
    const whole = { ...venue, products: [...venue.products, ...products] }
    await admin.ask(upsertVenue, { requestId: randomUUID(), venue: whole })
    const ask = (text: string) =>
      served()
        .reader(t)
        .ask(readPriceList, { venueId: venue.venueId, csv: Buffer.from(text) })
    const head = '\ufeffproductId;name;price;ean;noPercentageDiscount\r\n'
    const read = await ask(`${head}coffee;Coffee;4,50;1;true\r\ncake;cake;3,50;;\r\nbun;"Bun ""a""";2;;\r\n`)
    t.match(read, { added: 1, changed: 1, removed: 1, unchanged: 1, faults: [] })
    t.match(read.changes, [
      { productId: 'cake', before: { unitPrice: 300n }, after: { unitPrice: 350n } },
      { productId: 'bun', before: undefined, after: { name: 'Bun "a"', unitPrice: 200n } },
      { productId: 'tea', before: { unitPrice: 300n }, after: undefined },
    ])
    await admin.ask(upsertVenue, { requestId: randomUUID(), venue: read.venue! })
    const { venue: stored } = await admin.ask(getVenue, { venueId: venue.venueId })
    t.same(stored, read.venue)
    t.match(await ask(`${head}coffee;Coffee;4.5.0;1;true`), {
      venue: undefined,
      faults: [{ row: 2, column: 'price', expected: 'a price such as 52 or 52.50', received: '4.5.0' }],
    })
    const reader = served().reader(t)
    const csv = Buffer.from(head)
    t.match(await reader.unary(readPriceList, { venueId: 'no-such', csv }), { code: 5, reason: 'VENUE_NOT_FOUND' })
    t.match(await reader.unary(readPriceList, { venueId: '', csv: new Uint8Array() }), {
      code: 3,
      violations: [/^venue_id: /, /^csv: /],
    })
  })
}
