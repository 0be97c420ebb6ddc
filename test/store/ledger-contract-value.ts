import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { Adjustment, PublishedCurrency } from '../../store/ledger/value.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import {
  aMember,
  aSale,
  aVenue,
  aWant,
  digestOf,
  eventBody,
  pass,
  plenty,
  type Subject,
} from '../support/ledger-builders.js'
import { movedValuePromises } from './ledger-contract-moved-value.js'
import { aBalance, aSpender, aValueCommand, aValueTable, expireLots, owe } from './value-builders.js'

const most = Number.MAX_SAFE_INTEGER
const day = 86_400_000

/** Accounts and lots, and all other promises of `value`. */
export async function valuePromises(t: Test, subject: Subject): Promise<void> {
  await t.test('currencies', (t) => currencyPromises(t, subject))
  await t.test('adjustments', (t) => adjustmentPromises(t, subject))
  await t.test('the rule of a currency', (t) => expiryRulePromises(t, subject))
  await t.test('debt and holds', (t) => debtPromises(t, subject))
  await t.test('opening and expiry', (t) => expiryPromises(t, subject))
  await t.test('hints', (t) => hintPromises(t, subject))
  await movedValuePromises(t, subject)
  await t.test('every account is what its entries make it', async (t) => {
    t.same(await astray(subject.database), [])
  })
}

/** Accounts whose lots and debt differ from the sum of their entries, and movements that do not sum to zero. */
async function astray(database: Sql): Promise<readonly unknown[]> {
  return await database.run(
    sql`
      select a.account_id as id from account a
      where coalesce((select sum(l.amount) from lot l where l.account_id = a.account_id), 0) - a.debt
        <> coalesce((select sum(e.amount) from entry e where e.account_id = a.account_id), 0)
      union all
      select e.movement_id from entry e where e.against = 'transferred' group by e.movement_id having sum(e.amount) <> 0
      union all
      select m.movement_id from movement m where not exists (select from entry e where e.movement_id = m.movement_id)`,
    { effect: 'reads', withinMs: 10_000 },
  )
}

async function currencyPromises(t: Test, { ledger }: Subject): Promise<void> {
  await t.test(
    'a scale never changes: a file and a publication with another one are refused by its path',
    async (t) => {
      const currencyId = `currency-${randomUUID()}`
      const file = (scale: number, name = 'Stamps') => ({
        document: `{"once":"${randomUUID()}"}`,
        benefits: '[]',
        venues: [],
        members: [],
        currencies: [
          { currencyId: `other-${currencyId}`, name: 'Other', scale: 1 },
          { currencyId, name, scale },
        ],
      })
      const { version } = await ledger.programmes.publishFile(file(2))
      const faults = [{ path: 'currencies[1].scale', expected: '2, as published before', received: '0' }]
      t.match(await ledger.programmes.publishFile(file(0)), { because: 'faulty', published: false, version, faults })
      t.same(await ledger.programmes.findFaults(prepareProgramme(file(0))), faults)
      const command = aValueCommand()
      t.same(await ledger.programmes.publish(command, prepareProgramme(file(0)), version), { kind: 'faulty', faults })
      t.equal((await ledger.programmes.newest())?.version, version, 'nothing was published')
      t.match(await ledger.programmes.publish(command, prepareProgramme(file(2, 'Points')), version), {
        published: true,
      })
      const { memberId } = aMember()
      await ledger.members.store(aValueCommand(), [aMember({ memberId })])
      await aValueTable(ledger).adjust(memberId, currencyId, 1)
      t.match(
        await ledger.value.findAccounts(memberId),
        [{ name: 'Points', scale: 2 }],
        'the name follows the programme',
      )
    },
  )
}

