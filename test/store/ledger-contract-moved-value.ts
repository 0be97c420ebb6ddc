import type { Test } from 'tap'
import { sql } from '../../store/postgres/connection/sql.js'
import { Dice } from '../support/dice.js'
import { aMember, type Subject } from '../support/ledger-builders.js'
import { dumpTables } from './ledger-checker.js'
import { aBalance, aValueCommand, aValueTable, expireLots } from './value-builders.js'

const most = Number.MAX_SAFE_INTEGER
const day = 86_400_000

/** Value that moves between members, comes from elsewhere, is listed, and is forfeited. */
export async function movedValuePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('transfers', (t) => transferPromises(t, subject))
  await t.test('imports', (t) => importPromises(t, subject))
  await t.test('movements', (t) => movementPromises(t, subject))
  await t.test('forgotten members', (t) => forgettingPromises(t, subject))
  await t.test('changes of every kind at once neither fail nor make nor lose value', (t) => racePromise(t, subject))
}

async function transferPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()

  await t.test('a transfer takes what expires first, and keeps its dates', async (t) => {
    const [from, to] = [await value.enrol(), await value.enrol()]
    const soon = Math.floor(ledger.clock()) + day
    await value.adjust(from, currencyId, 5)
    await value.adjust(from, currencyId, 3, { expiresAt: soon })
    t.same(await value.transfer({ from, to, currencyId, amount: 4 }), { kind: 'done' })
    t.same(await value.lots(from, currencyId), [[4, null]])
    t.same(await value.lots(to, currencyId), [
      [3, soon],
      [1, null],
    ])
    t.same(await value.movements(to), ['transferred 4'])
    t.equal((await value.movements(from))[0], 'transferred -4')
  })

  await t.test('no transfer to oneself, to an unknown member, beyond the available value or 2^53 - 1', async (t) => {
    const [from, to] = [await value.enrol(), await value.enrol()]
    t.same(await value.transfer({ from, to, currencyId, amount: 1 }), { kind: 'insufficient', available: 0 })
    await value.adjust(from, currencyId, 5)
    await value.adjust(to, currencyId, most)
    t.same(await value.transfer({ from, to: from, currencyId, amount: 1 }), { kind: 'same_member' })
    t.same(await value.transfer({ from, to: 'nobody', currencyId, amount: 1 }), { kind: 'unknown_member', place: 1 })
    t.same(await value.transfer({ from: 'nobody', to, currencyId, amount: 1 }), { kind: 'unknown_member', place: 0 })
    t.same(await value.transfer({ from, to, currencyId: 'no-such', amount: 1 }), { kind: 'unknown_currency', place: 0 })
    t.same(await value.transfer({ from, to, currencyId, amount: 6 }), { kind: 'insufficient', available: 5 })
    t.same(await value.transfer({ from, to, currencyId, amount: 1 }), { kind: 'out_of_range', place: 0 })
    t.same(await value.lots(from, currencyId), [[5, null]])
  })

  await t.test('members who give each other at once neither lose nor make value', async (t) => {
    const members = [await value.enrol(), await value.enrol(), await value.enrol()]
    for (const member of members) await value.adjust(member, currencyId, 10)
    const pairs = Array.from(
      { length: 60 },
      (_, at) => [members[at % 3]!, members[(at * 7 + 1 + (at % 2)) % 3]!] as const,
    )
    await Promise.all(
      pairs.map(([from, to]) => value.transfer({ from, to, currencyId, amount: 1 + (from < to ? 1 : 0) })),
    )
    const sums = await Promise.all(members.map((member) => value.sums(member, currencyId)))
    t.equal(
      sums.reduce((sum, { available }) => sum + available, 0),
      30,
    )
    t.ok(sums.every(({ available }) => available >= 0))
  })
}

async function importPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()

  await t.test('a reference counts once per currency, also for imports at once', async (t) => {
    const member = await value.enrol()
    const other = await value.currency()
    const [a, b] = [aBalance(member, currencyId), aBalance(member, currencyId)]
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () => value.importBalances([a, b])),
      ...Array.from({ length: 8 }, () => value.importBalances([b, a])),
    ])
    t.equal(replies.filter(({ kind }) => kind === 'done').length, 1)
    t.equal(replies.filter(({ kind }) => kind === 'already_imported').length, 15)
    t.match(await value.sums(member, currencyId), { available: 10 })
    t.same(await value.importBalances([{ ...a, currencyId: other }]), { kind: 'done' }, 'another currency, another row')
    const split = [
      aBalance(member, currencyId, { reference: 'x/y' }),
      aBalance(member, `${currencyId}/x`, { reference: 'y' }),
    ]
    t.same(await value.importBalances([split[0]!]), { kind: 'done' })
    t.same(await value.importBalances([split[1]!]), { kind: 'unknown_currency', place: 0 })
  })

  await t.test('opening and expiry are those of the row', async (t) => {
    const member = await value.enrol()
    const [opensAt, expiresAt] = [Math.floor(ledger.clock()) + day, Math.floor(ledger.clock()) + 2 * day]
    await value.importBalances([aBalance(member, currencyId, { opensAt, expiresAt })])
    t.match(await ledger.value.findAccounts(member), [{ pending: 5, lots: [{ amount: 5, opensAt, expiresAt }] }])
  })

  await t.test('the liability sums what members hold by currency and month', async (t) => {
    const own = await value.currency()
    const members = [await value.enrol(), await value.enrol()] as const
    const expiresAt = Date.UTC(2031, 0, 1)
    await value.importBalances([
      aBalance(members[0], own, { amount: 1, expiresAt: expiresAt + 1 }),
      aBalance(members[0], own, { amount: most - 1 }),
      aBalance(members[1], own, { amount: most - 7, opensAt: Date.UTC(2030, 0, 1) }),
      aBalance(members[1], own, { amount: 7, expiresAt }),
    ])
    const rows = await ledger.value.reportLiability()
    t.same(
      rows.filter((row) => row.currencyId === own),
      [
        { currencyId: own, expiryMonth: '', amount: 2n * BigInt(most) - 8n },
        { currencyId: own, expiryMonth: '2030-12', amount: 7n },
        { currencyId: own, expiryMonth: '2031-01', amount: 1n },
      ],
    )
  })
}

