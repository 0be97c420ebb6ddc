import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { webhooksMax } from '../../store/ledger/events.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { isDue, plenty, type Subject } from '../support/ledger-builders.js'
import {
  aValueCommand,
  aValueTable,
  aWebhook,
  finish,
  patienceMs,
  readEvents,
  removeWebhooks,
  takeDue,
} from './value-builders.js'

const terms = { effect: 'writes', withinMs: plenty } as const

/** Webhooks and their deliveries. */
export async function webhookPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const amountsOf = (due: Awaited<ReturnType<typeof takeDue>>) =>
    due.map(({ body }) => JSON.parse(body).amount as number)

  await t.test('a webhook gets what happens from then on, of its types', async (t) => {
    const memberId = await value.enrol()
    await value.adjust(memberId, currencyId, 1)
    t.notOk(await isDue(ledger, 'webhooks'))
    const [all, some] = [await aWebhook(ledger), await aWebhook(ledger, ['value.expired', 'value.issued'])]
    t.ok(await isDue(ledger, 'webhooks'))
    await value.adjust(memberId, currencyId, 2)
    const [only, ...others] = await takeDue(ledger, all)
    t.same(others, [])
    t.match(only, { attempt: 1, type: 'value.adjusted', memberId, url: 'https://receiver.example/events' })
    t.same(Buffer.from(only!.secret), Buffer.alloc(32, 7))
    t.same(await takeDue(ledger, some), [])
    t.same(await takeDue(ledger, all), [], 'it is taken')
    t.equal(await finish(ledger, only!), 'delivered')
    t.equal(await finish(ledger, only!), null, 'an attempt ends once')
    await removeWebhooks(ledger)
    t.same(await ledger.webhooks.list(), [])
  })

  await t.test('events of one member come one after the other, and of others meanwhile', async (t) => {
    const webhookId = await aWebhook(ledger)
    const [one, other] = [await value.enrol(), await value.enrol()]
    for (const amount of [1, 2, 3]) await value.adjust(one, currencyId, amount)
    await value.adjust(other, currencyId, 7)
    const [first, ofOther] = await takeDue(ledger, webhookId)
    t.same(amountsOf([first!, ofOther!]), [1, 7])
    t.equal(await finish(ledger, first!, 0), 'due')
    await value.adjust(one, currencyId, 4)
    const again = await takeDue(ledger, webhookId)
    t.match(again, [{ eventId: first!.eventId, atUs: first!.atUs, attempt: 2 }])
    t.equal(await finish(ledger, first!), null, 'the first attempt is over')
    await finish(ledger, again[0]!)
    for (const amount of [2, 3, 4]) {
      const due = await takeDue(ledger, webhookId)
      t.same(amountsOf(due), [amount])
      await finish(ledger, due[0]!)
    }
    await removeWebhooks(ledger)
  })

  await t.test('an attempt without a result is made again', async (t) => {
    const webhookId = await aWebhook(ledger)
    await value.adjust(await value.enrol(), currencyId, 1)
    const [taken] = await takeDue(ledger, webhookId)
    t.same(await takeDue(ledger, webhookId), [])
    await database.run(sql`update delivery set due_at = clock_timestamp() where webhook_id = ${webhookId}::uuid`, terms)
    t.match(await takeDue(ledger, webhookId), [{ eventId: taken!.eventId, attempt: 2 }])
    await removeWebhooks(ledger)
  })

  await t.test('after three days a delivery is given up and recorded, and the next of the member comes', async (t) => {
    const webhookId = await aWebhook(ledger)
    const memberId = await value.enrol()
    for (const amount of [1, 2]) await value.adjust(memberId, currencyId, amount)
    const [first] = await takeDue(ledger, webhookId)
    await database.run(
      sql`
        update delivery set since = since - ${patienceMs}::integer * interval '1 millisecond'
        where webhook_id = ${webhookId}::uuid and place = ${first!.place}::bigint`,
      terms,
    )
    t.equal(await finish(ledger, first!, 1_000), 'failed')
    t.match(await ledger.webhooks.list(), [{ webhookId, pending: 1, failed: 1 }])
    t.match(await ledger.webhooks.lag(patienceMs), { pending: 1, failing: 0 })
    const failed = await ledger.webhooks.listDeliveries(webhookId, 'failed', { after: null, limit: 10 })
    t.match(failed, [{ state: 'failed', outcome: '500', attempts: 1, event: { eventId: first!.eventId, memberId } }])
    const [second] = await takeDue(ledger, webhookId)
    t.same(amountsOf([second!]), [2])

    const command = aValueCommand()
    for (const times of [1, 2])
      t.same(await ledger.webhooks.redeliver(command, webhookId, null), { kind: 'done', events: 1 }, String(times))
    t.same(await takeDue(ledger, webhookId), [], 'behind what is pending of the member')
    await finish(ledger, second!)
    t.match(await takeDue(ledger, webhookId), [{ eventId: first!.eventId, attempt: 1 }])
    await removeWebhooks(ledger)
  })

  await t.test('named events are delivered once more, unknown ones refused', async (t) => {
    const memberId = await value.enrol()
    await value.adjust(memberId, currencyId, 5)
    await readEvents(ledger, 0)
    const webhookId = await aWebhook(ledger, ['value.expired'])
    const [event] = await ledger.events.list({ memberId, type: '' }, { after: null, limit: 1 })
    const redeliver = (webhook: string, events: readonly { eventId: number; atUs: number }[]) =>
      ledger.webhooks.redeliver(aValueCommand(), webhook, events)
    t.same(await redeliver(webhookId, [event!]), { kind: 'done', events: 1 })
    const [due] = await takeDue(ledger, webhookId)
    t.match(due, { eventId: event!.eventId, attempt: 1 })
    await finish(ledger, due!)
    t.same(await redeliver(webhookId, [event!]), { kind: 'done', events: 1 })
    t.match(await takeDue(ledger, webhookId), [{ eventId: event!.eventId, attempt: 1 }])
    const other = { ...event!, atUs: event!.atUs + 1 }
    t.same(await redeliver(webhookId, [event!, other]), { kind: 'unknown_event', place: 1 })
    t.same(await redeliver(randomUUID(), [event!]), { kind: 'unknown_webhook' })
    await removeWebhooks(ledger)
  })

  await t.test('health', (t) => healthPromises(t, subject))

  await t.test('one webhook that is busy does not keep another from its events', async (t) => {
    const [busy, free] = [await aWebhook(ledger), await aWebhook(ledger)]
    await value.adjust(await value.enrol(), currencyId, 1)
    const due = await ledger.webhooks.take({ max: 2, busy: { [busy]: 2 }, claimMs: 60_000 })
    t.same(
      due.map(({ webhookId }) => webhookId),
      [free],
    )
    await removeWebhooks(ledger)
  })

  await t.test(`there are at most ${webhooksMax}`, async (t) => {
    for (let count = 0; count < webhooksMax; count += 1) await aWebhook(ledger)
    const more = { url: 'https://receiver.example', types: [], secret: Buffer.alloc(32) }
    t.same(await ledger.webhooks.add(aValueCommand(), more), { kind: 'too_many_webhooks' })
  })
}

