import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, aVenue, aWant, eventBody, isDue, plenty, type Subject } from '../support/ledger-builders.js'
import { webhookPromises } from './ledger-contract-webhooks.js'
import {
  aBalance,
  anEarning,
  aValueCommand,
  aValueTable,
  eventsOf,
  expireLots,
  readEvents,
  removeWebhooks,
} from './value-builders.js'

const day = 86_400_000
const terms = { effect: 'writes', withinMs: plenty } as const

/** Events and webhooks (4-member-value, section 6). */
export async function eventPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('of value', (t) => valueEventPromises(t, subject))
  await t.test('of budgets', (t) => budgetEventPromises(t, subject))
  await t.test('webhooks', (t) => webhookPromises(t, subject))
  await removeWebhooks(subject.ledger)
}

async function valueEventPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)

  await t.test('sales and changes of value give exactly their events', async (t) => {
    const memberId = await value.enrol()
    const [currencyId, earned] = [await value.currency(), `earned-${randomUUID()}`]
    const record = aRecord(ledger, { memberId, earning: anEarning([{ currencyId: earned, sent: 3 }]) })
    await ledger.calculations.confirm(record, plenty)
    for (const _ of [1, 2]) await ledger.sales.record(aSale(record), eventBody)
    await value.adjust(memberId, currencyId, 10)
    await value.adjust(memberId, currencyId, -4)
    t.match(await value.adjust(memberId, currencyId, -400), { kind: 'insufficient' })
    await value.importBalances([aBalance(memberId, currencyId, { reference: `card of ${memberId}` })])
    t.same(await eventsOf(ledger, memberId), [
      ['value.earned', { currencyId: earned, amount: 3 }],
      ['value.adjusted', { currencyId, amount: 10 }],
      ['value.adjusted', { currencyId, amount: -4 }],
      ['value.imported', { currencyId, amount: 5 }],
    ])
    const [imported, , , first] = await ledger.events.list({ memberId, type: '' }, { after: null, limit: 10 })
    t.notMatch(imported!.body, memberId, 'the reference of an import is in no event')
    t.match(JSON.parse(first!.body), { cause: `calculation:${record.calculationId}` })
    t.same((await ledger.events.list({ memberId, type: 'value.earned' }, { after: null, limit: 10 })).length, 1)
  })

  await t.test('an exchange spends and activates, and its end takes that back', async (t) => {
    const memberId = await value.enrol()
    const [from, to] = [await value.currency(), await value.currency()]
    await database.run(sql`insert into value_exchange values (${from}, ${to}, 'x', 10, 1, null)`, terms)
    await value.adjust(memberId, from, 20)
    const exchange = { member: { memberId }, fromCurrencyId: from, toCurrencyId: to, times: 1 }
    const reply = await ledger.rewards.activate(aValueCommand(), exchange)
    if (reply.kind === 'done') await ledger.rewards.cancel(aValueCommand(), reply.activation)
    t.same(await eventsOf(ledger, memberId), [
      ['value.adjusted', { currencyId: from, amount: 20 }],
      ['value.spent', { currencyId: from, amount: -10 }],
      ['reward.activated', { currencyId: to, amount: 1 }],
      ['reward.cancelled', { currencyId: to, amount: -1 }],
      ['value.returned', { currencyId: from, amount: 10 }],
    ])
  })

  await t.test('a lot opens, is about to expire and expires: each is announced once', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    const now = ledger.clock()
    await value.adjust(memberId, currencyId, 8, { opensAt: now + day, expiresAt: now + 30 * day })
    const seen = [['value.adjusted', { currencyId, amount: 8 }]]
    while ((await ledger.value.expire(100)) > 0);
    await announce(t, ledger)
    t.same(await eventsOf(ledger, memberId), seen)
    t.notOk(await isDue(ledger, 'value'))
    await shiftLots(database, memberId, 2)
    t.ok(await isDue(ledger, 'value'), 'it has opened')
    await announce(t, ledger)
    seen.push(['value.opened', { currencyId, amount: 8 }])
    t.same(await eventsOf(ledger, memberId), seen)
    await shiftLots(database, memberId, 22)
    t.ok(await isDue(ledger, 'value'), 'it expires soon')
    await announce(t, ledger)
    seen.push(['value.expiring', { currencyId, amount: 8 }])
    t.same(await eventsOf(ledger, memberId), seen)
    await expireLots(database, memberId, 60_000)
    t.ok(await isDue(ledger, 'value'), 'it has expired')
    while ((await ledger.value.expire(100)) > 0);
    await announce(t, ledger)
    seen.push(['value.expired', { currencyId, amount: -8 }])
    t.same(await eventsOf(ledger, memberId), seen)
  })

  await t.test('value that opens and is taken before a sweep is announced all the same', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 8, { opensAt: ledger.clock() + day })
    t.notOk(await isDue(ledger, 'value'))
    await shiftLots(database, memberId, 2)
    t.ok(await isDue(ledger, 'value'), 'it has opened')
    await value.adjust(memberId, currencyId, -8)
    t.same(
      (await eventsOf(ledger, memberId)).map(([type]) => type),
      ['value.adjusted', 'value.opened', 'value.adjusted'],
    )
  })

  await t.test('the feed has every event once, in places without a gap', async (t) => {
    const whole = await readEvents(ledger, 0)
    t.same(
      whole.map(({ place }) => place),
      whole.map((_, at) => at + 1),
    )
    t.same(await ledger.events.feedEnds(), { first: 1, last: whole.length })
    t.same(await readEvents(ledger, 2), whole.slice(2))
  })

  await t.test('a forgotten member is in no event', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 3)
    const [event] = await ledger.events.list({ memberId, type: '' }, { after: null, limit: 10 })
    await ledger.members.forget(aValueCommand(), memberId, [])
    t.same(await ledger.events.list({ memberId, type: '' }, { after: null, limit: 10 }), [])
    const rows = await database.run<{ text: string }>(sql`select e::text as text from event e`, terms)
    t.notOk(rows.some(({ text }) => text.includes(memberId)))
    const [forfeited] = await ledger.events.list({ memberId: '', type: 'value.forfeited' }, { after: null, limit: 1 })
    t.match(JSON.parse(forfeited!.body), { currencyId, amount: -3 })
    t.ok(forfeited!.eventId > event!.eventId)
  })
}