async function movementPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const [first, second] = [await value.currency(), await value.currency()]

  await t.test('pages hold every movement once, whatever their size, also of several accounts', async (t) => {
    const member = await value.enrol()
    for (let at = 1; at <= 5; at += 1) {
      await value.adjust(member, first, at)
      await value.adjust(member, second, 10 * at, { expiresAt: at < 4 ? ledger.clock() + at * day : null })
    }
    await expireLots(database, member, 60_000)
    const whole = await ledger.value.listMovements({ memberId: member, currencyId: '' }, { after: null, limit: 100 })
    t.equal(whole.length, 13)
    for (const limit of [1, 2, 5]) {
      const pages = []
      for (;;) {
        const after = pages.at(-1)?.cursor ?? null
        const page = await ledger.value.listMovements({ memberId: member, currencyId: '' }, { after, limit })
        pages.push(...page)
        if (page.length < limit) break
      }
      t.same(pages, whole, String(limit))
    }
    t.same(await value.movements(member, first), ['adjusted 5', 'adjusted 4', 'adjusted 3', 'adjusted 2', 'adjusted 1'])
    t.match(whole[0], { cause: /^request:/, reason: 'test', actor: 'test' })
  })
}

async function forgettingPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()
  const sumOf = async () => {
    const [row] = await database.run<{ sum: number; forfeited: number }>(
      sql`
        select coalesce(sum(e.amount), 0)::bigint as sum,
          coalesce(sum(e.amount) filter (where e.against = 'forfeited'), 0)::bigint as forfeited
        from entry e join account a on a.account_id = e.account_id where a.currency_id = ${currencyId}`,
      { effect: 'reads', withinMs: 10_000 },
    )
    return row
  }

  await t.test("a forgotten member's value is forfeited, and nothing names the member any more", async (t) => {
    const [member, other] = [await value.enrol(), await value.enrol()]
    const reference = `of-${member}`
    await value.importBalances([aBalance(member, currencyId, { reference, amount: 8 })])
    await value.adjust(member, currencyId, 4, { opensAt: ledger.clock() + day, reason: `for ${member}` })
    await value.transfer({ from: member, to: other, currencyId, amount: 3 })
    await ledger.members.forget(aValueCommand(), member, [])
    t.same(await sumOf(), { sum: 3, forfeited: -9 })
    t.match(await value.sums(other, currencyId), { available: 3 })
    for (;;) {
      const erasure = await ledger.members.findErasure(0)
      if (erasure === null) break
      await ledger.members.finishErasure(erasure, [])
    }
    t.notOk((await dumpTables(database)).includes(member))
    t.same(await value.importBalances([aBalance(other, currencyId, { reference })]), {
      kind: 'already_imported',
      place: 0,
    })
    await ledger.members.store(aValueCommand(), [aMember({ memberId: member })])
    t.same(await ledger.value.findAccounts(member), [], 'a new member of the same id begins with nothing')
  })

  await t.test('a blocked member keeps its value', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currencyId, 2)
    await ledger.members.block(aValueCommand(), member, true)
    t.match(await value.sums(member, currencyId), { available: 2 })
    t.same(await value.adjust(member, currencyId, 1), { kind: 'done' })
  })
}

/** A sum that was wrong afterwards would be found by the check of all accounts. */
async function racePromise(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const dice = new Dice(20261123)
  const currencies = [await value.currency(), await value.currency()] as const
  const members = await Promise.all(Array.from({ length: 5 }, () => value.enrol()))
  const member = () => dice.pick(members)
  const currencyId = () => dice.pick(currencies)
  const changes: readonly (() => Promise<unknown>)[] = [
    () => value.adjust(member(), currencyId(), 3),
    () => value.adjust(member(), currencyId(), -2),
    () => value.adjust(member(), currencyId(), 4, { expiresAt: ledger.clock() + 50 }),
    () => value.transfer({ from: member(), to: member(), currencyId: currencyId(), amount: 1 }),
    () => value.importBalances(Array.from({ length: 6 }, () => aBalance(member(), currencyId()))),
    () => ledger.value.expire(50),
    () => ledger.counters.recount(),
    () => ledger.members.forget(aValueCommand(), member(), []),
  ]
  const running = Array.from({ length: 240 }, (_, at) => changes[at % 48 === 47 ? 7 : at % 7]!())
  const failed = (await Promise.allSettled(running)).filter(({ status }) => status === 'rejected')
  t.same(failed, [])
}