async function healthPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()

  await t.test('a webhook that is gone gets nothing more, with an audit record', async (t) => {
    const [gone, other] = [await aWebhook(ledger), await aWebhook(ledger)]
    const memberId = await value.enrol()
    for (const amount of [1, 2]) await value.adjust(memberId, currencyId, amount)
    const [first] = await takeDue(ledger, gone)
    const ended = { ending: 'gone', outcome: '410', retryMs: 0, pauseMs: 0, patienceMs } as const
    t.equal(await ledger.webhooks.finish(first!, ended), 'failed')
    await value.adjust(memberId, currencyId, 3)
    t.same(await takeDue(ledger, gone), [])
    t.match(await ledger.webhooks.listDeliveries(gone, null, { after: null, limit: 10 }), [
      { state: 'failed', outcome: '410' },
      { state: 'failed', outcome: '410' },
    ])
    const state = (await ledger.webhooks.list()).find(({ webhookId }) => webhookId === gone)!
    t.ok(state.disabledAt! > 0 && state.failingSince! > 0)
    t.match(state, { pending: 0, failed: 2 })
    t.match(await ledger.webhooks.lag(patienceMs), { failing: 1 })
    t.same(await ledger.webhooks.redeliver(aValueCommand(), gone, null), { kind: 'disabled_webhook' })
    const { records } = await ledger.audit.list({ kind: 'webhook', id: gone }, { after: null, limit: 1 })
    t.match(records, [{ actor: 'service', call: 'WebhookGone', after: /"disabled" ?: ?"410"/ }])
    t.equal(await ledger.webhooks.finish(first!, ended), null, 'an attempt ends once')
    t.ok((await ledger.webhooks.list()).find(({ webhookId }) => webhookId === other)!.disabledAt === null)
    await removeWebhooks(ledger)
  })

  await t.test('a pause that a webhook asks for holds for all its events', async (t) => {
    const webhookId = await aWebhook(ledger)
    for (const _ of [1, 2]) await value.adjust(await value.enrol(), currencyId, 1)
    const [first] = await takeDue(ledger, webhookId, 1)
    await finish(ledger, first!, 60_000, 60_000)
    t.same(await takeDue(ledger, webhookId), [], 'that of another member waits too')
    await database.run(
      sql`update webhook set paused_until = clock_timestamp() where webhook_id = ${webhookId}::uuid`,
      terms,
    )
    t.equal((await takeDue(ledger, webhookId)).length, 1)
    await removeWebhooks(ledger)
  })

  await t.test('a webhook is failing from its first failure until it takes an event', async (t) => {
    const webhookId = await aWebhook(ledger)
    const since = async () => (await ledger.webhooks.list())[0]!.failingSince
    await value.adjust(await value.enrol(), currencyId, 1)
    const fail = async () => {
      await database.run(sql`update delivery set due_at = clock_timestamp() where state = 'due'`, terms)
      await finish(ledger, (await takeDue(ledger, webhookId))[0]!, 60_000)
    }
    t.equal(await since(), null)
    await fail()
    const began = await since()
    await fail()
    t.ok(began !== null && began === (await since()))
    t.match(await ledger.webhooks.lag(patienceMs), { failing: 0 })
    await database.run(
      sql`update webhook set failing_since = failing_since - ${patienceMs}::integer * interval '1 millisecond'`,
      terms,
    )
    t.match(await ledger.webhooks.lag(patienceMs), { failing: 1 })
    await database.run(sql`update delivery set due_at = clock_timestamp() where state = 'due'`, terms)
    const [due] = await takeDue(ledger, webhookId)
    await finish(ledger, due!)
    t.equal(await since(), null)
    t.match(await ledger.webhooks.lag(patienceMs), { failing: 0 })
    await removeWebhooks(ledger)
  })

  await t.test('deleting a webhook deletes its deliveries, and no others', async (t) => {
    const [gone, other] = [await aWebhook(ledger), await aWebhook(ledger)]
    await value.adjust(await value.enrol(), currencyId, 1)
    await takeDue(ledger, gone)
    const stored = async (webhookId: string) =>
      (await database.run(sql`select 1 from delivery where webhook_id = ${webhookId}::uuid`, terms)).length
    t.same([await stored(gone), await stored(other)], [1, 1])
    await ledger.webhooks.remove(aValueCommand(), gone)
    t.same([await stored(gone), await stored(other)], [0, 1])
    t.same(await database.run(sql`select 1 from removed_webhook`, terms), [])
    await removeWebhooks(ledger)
  })
}