/** Sweeps until nothing is left; once more changes nothing. */
async function announce(t: Test, ledger: Subject['ledger']): Promise<void> {
  while ((await ledger.value.announce(100)) > 0);
  t.equal(await ledger.value.announce(100), 0)
}

async function shiftLots(database: Sql, memberId: string, days: number): Promise<void> {
  await database.run(
    sql`
      update lot l set opens_at = l.opens_at - ${days}::integer * interval '1 day',
        expires_at = l.expires_at - ${days}::integer * interval '1 day'
      from account a where a.member_id = ${memberId} and l.account_id = a.account_id`,
    terms,
  )
}

async function budgetEventPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const budgets = async (limitId: string) => {
    const found = await ledger.events.list({ memberId: '', type: 'budget.reached' }, { after: null, limit: 500 })
    const bodies = found.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    return bodies.filter((body) => body['limitId'] === limitId).reverse()
  }
  async function sell(want: ReturnType<typeof aWant>): Promise<void> {
    const record = aRecord(ledger, { holds: [want] })
    t.same(await ledger.calculations.confirm(record, plenty), { kind: 'confirmed' })
    await ledger.sales.record(aSale(record), eventBody)
  }

  await t.test('80 and 100 % of what is sold are announced once, whatever the maximum becomes', async (t) => {
    const want = aWant({ maximum: 10, units: 4 })
    const { limitId } = want
    await sell(want)
    t.same(await budgets(limitId), [])
    await sell(want)
    const at80 = { limitId, venueId: null, period: '', percent: 80, used: 8, maximum: 10 }
    t.same(await budgets(limitId), [at80])
    await sell({ ...want, units: 1 })
    t.same(await budgets(limitId), [at80])
    await sell({ ...want, units: 1 })
    const at100 = { ...at80, percent: 100, used: 10 }
    t.same(await budgets(limitId), [at80, at100])
    await sell({ ...want, units: 10, maximum: 20 })
    t.same(await budgets(limitId), [at80, at100])
  })

  await t.test('a budget that is sold at once is announced at both thresholds', async (t) => {
    const want = aWant({ maximum: 1 })
    await sell(want)
    t.match(await budgets(want.limitId), [{ percent: 80 }, { percent: 100 }])
  })

  await t.test('a venue has a budget, a member has none, even with the id of a venue', async (t) => {
    const venue = aVenue()
    await ledger.venues.store(aValueCommand(), venue)
    const [ofVenue, ofMember, ofNamesake] = [
      aWant({ subject: venue.venueId, maximum: 1 }),
      aWant({ subject: 'member-1', maximum: 1 }),
      aWant({ subject: venue.venueId, maximum: 1 }),
    ]
    const priced = [{ benefitId: 'none' }, { limits: [{ limitId: ofNamesake.limitId, scope: 'member' }] }]
    const publish = (content: unknown) =>
      ledger.programmes.publishFile({
        document: `{"once":"${randomUUID()}"}`,
        benefits: JSON.stringify(content),
        ...{ venues: [], members: [], currencies: [] },
      })
    await publish(priced)
    for (const want of [ofVenue, ofMember]) await sell(want)
    // As it is stored where the programme has earning rules.
    await publish({ benefits: priced, earning: [] })
    await sell(ofNamesake)
    t.match(await budgets(ofVenue.limitId), [{ venueId: venue.venueId, percent: 80 }, { percent: 100 }])
    t.same(await budgets(ofMember.limitId), [])
    t.same(await budgets(ofNamesake.limitId), [])
  })

  await t.test('a late sale counts', async (t) => {
    const want = aWant({ maximum: 1 })
    const record = aRecord(ledger, { holds: [want] })
    await ledger.calculations.confirm(record, plenty)
    await database.run(
      sql`
        with c as (
          update calculation set expires_at = clock_timestamp() where calculation_id = ${record.calculationId}::uuid
        )
        update reservation set held_until = clock_timestamp()
        where calculation_id = ${record.calculationId}::uuid`,
      terms,
    )
    t.match(await ledger.sales.record(aSale(record), eventBody), { discrepancies: ['late_event'] })
    t.match(await budgets(want.limitId), [{ percent: 80 }, { percent: 100 }])
  })
}