async function hintPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('a member has the hints of what is open and not expired', async (t) => {
    const value = aValueTable(ledger)
    const member = aMember()
    const { memberId } = member
    const [loyaltyId] = member.loyaltyIds
    await ledger.members.store(aValueCommand(), [member])
    const [stamps, points] = [await value.currency(), await value.currency()]
    const { loyaltyIds: _, ...stored } = member
    t.same(await ledger.members.lookUpWithHints(loyaltyId!), {
      ...stored,
      hints: { balances: {}, holds: [], visits: 0, lastVisitAt: null, birthdayPeriods: {}, tier: null },
    })
    await value.adjust(memberId, points, 5, { expiresAt: ledger.clock() + day })
    await expireLots(database, memberId, 10)
    await value.adjust(memberId, stamps, 7)
    await value.adjust(memberId, stamps, 100, { opensAt: ledger.clock() + day })
    const [hinted, found, nobody] = await Promise.all([
      ledger.members.lookUpWithHints(loyaltyId!),
      ledger.members.lookUp(loyaltyId!),
      ledger.members.lookUpWithHints('nobody'),
    ])
    t.match(hinted, { ...stored, hints: { balances: { [stamps]: 7 } } }, 'pending and expired value do not count')
    t.equal(found?.memberId, memberId, 'what is asked at the same time gets its own answer')
    t.equal(nobody, null)
    t.equal(await ledger.members.lookUpWithHints('nobody'), null)
    t.equal(await ledger.members.lookUpWithHints('\0'), null)
    t.same(await ledger.members.findHints(memberId), hinted?.hints)
    const periods = ['birthday-2025-06-15', 'birthday-2026-06-15', '2026-11-21', '']
    const holds = periods.map((period) => aWant({ limitId: `cake-${memberId}`, subject: memberId, period }))
    const record = aSpender(ledger, { memberId, currencyId: stamps, amount: 3 }, { holds })
    await ledger.calculations.confirm(record, plenty)
    t.match(await ledger.members.findHints(memberId), {
      balances: { [stamps]: 7 },
      holds: [{ calculationId: record.calculationId, currencyId: stamps, amount: 3 }],
      birthdayPeriods: { [`cake-${memberId}`]: 'birthday-2026-06-15' },
    })
    await ledger.sales.record(aSale(record), eventBody)
    t.match(await ledger.members.findHints(memberId), { balances: { [stamps]: 4 }, holds: [] })
  })
}

async function adjustmentPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currency = await value.currency()

  await t.test('added value is there, taken value is gone, and never more than is available', async (t) => {
    const member = await value.enrol()
    t.same(await value.adjust(member, currency, 7), { kind: 'done' })
    t.same(await value.adjust(member, currency, -3), { kind: 'done' })
    t.same(await value.adjust(member, currency, -5), { kind: 'insufficient', available: 4 })
    t.match(await value.sums(member, currency), { available: 4, pending: 0, held: 0, debt: 0 })
    t.same(await value.movements(member), ['adjusted -3', 'adjusted 7'])
    const stranger = await value.enrol()
    t.same(await value.adjust(stranger, currency, -1), { kind: 'insufficient', available: 0 })
    t.same(await ledger.value.findAccounts(stranger), [], 'and no account was made')
  })

  await t.test('an account never passes 2^53 - 1', async (t) => {
    const member = await value.enrol()
    t.same(await value.adjust(member, currency, most - 1), { kind: 'done' })
    t.same(await value.adjust(member, currency, 2), { kind: 'out_of_range', place: 0 })
    t.same(await value.adjust(member, currency, 1), { kind: 'done' })
    t.match(await value.sums(member, currency), { available: most })
    t.same(await value.adjust(member, currency, -most), { kind: 'done' })
    t.same(await value.lots(member, currency), [])
  })

  await t.test('a repeated request changes nothing, another one under its id is a conflict', async (t) => {
    const member = await value.enrol()
    const command = aValueCommand()
    const adjustment = { member: { memberId: member }, currencyId: currency, amount: 2, reason: 'x' }
    const asked = { ...adjustment, opensAt: null, expiresAt: null }
    for (let times = 0; times < 3; times += 1) t.same(await ledger.value.adjust(command, asked), { kind: 'done' })
    t.same(await ledger.value.adjust({ ...command, digest: digestOf('other') }, asked), {
      kind: 'request_id_conflict',
    })
    t.match(await value.sums(member, currency), { available: 2 })
  })

  await t.test('a change is audited with the account before and after', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currency, 2)
    await value.adjust(member, currency, -1)
    const { records } = await ledger.audit.list({ kind: 'member', id: member }, { after: null, limit: 1 })
    const sums = { currencyId: currency, pending: 0, held: 0, debt: 0 }
    t.match(records, [{ actor: 'test', call: 'ValueService/AdjustValue' }])
    t.same(JSON.parse(records[0]!.before!), { ...sums, available: 2 })
    t.same(JSON.parse(records[0]!.after!), { ...sums, available: 1 })
  })

  await t.test('64 takers of one account at once get exactly what is there', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currency, 20)
    const replies = await Promise.all(Array.from({ length: 64 }, () => value.adjust(member, currency, -1)))
    t.equal(replies.filter(({ kind }) => kind === 'done').length, 20)
    t.equal(replies.filter(({ kind }) => kind === 'insufficient').length, 44)
    t.match(await value.sums(member, currency), { available: 0 })
  })
}

