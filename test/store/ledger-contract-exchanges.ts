import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { StoredExchange } from '../../store/ledger/rewards.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aMember, type Subject } from '../support/ledger-builders.js'
import { aValueCommand, aValueTable, expireLots } from './value-builders.js'

const day = 86_400_000
const most = Number.MAX_SAFE_INTEGER

/** Activations and their cancellation: ten stamps for two coffees that last 30 days. */
export async function exchangePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const [stamps, coffees] = [`stamps-${randomUUID()}`, `coffees-${randomUUID()}`]
  const currencies = [stamps, coffees].map((currencyId) => ({ currencyId, name: 'x', scale: 0 }))

  const publish = (exchanges: readonly StoredExchange[]) =>
    ledger.programmes.publishFile({
      document: `{"once":"${randomUUID()}"}`,
      ...{ benefits: '[]', venues: [], members: [], currencies, exchanges },
    })
  const exchange = {
    exchangeId: 'ten',
    from: { currencyId: stamps, amount: 10 },
    to: { currencyId: coffees, amount: 2 },
    validDays: 30,
  }
  const activate = (memberId: string, times: number, fromCurrencyId = stamps, toCurrencyId = coffees) =>
    ledger.rewards.activate(aValueCommand(), { member: { memberId }, fromCurrencyId, toCurrencyId, times })
  const cancel = (activation: number) => ledger.rewards.cancel(aValueCommand(), activation)
  const held = async (memberId: string) => [
    (await value.sums(memberId, stamps)).available,
    (await value.sums(memberId, coffees)).available,
  ]

  async function anActivation(have: number, times: number, expiresAt: number | null = null) {
    const member = await value.enrol()
    await value.adjust(member, stamps, have, { expiresAt })
    const reply = await activate(member, times)
    if (reply.kind !== 'done') throw new Error(reply.kind)
    return { member, activation: reply.activation }
  }

  await publish([exchange])

  await t.test(
    'an activation takes what expires first and gives what lasts as long as the exchange says',
    async (t) => {
      const member = await value.enrol()
      const soon = Math.floor(ledger.clock()) + day
      await value.adjust(member, stamps, 15)
      await value.adjust(member, stamps, 12, { expiresAt: soon })
      const command = aValueCommand()
      const asked = { member: { memberId: member }, fromCurrencyId: stamps, toCurrencyId: coffees, times: 2 }
      const reply = await ledger.rewards.activate(command, asked)
      t.match(reply, { kind: 'done', fromAmount: 20, toAmount: 4 })
      t.same(await ledger.rewards.activate(command, asked), reply, 'a repeat is answered as before')
      t.same(await value.lots(member, stamps), [[7, null]])
      const [lot] = await value.lots(member, coffees)
      t.equal(lot?.[0], 4)
      t.ok(Math.abs(lot![1]! - ledger.clock() - 30 * day) < 60_000)
      t.same(await value.movements(member, coffees), ['activated 4'])
      if (reply.kind !== 'done') return void t.fail()
      t.same(await cancel(reply.activation), { kind: 'done', times: 2, fromAmount: 20, toAmount: 4 })
      t.same(await value.lots(member, stamps), [
        [12, soon],
        [15, null],
      ])
      t.same(await value.movements(member, stamps), ['cancelled 20', 'activated -20', 'adjusted 12', 'adjusted 15'])
      t.same(await cancel(reply.activation), { kind: 'nothing_unused' })
    },
  )

  await t.test('64 activations at once cannot overdraw', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, stamps, 35)
    const replies = await Promise.all(Array.from({ length: 64 }, () => activate(member, 1)))
    t.equal(replies.filter(({ kind }) => kind === 'done').length, 3)
    t.equal(replies.filter(({ kind }) => kind === 'insufficient').length, 61)
    t.same(await held(member), [5, 6])
  })

  await t.test('whole times of what is unused come back, and value of another origin stays', async (t) => {
    const { member, activation } = await anActivation(30, 3)
    await value.adjust(member, coffees, 5)
    await value.adjust(member, coffees, -1)
    t.same(await held(member), [0, 10], 'taken from the activation, which expires first')
    t.same(await cancel(activation), { kind: 'done', times: 2, fromAmount: 20, toAmount: 4 })
    t.same(await held(member), [20, 6])
    const replies = await Promise.all([cancel(activation), cancel(activation)])
    t.same(replies, [{ kind: 'nothing_unused' }, { kind: 'nothing_unused' }])
  })

  await t.test('two cancellations at once give back once', async (t) => {
    const { member, activation } = await anActivation(20, 2)
    const replies = await Promise.all([cancel(activation), cancel(activation)])
    t.same(replies.map(({ kind }) => kind).sort(), ['done', 'nothing_unused'])
    t.same(await held(member), [20, 0])
  })

  await t.test('nothing comes back of what has expired on either side', async (t) => {
    const given = await anActivation(10, 1)
    await expireLots(database, given.member, 60_000)
    t.same(await cancel(given.activation), { kind: 'nothing_unused' })
    const taken = await anActivation(10, 1, ledger.clock() + day)
    await database.run(
      sql`
        update activation_part set opens_at = opens_at - interval '2 days', expires_at = expires_at - interval '2 days'
        where activation_id = ${taken.activation}::bigint`,
      { effect: 'writes', withinMs: 10_000 },
    )
    t.same(await cancel(taken.activation), { kind: 'nothing_unused' })
    t.same(await held(taken.member), [0, 2], 'and what it gave stays')
  })

  await t.test('an impossible exchange is refused', async (t) => {
    const blocked = aMember({ blocked: true })
    await ledger.members.store(aValueCommand(), [blocked])
    await value.adjust(blocked.memberId, stamps, 10)
    t.same(await activate(blocked.memberId, 1), { kind: 'blocked_member' })
    t.same(await activate('nobody', 1), { kind: 'unknown_member' })
    const member = await value.enrol()
    t.same(await activate(member, 1), { kind: 'insufficient', available: 0 })
    t.same(await ledger.value.findAccounts(member), [], 'and no account was made')
    await value.adjust(member, stamps, 19)
    t.same(await activate(member, 2), { kind: 'insufficient', available: 19 })
    t.same(await activate(member, 2 ** 31 - 1), { kind: 'insufficient', available: 19 })
    t.same(await activate(member, 1, coffees, stamps), { kind: 'unknown_exchange' })
    await value.adjust(member, coffees, most - 1)
    t.same(await activate(member, 1), { kind: 'out_of_range' })
    t.same(await cancel(most), { kind: 'unknown_activation' })
  })

  await t.test('a forgotten member has no activation', async (t) => {
    const { member, activation } = await anActivation(10, 1)
    await ledger.members.forget(aValueCommand(), member, [])
    t.same(await cancel(activation), { kind: 'unknown_activation' })
    const [row] = await database.run<{ count: number }>(
      sql`select count(*) as count from activation_part where activation_id = ${activation}::bigint`,
      { effect: 'reads', withinMs: 10_000 },
    )
    t.equal(row!.count, 0)
  })

  await t.test('the exchanges are those of the newest publication, and a roll back keeps them', async (t) => {
    const { member, activation } = await anActivation(40, 1)
    const { version } = await publish([{ ...exchange, to: { currencyId: coffees, amount: 3 }, validDays: null }])
    t.match(await activate(member, 1), { kind: 'done', toAmount: 3, expiresAt: null })
    t.same(await cancel(activation), { kind: 'done', times: 1, fromAmount: 10, toAmount: 2 }, 'by its own amounts')
    await ledger.programmes.rollBack(aValueCommand(), version - 1, version)
    t.match(await activate(member, 1), { kind: 'done', toAmount: 3 })
    await publish([])
    t.same(await activate(member, 1), { kind: 'unknown_exchange' })
  })
}
