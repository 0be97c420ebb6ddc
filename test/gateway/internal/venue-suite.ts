import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { Environment } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { aDocument, publish } from './calculation-suite.js'
import { type Served, within2s } from './served.js'

const { getVenue, listVenues, readPriceList, upsertVenue } = VenueService.method
const { rollBack, validateProgramme } = ProgrammeService.method

/** A new venue. */
export function aVenue() {
  const venueId = `venue-${randomUUID()}`
  return {
    venueId,
    name: 'Quay "," : {',
    environment: Environment.STAGING,
    currency: 'EUR',
    timeZone: 'Europe/Tallinn',
    baxIds: [`bax-${randomUUID()}`],
    products: [
      { productId: 'coffee', name: 'Coffee', unitPrice: 450n, noDiscount: false, noPercentageDiscount: true, ean: '1' },
    ],
  }
}

/** VenueService. */
export function venueSuite(t: Test, served: () => Served): void {
  t.test('a venue has the start of its day, at midnight unless another is given', async (t) => {
    const admin = served().admin(t)
    const venue = aVenue()
    const startsAt = async (dayStartsAt?: string) => {
      const sent = { ...venue, ...(dayStartsAt !== undefined && { dayStartsAt }) }
      await admin.ask(upsertVenue, { requestId: randomUUID(), venue: sent })
      return (await admin.ask(getVenue, { venueId: venue.venueId })).venue?.dayStartsAt
    }
    t.equal(await startsAt(), '00:00')
    t.equal(await startsAt('06:30'), '06:30')
    t.equal(await startsAt('00:00'), '00:00')
    for (const dayStartsAt of ['6:00', '24:00', 'noon']) {
      const bad = { requestId: randomUUID(), venue: { ...venue, dayStartsAt } }
      t.match(await admin.unary(upsertVenue, bad), { code: 3, violations: [/^venue\.day_starts_at: /] })
    }
  })

  t.test('a venue keeps the currency of a budget that it shares, and a limit what it counts', async (t) => {
    const admin = served().admin(t)
    const [one, other] = [aVenue(), aVenue()]
    for (const venue of [one, other]) await admin.ask(upsertVenue, { requestId: randomUUID(), venue })
    const limitId = `budget-${randomUUID()}`
    const venueIds = [one.venueId, other.venueId]
    const withBudget = (counts: string) =>
      aDocument(({ benefits }) => {
        const limits = [{ limitId, scope: 'everyone', period: 'ever', counts, maximum: 1_000 }]
        const reward = { kind: 'line_percentage', percentage: 1 }
        benefits.push({ benefitId: 'shared', text: 'x', venueIds, limits, reward })
      })
    const version = await publish(admin, withBudget('amount'))
    const changed = { requestId: randomUUID(), venue: { ...other, currency: 'SEK' } }
    const at = `benefits\\[${JSON.parse(aDocument()).benefits.length}\\]\\.limits\\[0\\]\\.counts`
    t.match(await admin.unary(upsertVenue, changed), {
      code: 3,
      reason: 'INVALID_REQUEST',
      violations: [new RegExp(`^venue\\.currency: expected EUR, since ${at} .*; received "SEK"$`)],
    })
    t.match(await admin.ask(getVenue, { venueId: other.venueId }), { venue: { currency: 'EUR' } })
    const { faults } = await admin.ask(validateProgramme, { document: withBudget('units') })
    t.match(faults, [{ path: new RegExp(at), expected: '"amount", as published before', received: '"units"' }])
    const expectedVersion = await publish(admin, aDocument())
    t.match(await admin.ask(upsertVenue, changed), { unchanged: false }, 'the budget is over')
    t.match(await admin.unary(rollBack, { requestId: randomUUID(), version, expectedVersion }), {
      code: 3,
      reason: 'PROGRAMME_FAULTY',
      violations: [/no amount, since the benefit is open at venues of several currencies \(EUR, SEK\)/],
    })
  })

  t.test('a venue is stored with its price list, found whole, listed without it, and sells within 2 s', async (t) => {
    const admin = served().admin(t)
    const venue = aVenue()
    const context = { venueId: venue.venueId, baxId: venue.baxIds[0]!, cashRegisterId: 'register', channel: 'pos' }
    const statusAtPos = async () => {
      const basket = aBasket('anna', context).line({ productId: 'coffee', unitPrice: 450 })
      return (await served().send('/v1/pos/basket', basket.text())).status
    }
    t.equal(await statusAtPos(), 422)
    const request = { requestId: randomUUID(), venue }
    t.match(await admin.ask(upsertVenue, request), { created: true, unchanged: false })
    t.match((await admin.ask(getVenue, { venueId: venue.venueId })).venue, venue)
    await within2s(t, async () => (await statusAtPos()) === 200, 'it sells')

    const listed = []
    let pageToken = ''
    do {
      const page = await admin.ask(listVenues, { pageSize: 2, pageToken })
      listed.push(...page.venues)
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    const ids = listed.map(({ venueId }) => venueId)
    t.same(ids, [...ids].sort())
    t.same(ids.includes('venue-1') && ids.includes(venue.venueId), true)
    t.match(
      listed.find(({ venueId }) => venueId === venue.venueId),
      { ...venue, products: [] },
    )
    t.ok(listed.every(({ products }) => products.length === 0))

    t.match(await admin.ask(upsertVenue, request), { created: true }, 'a repeat gets the reply of the first')
    t.match(await admin.ask(upsertVenue, { ...request, requestId: randomUUID() }), { created: false, unchanged: true })
    const dearer = { ...venue, products: [{ ...venue.products[0]!, unitPrice: 500n }] }
    t.match(await admin.unary(upsertVenue, { ...request, venue: dearer }), { code: 6, reason: 'REQUEST_ID_CONFLICT' })
    t.match(await admin.ask(upsertVenue, { requestId: randomUUID(), venue: dearer }), {
      created: false,
      unchanged: false,
    })
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'venue',
      subjectId: venue.venueId,
    })
    t.equal(records.length, 2)
    t.match(JSON.parse(records[0]!.beforeJson), { profile: { products: [{ unitPrice: 450 }] } })
    t.match(JSON.parse(records[0]!.afterJson), { profile: { products: [{ unitPrice: 500 }] }, baxIds: venue.baxIds })
  })

  t.test('a faulty venue is refused with every field', async (t) => {
    const admin = served().admin(t)
    const requestId = randomUUID()
    const venue = {
      ...aVenue(),
      environment: Environment.UNSPECIFIED,
      currency: 'DEM',
      baxIds: [],
      products: [
        { productId: 'a', name: '', unitPrice: -1n },
        { productId: 'a', name: '', unitPrice: 9_007_199_254_740_992n },
      ],
    }
    t.match(await admin.unary(upsertVenue, { requestId, venue }), {
      code: 3,
      violations: [
        /^venue\.environment: /,
        /^venue\.currency: /,
        /^venue\.bax_ids: /,
        /^venue\.products\[0\]\.unit_price: /,
        /^venue\.products\[1\]\.unit_price: expected .* received 9007199254740992$/,
        /^venue\.products\[1\]\.product_id: /,
      ],
    })
    t.match(await admin.unary(upsertVenue, { requestId }), { code: 3, violations: [/^venue: expected an object/] })
    t.match(await admin.unary(getVenue, { venueId: venue.venueId }), { code: 5, reason: 'VENUE_NOT_FOUND' })
    t.match(await served().reader(t).unary(upsertVenue, { requestId, venue: aVenue() }), { code: 7 })
  })
}

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