/** When value expires that no sale gives. */
async function expiryRulePromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = `currency-${randomUUID()}`
  const timeZone = 'Pacific/Auckland'
  const publish = (expires: PublishedCurrency['expires'], venues = [aVenue({ timeZone }), aVenue()]) =>
    ledger.programmes.publishFile({
      ...{ document: `{"once":"${randomUUID()}"}`, benefits: '[]', members: [], venues },
      currencies: [{ currencyId, name: 'Stamps', scale: 0, expires }],
    })
  const halfAYear = { unit: 'months', after: 6, atEndOf: 'month' }
  const expiryOf = async (more: Partial<Adjustment> = {}) => {
    const member = await value.enrol()
    t.same(await value.adjust(member, currencyId, 3, more), { kind: 'done' })
    return { member, expiresAt: (await value.lots(member, currencyId))[0]![1] }
  }

  await t.test('an adjustment expires as if earned now at the first venue, or when it says, or never', async (t) => {
    await publish(halfAYear)
    const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone })
    const [year, month] = clock.format(ledger.clock()).split('-').map(Number) as [number, number]
    const first = new Date(Date.UTC(year, month - 1 + 7, 1)).toISOString().slice(0, 10)
    const { expiresAt } = await expiryOf()
    t.equal(clock.format(expiresAt!), `${first} 00:00:00`)
    t.equal((await expiryOf({ expiresAt: 'never' })).expiresAt, null)
    const soon = ledger.clock() + day
    t.equal((await expiryOf({ expiresAt: soon })).expiresAt, soon)
    const opens = { opensAt: expiresAt! }
    t.same(await value.adjust(await value.enrol(), currencyId, 3, opens), { kind: 'opens_after_expiry', expiresAt })
    t.equal((await expiryOf({ ...opens, expiresAt: 'never' })).expiresAt, null)
  })

  await t.test('its audit record says when', async (t) => {
    const said = async (more: Partial<Adjustment>) => {
      const { member, expiresAt } = await expiryOf(more)
      const { records } = await ledger.audit.list({ kind: 'member', id: member }, { after: null, limit: 1 })
      return [JSON.parse(records[0]!.after!).expiresAt, expiresAt] as const
    }
    t.same(await said({ expiresAt: 'never' }), [null, null])
    const [text, expiresAt] = await said({})
    t.equal(Date.parse(text), expiresAt)
  })

  await t.test('what is moved, imported, granted or claimed keeps its own dates', async (t) => {
    const { member, expiresAt } = await expiryOf()
    const [to, other, third] = [await value.enrol(), await value.enrol(), await value.enrol()]
    await value.transfer({ from: member, to, currencyId, amount: 1 })
    t.same(await value.lots(to, currencyId), [[1, expiresAt]])
    t.same(await value.adjust(member, currencyId, -1), { kind: 'done' })
    await value.importBalances([aBalance(other, currencyId, { amount: 4 })])
    t.same(await value.lots(other, currencyId), [[4, null]])
    const vouchers = { currencyId, amount: 5, expiresAt: null }
    await ledger.rewards.issue(aValueCommand(), { ...vouchers, to: [{ memberId: other }] })
    const code = randomUUID()
    await ledger.rewards.importCodes(aValueCommand(), { ...vouchers, codes: [code] })
    await ledger.rewards.claim(aValueCommand(), { member: { memberId: third }, code })
    t.same([await value.lots(other, currencyId), await value.lots(third, currencyId)], [[[9, null]], [[5, null]]])
  })

  await t.test('the rule is that of the newest publication; without a venue it goes by UTC', async (t) => {
    await publish({ unit: 'days', after: 1, atEndOf: 'day' }, [])
    t.equal((await expiryOf()).expiresAt! % day, 0)
    await publish(null)
    t.equal((await expiryOf()).expiresAt, null)
  })
}

