import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aVenue, aWant, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import { aValueCommand } from './value-builders.js'

const minuteMs = 60_000
const writes = { effect: 'writes', withinMs: plenty } as const

/** For an operator on call: traffic, the pace of limits, and the server. */
export async function watchingPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('counts of a minute are added up, once for each process', async (t) => {
    const [one, other] = [randomUUID(), randomUUID()]
    const at = Math.floor(ledger.clock() / minuteMs) * minuteMs - 10 * minuteMs
    const minute = { at, outcomes: { applied: 3, failed: 1 }, times: { '0.005': 4, '+Inf': 0 }, calls: { all: 4 } }
    await ledger.traffic.add(one, [minute, { ...minute, at: at + minuteMs }])
    await ledger.traffic.add(one, [minute])
    const calls = { all: 7, '["v","1","unavailable"]': 1 }
    await ledger.traffic.add(other, [
      { at, outcomes: { applied: 2, unchanged: 5 }, times: { '0.005': 6, '0.01': 1 }, calls },
    ])
    t.same(await ledger.traffic.readMinutes(at), [
      {
        ...{ at, outcomes: { applied: 5, failed: 1, unchanged: 5 }, times: { '0.005': 10, '0.01': 1, '+Inf': 0 } },
        calls: { ...calls, all: 11 },
      },
      { ...minute, at: at + minuteMs },
    ])
    t.equal((await ledger.traffic.readMinutes(at + minuteMs)).length, 1)
  })

  await failingPromises(t, ledger)

  await t.test('the zones of venues are known', async (t) => {
    await ledger.venues.store(aValueCommand(), aVenue({ timeZone: 'Asia/Kathmandu' }))
    t.match(
      (await ledger.venues.times()).find(({ timeZone }) => timeZone === 'Asia/Kathmandu'),
      { dayStartsAt: 0 },
    )
  })

  await t.test('counters of some limits are listed without those of others', async (t) => {
    const [one, other] = [aWant({ period: '2026-11-21' }), aWant({ subject: 'v' })]
    for (const holds of [[one], [{ ...one, period: '2026-11-22' }], [other], [{ ...other, subject: 'w' }]])
      await ledger.calculations.confirm(aRecord(ledger, { holds }), plenty)
    const names = async (limits: Parameters<typeof ledger.counters.listOf>[0], subject = '') =>
      (await ledger.counters.listOf(limits, { subject }, { after: null, limit: 10 })).map(
        (each) => `${each.subject}/${each.period}`,
      )
    const [first, second] = [{ limitId: one.limitId }, { limitId: other.limitId }]
    t.same(await names([{ ...first, periods: null }]), ['/2026-11-21', '/2026-11-22'])
    t.same(await names([{ ...first, periods: ['2026-11-22'] }]), ['/2026-11-22'])
    t.same(
      await names([
        { ...second, periods: null },
        { ...first, periods: [] },
      ]),
      ['v/', 'w/'],
    )
    t.same(await names([{ ...second, periods: null }], 'w'), ['w/'])
    t.same(await names([]), [])
    const limits = [first, second].map((each) => ({ ...each, periods: null }))
    const page = (after: readonly [string, string, string] | null) =>
      ledger.counters.listOf(limits, { subject: '' }, { after, limit: 3 })
    const [, , third] = await page(null)
    t.equal((await page([third!.limitId, third!.subject, third!.period])).length, 1)
  })

  await t.test('a counter tells what was taken since it began, and later by its samples', async (t) => {
    const want = aWant({ units: 2, maximum: 100 })
    const { limitId } = want
    const name = { limitId, subject: '', period: '' }
    const take = async () => void (await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty))
    const began = ledger.clock()
    await take()
    const young = await ledger.counters.find(name)
    t.equal(young?.hour?.taken, 2)
    t.ok(Math.abs(young!.hour!.since - began) < 10_000, 'since it began')
    t.same(young?.day, young?.hour)

    await makeOld(database, limitId)
    t.match(await ledger.counters.find(name), { hour: null, day: null, week: null }, 'nobody sampled it')
    const asked = [{ limitId, isOfVenue: false, periods: [''] }]
    for (const hoursAgo of [180, 30, 23, 2]) {
      await sampleAt(database, limitId, hoursAgo)
      await take()
    }
    t.match(await ledger.counters.find(name), { hour: { taken: 2 }, day: { taken: 6 }, week: { taken: 8 } })
    t.match(await ledger.counters.findTaken([{ ...asked[0]!, from: 10, maximum: 100 }], 9), [
      { taken: 10, hour: { taken: 2 } },
    ])
    t.same(await ledger.counters.findTaken([{ ...asked[0]!, from: 11, maximum: 100 }], 9), [])
  })

  await t.test('samples are taken every ten minutes where something changed, and old ones go', async (t) => {
    const want = aWant({ maximum: 100 })
    const { limitId } = want
    const asked = [{ limitId, isOfVenue: false, periods: ['', '2026-11'] }]
    await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty)
    const count = async () =>
      (
        await database.run<{ count: number }>(
          sql`select count(*) as count from limit_sample s join limit_counter k on k.counter_id = s.counter_id
            where k.limit_id = ${limitId}`,
          writes,
        )
      )[0]!.count
    const laterRound = () => database.run(sql`update limit_sampling set sampled_at = '-infinity'`, writes)
    await laterRound()
    await ledger.counters.sample(asked)
    t.equal(await count(), 1)
    const sale = aSale(aRecord(ledger, { holds: [want] }))
    await ledger.counters.sample(asked)
    t.equal(await count(), 1, 'not again within ten minutes')
    await laterRound()
    await ledger.counters.sample(asked)
    t.equal(await count(), 1, 'nothing changed')
    await ledger.calculations.confirm(aRecord(ledger, { calculationId: sale.calculationId, holds: [want] }), plenty)
    await laterRound()
    await ledger.counters.sample(asked)
    t.equal(await count(), 2)
    for (const hoursAgo of [200, 190, 40, 40.0003]) await sampleAt(database, limitId, hoursAgo)
    await ledger.sales.record(sale, eventBody)
    await laterRound()
    await ledger.counters.sample(asked)
    t.equal(await count(), 4, 'the last of six hours stays, and of more than a week ago the newest')
  })
}

