import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import type { GrpcClient } from './grpc-client.js'
import { e2eProgramme, nameOfToken, type Served, within2s } from './served.js'

const { validateProgramme, publishProgramme, getProgramme, listProgrammes, rollBack } = ProgrammeService.method

// biome-ignore lint/suspicious/noExplicitAny: tests change documents in every way
type Document = any

function documentWith(change: (document: Document) => void): string {
  const document = JSON.parse(readFileSync(e2eProgramme, 'utf8'))
  change(document)
  return JSON.stringify(document)
}

const coffeeAt = (percentage: number) =>
  documentWith(({ benefits }) => {
    benefits[0].reward.percentage = percentage
    benefits[0].text = `Coffee ${percentage} % ${randomUUID()}`
  })

async function newest(client: GrpcClient): Promise<number> {
  return (await client.ask(getProgramme, { withoutDocument: true })).programme!.version
}

/** ProgrammeService, all but ShadowRun. */
export function programmeSuite(t: Test, served: () => Served): void {
  const priceOfCoffee = async () => {
    const basket = aBasket('anna').line({ productId: 'coffee', unitPrice: 1_000 })
    const { json } = await served().send('/v1/pos/basket', basket.text())
    return json.status === 'unchanged' ? 1_000 : json.basket.totals.net
  }

  t.test('validating a document returns every fault by its path, or every warning', async (t) => {
    const reader = served().reader(t)
    t.match(await reader.ask(validateProgramme, { document: readFileSync(e2eProgramme, 'utf8') }), {
      faults: [],
      moreFaults: 0,
    })
    const faulty = documentWith(({ benefits, venues }) => {
      benefits[0].reward.percentage = 101
      benefits[1].surprise = 1
      venues[0].currency = 'DEM'
    })
    const { faults } = await reader.ask(validateProgramme, { document: faulty })
    t.same(faults.map(({ path }) => path).sort(), [
      'benefits[0].reward.percentage',
      'benefits[1].surprise',
      'venues[0].currency',
    ])
    const many = documentWith((document) => {
      document.benefits = Array.from({ length: 1_000 }, () => ({}))
    })
    const read = await reader.ask(validateProgramme, { document: many })
    t.equal(read.faults.length, 100)
    t.ok(read.moreFaults >= 900)
    const unused = documentWith(({ benefits }) => {
      benefits[1].reward = { kind: 'free_product', productId: 'never-sold', quantity: 1 }
    })
    const { warnings } = await reader.ask(validateProgramme, { document: unused })
    t.ok(warnings.some(({ word }) => word === 'product_unknown'))
    t.match(await reader.ask(validateProgramme, { document: 'nonsense' }), { faults: [{ path: 'document' }] })
  })

  t.test('a published document is in force within 2 s, once, and only over the version its editor has', async (t) => {
    const admin = served().admin(t)
    const version = await newest(admin)
    t.equal(await priceOfCoffee(), 900)
    const request = { requestId: randomUUID(), document: coffeeAt(20), expectedVersion: version }
    t.match(await admin.ask(publishProgramme, request), { version: version + 1, published: true })
    await within2s(t, async () => (await priceOfCoffee()) === 800, 'the new price')
    t.match(await admin.ask(publishProgramme, request), { version: version + 1 }, 'a repeat')
    t.match(await admin.unary(publishProgramme, { ...request, document: coffeeAt(30) }), {
      code: 6,
      reason: 'REQUEST_ID_CONFLICT',
    })
    const late = { ...request, requestId: randomUUID(), document: coffeeAt(30) }
    t.match(await admin.unary(publishProgramme, late), {
      code: 10,
      reason: 'VERSION_MISMATCH',
      metadata: { current_version: String(version + 1) },
    })
    t.match(await admin.ask(publishProgramme, { ...late, document: request.document, expectedVersion: version + 1 }), {
      version: version + 1,
      published: false,
    })
    const found = await admin.ask(getProgramme, { version: version + 1 })
    t.equal(found.document, request.document)
    t.match(found.programme, {
      publishedBy: nameOfToken('admin', served().tokens.admin),
      rolledBackTo: 0,
      documentBytes: BigInt(Buffer.byteLength(request.document)),
    })
    const { records } = await admin.ask(AuditService.method.listAuditRecords, {
      subjectKind: 'programme',
      subjectId: String(version + 1),
    })
    t.match(records, [{ call: 'ProgrammeService/PublishProgramme', requestId: request.requestId }])
    t.match(JSON.parse(records[0]!.beforeJson), { version })
  })

  t.test(
    'a document with notes, a disabled benefit and no venues is stored as sent, and its other benefit prices',
    async (t) => {
      const admin = served().admin(t)
      const document = documentWith((document) => {
        const [first] = document.benefits
        const off = { ...first, benefitId: 'off', enabled: false, reward: { ...first.reward, percentage: 90 } }
        document.$schema = 'https://loyalty.example/programme.schema.json'
        document.metadata = { ticket: 7.0 }
        document.benefits = [off, { ...first, metadata: {}, reward: { ...first.reward, percentage: 25 } }]
        delete document.members
        document.venues = []
      })
      const request = { requestId: randomUUID(), document, expectedVersion: await newest(admin) }
      const { version } = await admin.ask(publishProgramme, request)
      await within2s(t, async () => (await priceOfCoffee()) === 750, 'the price of the enabled benefit')
      t.equal((await admin.ask(getProgramme, { version })).document, document)
      const allOff = JSON.parse(document)
      allOff.benefits.pop()
      const next = { requestId: randomUUID(), document: JSON.stringify(allOff), expectedVersion: version }
      await admin.ask(publishProgramme, next)
      await within2s(t, async () => (await priceOfCoffee()) === 1_000, 'the price without a benefit')
    },
  )

  t.test('of two editors at once one publishes and the other gets a conflict', async (t) => {
    const admin = served().admin(t)
    const expectedVersion = await newest(admin)
    const outcomes = await Promise.all(
      [40, 50, 60, 70].map((percentage) =>
        admin.unary(publishProgramme, { requestId: randomUUID(), document: coffeeAt(percentage), expectedVersion }),
      ),
    )
    t.equal(outcomes.filter(({ kind }) => kind === 'answered').length, 1)
    t.equal(outcomes.filter((outcome) => outcome.kind === 'refused' && outcome.reason === 'VERSION_MISMATCH').length, 3)
    t.equal(await newest(admin), expectedVersion + 1)
  })

  t.test('a roll-back publishes the benefits of an earlier version as the next one', async (t) => {
    const admin = served().admin(t)
    const expectedVersion = await newest(admin)
    const request = { requestId: randomUUID(), version: 1, expectedVersion }
    t.match(await admin.ask(rollBack, request), { version: expectedVersion + 1, published: true })
    await within2s(t, async () => (await priceOfCoffee()) === 900, 'the first price')
    t.match(await admin.ask(rollBack, request), { version: expectedVersion + 1 }, 'a repeat')
    const again = { ...request, requestId: randomUUID(), expectedVersion: expectedVersion + 1 }
    t.match(await admin.ask(rollBack, again), { version: expectedVersion + 1, published: false })
    t.match(await admin.unary(rollBack, { ...request, requestId: randomUUID() }), { reason: 'VERSION_MISMATCH' })
    t.match(await admin.unary(rollBack, { ...again, requestId: randomUUID(), version: 1_000 }), {
      code: 5,
      reason: 'PROGRAMME_NOT_FOUND',
    })
    const { programmes, nextPageToken } = await admin.ask(listProgrammes, { pageSize: 2 })
    t.match(programmes, [{ version: expectedVersion + 1, rolledBackTo: 1 }, { version: expectedVersion }])
    const rest = await admin.ask(listProgrammes, { pageToken: nextPageToken })
    t.match(rest.programmes.at(-1), { version: 1, publishedBy: 'start' })
    t.equal(rest.nextPageToken, '')
  })

  t.test('a faulty document is refused with its faults, and the good one stays', async (t) => {
    const admin = served().admin(t)
    const expectedVersion = await newest(admin)
    const document = documentWith(({ benefits }) => {
      benefits[2].limits[0].maximum = 0
    })
    t.match(await admin.unary(publishProgramme, { requestId: randomUUID(), document, expectedVersion }), {
      code: 3,
      reason: 'PROGRAMME_FAULTY',
      violations: [/^document\.benefits\[2\]\.limits\[0\]\.maximum: expected/],
      metadata: { faults: '1' },
    })
    t.equal(await newest(admin), expectedVersion)
    t.match(await admin.unary(getProgramme, { version: 1_000 }), { code: 5, reason: 'PROGRAMME_NOT_FOUND' })
    const request = { requestId: randomUUID(), document, expectedVersion }
    t.match(await served().reader(t).unary(publishProgramme, request), { code: 7 })
  })
}