/** Debt and holds, which only later sales and returns make, planted. */
async function debtPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currencyId = await value.currency()

  async function hold(memberId: string, held: number): Promise<void> {
    await database.run(
      sql`
        update lot l set held = ${held}::bigint from account a
        where a.member_id = ${memberId} and l.account_id = a.account_id`,
      { effect: 'writes', withinMs: 10_000 },
    )
  }

  await t.test(
    'what is added pays a debt first, pending or not, and so does a transfer; an import does not',
    async (t) => {
      const [member, giver] = [await value.enrol(), await value.enrol()]
      await value.adjust(member, currencyId, 1)
      await value.adjust(member, currencyId, -1)
      await owe(database, member, 10)
      await value.adjust(member, currencyId, 4, { opensAt: ledger.clock() + day })
      t.same(await value.sums(member, currencyId), { available: 0, pending: 0, held: 0, debt: 6 })
      await value.importBalances([aBalance(member, currencyId, { amount: 7 })])
      t.same(await value.sums(member, currencyId), { available: 7, pending: 0, held: 0, debt: 6 })
      await value.importBalances([aBalance(giver, currencyId, { amount: 4, expiresAt: ledger.clock() + day })])
      await value.importBalances([aBalance(giver, currencyId, { amount: 6 })])
      await value.transfer({ from: giver, to: member, currencyId, amount: 8 })
      t.same(await value.sums(member, currencyId), { available: 9, pending: 0, held: 0, debt: 0 })
      t.same(await value.lots(member, currencyId), [[9, null]], 'what expires first paid')
      await value.adjust(giver, currencyId, most - 2)
      await owe(database, giver, 5)
      t.same(await value.adjust(giver, currencyId, 6), { kind: 'out_of_range', place: 0 })
      t.same(await value.adjust(giver, currencyId, 5), { kind: 'done' }, 'what pays a debt needs no room')
    },
  )

  await t.test('held value is not available, and does not expire meanwhile', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currencyId, 5, { expiresAt: ledger.clock() + day })
    await hold(member, 2)
    t.same(await value.sums(member, currencyId), { available: 3, pending: 0, held: 2, debt: 0 })
    t.same(await value.adjust(member, currencyId, -4), { kind: 'insufficient', available: 3 })
    await expireLots(database, member, 1_000)
    for (const written of [false, true]) {
      t.same(await value.sums(member, currencyId), { available: 0, pending: 0, held: 2, debt: 0 })
      t.same(await value.movements(member), ['adjusted 5', 'expired -3'], String(written))
      t.match(await ledger.value.findAccounts(member), [{ lots: [{ held: 2 }] }])
      while ((await ledger.value.expire(100)) > 0);
    }
    await ledger.members.forget(aValueCommand(), member, [])
  })
}

async function expiryPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const currency = await value.currency()

  await t.test('of a lot that expired while a part of it was held, that part is listed', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 9, { expiresAt: ledger.clock() + day })
    await ledger.calculations.confirm(aSpender(ledger, { memberId, currencyId, amount: 4 }), 10_000)
    await expireLots(database, memberId, 5)
    const lots = await value.lots(memberId, currencyId)
    t.same(
      lots.map(([amount]) => amount),
      [4],
    )
  })

  await t.test('pending value opens by itself, and cannot be taken before', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currency, 3, { opensAt: ledger.clock() + 1_000 })
    t.match(await value.sums(member, currency), { available: 0, pending: 3 })
    t.same(await value.adjust(member, currency, -1), { kind: 'insufficient', available: 0 })
    await pass(ledger, 1_100)
    t.match(await value.sums(member, currency), { available: 3, pending: 0 })
    t.same(await value.adjust(member, currency, -1), { kind: 'done' })
  })

  await t.test('value that expires first is taken first; open value of one expiry is one lot', async (t) => {
    const member = await value.enrol()
    const [soon, late] = [ledger.clock() + day, ledger.clock() + 9 * day].map(Math.floor) as [number, number]
    await value.adjust(member, currency, 5)
    await value.adjust(member, currency, 5, { expiresAt: late })
    await value.adjust(member, currency, 5, { expiresAt: soon })
    await value.adjust(member, currency, 2, { expiresAt: soon })
    t.same(await value.lots(member, currency), [
      [7, soon],
      [5, late],
      [5, null],
    ])
    await value.adjust(member, currency, -8)
    t.same(await value.lots(member, currency), [
      [4, late],
      [5, null],
    ])
  })

  await t.test(
    'what has expired is gone at once, and its movement is the same before and after it is written',
    async (t) => {
      const member = await value.enrol()
      await value.adjust(member, currency, 3, { expiresAt: ledger.clock() + day })
      await value.adjust(member, currency, 4)
      await expireLots(database, member, 1_000)
      t.match(await value.sums(member, currency), { available: 4, pending: 0 })
      t.same(await value.lots(member, currency), [[4, null]])
      const list = () => ledger.value.listMovements({ memberId: member, currencyId: '' }, { after: null, limit: 10 })
      const before = await list()
      t.match(before, [{ amount: 4 }, { amount: 3 }, { kind: 'expired', amount: -3, actor: '' }])
      while ((await ledger.value.expire(100)) > 0);
      t.same(await list(), before)
      t.same(await value.adjust(member, currency, -5), { kind: 'insufficient', available: 4 })
      t.equal(await ledger.value.expire(100), 0)
      const [row] = await database.run<{ count: number }>(
        sql`select count(*) as count from lot l join account a on a.account_id = l.account_id where a.member_id = ${member}`,
        { effect: 'reads', withinMs: 10_000 },
      )
      t.equal(row?.count, 1, 'its lot is deleted')
    },
  )

  await t.test('a change writes what has expired before it', async (t) => {
    const member = await value.enrol()
    await value.adjust(member, currency, 3, { expiresAt: ledger.clock() + day })
    await expireLots(database, member, 0)
    await value.adjust(member, currency, 1)
    t.same(await value.movements(member), ['adjusted 1', 'expired -3', 'adjusted 3'])
  })
}