/** As if a counter had been there for days. */
async function makeOld(database: Sql, limitId: string): Promise<void> {
  const created = sql`update limit_counter set created_at = clock_timestamp() - interval '9 days' where limit_id = ${limitId}`
  await database.run(created, writes)
}

/** A sample of the present counter, dated back. */
async function sampleAt(database: Sql, limitId: string, hoursAgo: number): Promise<void> {
  await database.run(
    sql`
      insert into limit_sample (counter_id, at, taken)
      select k.counter_id, clock_timestamp() - make_interval(secs => ${hoursAgo * 3_600}::float8), k.used + k.late + k.open
      from limit_counter k where k.limit_id = ${limitId}`,
    writes,
  )
}

async function failingPromises(t: Test, ledger: Subject['ledger']): Promise<void> {
  const first = Math.floor(ledger.clock() / minuteMs) * minuteMs - 100 * minuteMs
  const others = { '["v","1",""]': 50, '["v","1","slow"]': 40, '["v","1","<=0.005"]': 9 }
  const minuteAt = (place: number, errors: number, all = 100) => ({
    ...{ at: first + place * minuteMs, outcomes: {}, times: {} },
    calls: { all, '["v","1","unavailable"]': errors, ...others },
  })
  /** Events from a place on. */
  async function eventsFrom(place: number): Promise<readonly { readonly place: number; readonly errors: number }[]> {
    const events = await ledger.events.list({ memberId: '', type: 'service.failing' }, { after: null, limit: 99 })
    return events
      .map(({ body }) => JSON.parse(body))
      .map(({ minute, calls, errors }) => ({ place: (Date.parse(minute) - first) / minuteMs, calls, errors }))
      .filter((event) => event.place >= place && event.place < place + 10)
      .toSorted((one, two) => one.place - two.place)
  }

  await t.test('the first of failing minutes in a row is an event, once', async (t) => {
    const minutes = [1, 2, 3, 1, 2].map((errors, place) => minuteAt(60 + place, errors))
    await ledger.traffic.add(randomUUID(), minutes)
    await Promise.all([ledger.traffic.judge(), ledger.traffic.judge()])
    await ledger.traffic.judge()
    t.same(await eventsFrom(60), [
      { place: 61, calls: 100, errors: 2 },
      { place: 64, calls: 100, errors: 2 },
    ])
  })

  await t.test('failing minutes are in a row over one without calls', async (t) => {
    await ledger.traffic.add(randomUUID(), [minuteAt(20, 2), { ...minuteAt(21, 0, 0), calls: {} }, minuteAt(23, 2)])
    await ledger.traffic.judge()
    t.match(await eventsFrom(20), [{ place: 20 }])
    t.equal((await eventsFrom(20)).length, 1)
  })

  await t.test('counts of a gateway that was cut off are judged when they come, also after an hour', async (t) => {
    await ledger.traffic.add(
      randomUUID(),
      [0, 0, 2, 0].map((errors, place) => minuteAt(place, errors)),
    )
    await ledger.traffic.judge()
    t.match(await eventsFrom(0), [{ place: 2 }])
    await ledger.traffic.add(randomUUID(), [minuteAt(0, 9), minuteAt(1, 1), minuteAt(2, 9)])
    await ledger.traffic.judge()
    t.match(await eventsFrom(0), [
      { place: 0, calls: 200, errors: 9 },
      { place: 2, calls: 100 },
    ])
    await ledger.traffic.add(randomUUID(), [minuteAt(1, 9)])
    await ledger.traffic.judge()
    t.equal((await eventsFrom(0)).length, 2, 'a minute between two that were announced')
  })
}
