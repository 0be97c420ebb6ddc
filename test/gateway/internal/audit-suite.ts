import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import type { Served } from './served.js'
import { aVenue } from './venue-suite.js'

const { upsertVenue } = VenueService.method

/** AuditService: how records are found, and how many come at once. */
export function auditSuite(t: Test, served: () => Served): void {
  t.test('audit records are found by who, which call and when', async (t) => {
    const admin = served().admin(t)
    const from = { seconds: BigInt(Math.floor(Date.now() / 1_000) - 5) }
    await admin.ask(upsertVenue, { requestId: randomUUID(), venue: aVenue() })
    const ask = async (filter: object) => {
      const { records } = await admin.ask(AuditService.method.listAuditRecords, { from, ...filter })
      return records.map(({ call }) => call)
    }
    t.ok((await ask({ actor: 'admin-', call: 'VenueService/UpsertVenue' })).length >= 1)
    t.same(await ask({ actor: 'support-' }), [])
    t.same(await ask({ call: 'VenueService/Other' }), [])
    t.same(await ask({ until: from }), [])
    t.match(await admin.unary(AuditService.method.listAuditRecords, { actor: 'a\nb', call: 'no call' }), {
      code: 3,
      violations: [/^actor: /, /^call: /],
    })
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'venue',
      subjectId: 'venue-1',
    })
    t.match(records.at(-1), { actor: 'start', call: 'start', requestId: '', beforeJson: '' })
    for (const [request, field] of [
      [{ subjectKind: 'register', subjectId: 'a' }, /^subject_kind/],
      [{ subjectKind: 'member' }, /^subject_id/],
      [{ subjectId: 'a' }, /^subject_kind/],
    ] as const)
      t.match(await admin.unary(AuditService.method.listAuditRecords, request), { code: 3, violations: [field] })
  })

  t.test('audit records of large price lists come in pages that a client accepts, none omitted', async (t) => {
    const admin = served().admin(t)
    const venue = aVenue()
    const changes = 8
    for (let change = 1; change <= changes; change += 1) {
      const products = Array.from({ length: 5_000 }, (_, at) => {
        return {
          productId: `product-${at}`,
          name: 'A product with a name of usual length',
          unitPrice: BigInt(100 + change),
        }
      })
      await admin.ask(upsertVenue, { requestId: randomUUID(), venue: { ...venue, products } })
    }
    const pages: { readonly records: number; readonly bytes: number }[] = []
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await admin.ask(AuditService.method.listAuditRecords, {
        subjectKind: 'venue',
        subjectId: venue.venueId,
        pageSize: 500,
        pageToken,
      })
      const bytes = page.records.reduce(
        (sum, { beforeJson, afterJson }) => sum + beforeJson.length + afterJson.length,
        0,
      )
      pages.push({ records: page.records.length, bytes })
      seen.push(...page.records.map(({ afterJson }) => JSON.parse(afterJson).profile.products[0].unitPrice))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    t.same(
      seen,
      Array.from({ length: changes }, (_, at) => 100 + changes - at),
    )
    // Most gRPC clients take 4 MiB by default.
    t.ok(
      pages.every(({ records, bytes }) => records > 0 && bytes < 4 * 1024 * 1024),
      JSON.stringify(pages),
    )
  })
}
