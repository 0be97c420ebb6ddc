import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { aMember, aRecord, aSale, digestOf, eventBody, type Subject } from '../support/ledger-builders.js'
import { tierEventPromises, visitPromises } from './ledger-contract-standing.js'
import {
  aBalance,
  anEarning,
  aValueCommand,
  aValueTable,
  eventsOf,
  gold,
  priced,
  publishTiers,
  type RuleCount,
  silver,
  star,
  type Tier,
} from './value-builders.js'

const terms = { effect: 'writes', withinMs: 10_000 } as const
const day = 86_400_000

export async function tierPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject
  const { enrol, adjust, importBalances } = aValueTable(ledger)
  const tierOf = async (memberId: string) => (await ledger.members.findStanding(memberId)).tier
  const earn = async (memberId: string, ...rules: readonly RuleCount[]) => {
    const record = aRecord(ledger, { memberId, loyaltyId: null, earning: anEarning(rules) })
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
  }

  await t.test('visits', (t) => visitPromises(t, subject))
  await t.test('events', (t) => tierEventPromises(t, subject))
  await t.test('windows', (t) => windowPromises(t, database))
  await t.test('given tiers', (t) => givenPromises(t, subject))

  await t.test('the highest tier with enough earned counts, from the sale on', async (t) => {
    await publishTiers(ledger, silver, gold, star)
    const memberId = await enrol()
    t.equal(await tierOf(memberId), null)
    await earn(memberId, { give: 9 })
    t.equal(await tierOf(memberId), null)
    await earn(memberId, { give: 1 })
    t.match(await tierOf(memberId), { tierId: 'silver', reason: null })
    await earn(memberId, { give: 90 })
    t.match(await tierOf(memberId), { tierId: 'gold' })
    await earn(memberId, { ruleId: 'points', currencyId: 'points', give: 5 })
    t.match(await tierOf(memberId), { tierId: 'star' })
    const { until } = (await tierOf(memberId))!
    t.ok(until > ledger.clock() + 57 * day && until < ledger.clock() + 64 * day, 'a month to count, and one to keep it')
  })

  await t.test('pending value and what paid a debt count, imports and adjustments do not', async (t) => {
    await publishTiers(ledger, silver)
    const [memberId, other] = [await enrol(), await enrol()]
    await adjust(other, 'stamps', 1_000)
    await importBalances([aBalance(other, 'stamps', { amount: 1_000 })])
    t.equal(await tierOf(other), null)
    await adjust(memberId, 'stamps', 1)
    await database.run(sql`update account set debt = 5 where member_id = ${memberId}`, terms)
    await earn(memberId, { give: 5 })
    await earn(memberId, { ruleId: 'later', give: 5, opensAfterDays: 30 })
    t.match(await tierOf(memberId), { tierId: 'silver' })
  })

  await t.test('what returns took back does not count, whenever they came', async (t) => {
    await publishTiers(ledger, silver)
    const memberId = await enrol()
    await earn(memberId, { give: 10 })
    t.match(await tierOf(memberId), { tierId: 'silver' })
    await database.run(
      sql`
        update earned e set taken = 1 from account a where a.member_id = ${memberId} and a.account_id = e.account_id`,
      terms,
    )
    t.equal(await tierOf(memberId), null)
  })

  await t.test('tiers follow the programme in force, and a roll back', async (t) => {
    const memberId = await enrol()
    await earn(memberId, { give: 10 })
    const versionOf = async () => (await ledger.programmes.newest())!.version
    const publishNext = async (...tiers: readonly Tier[]) => {
      const document = `{"once":"${randomUUID()}"}`
      const programme = prepareProgramme({ document, benefits: priced(...tiers), venues: [], members: [] })
      t.match(await ledger.programmes.publish(aValueCommand(), programme, await versionOf()), { published: true })
      return await versionOf()
    }
    const first = await publishNext(silver)
    t.match(await tierOf(memberId), { tierId: 'silver' })
    await publishNext(gold, { ...silver, tierId: 'bronze' })
    t.match(await tierOf(memberId), { tierId: 'bronze' })
    await publishNext()
    t.equal(await tierOf(memberId), null)
    await ledger.programmes.rollBack(aValueCommand(), first, await versionOf())
    t.match(await tierOf(memberId), { tierId: 'silver' })
  })

  await t.test('a tier is kept for a time after its sales no longer count', async (t) => {
    await publishTiers(ledger, silver, gold)
    const memberId = await enrol()
    await earn(memberId, { give: 100 })
    const age = async (months: number, days: number) =>
      await database.run(
        sql`
          update earned e
          set recorded_at = clock_timestamp() - make_interval(months => ${months}::integer, days => ${days}::integer)
          from account a where a.member_id = ${memberId} and a.account_id = e.account_id`,
        terms,
      )
    for (const [months, days, tierId] of [
      [11, 0, 'gold'],
      [12, 20, 'gold'],
      [13, 10, 'silver'],
      [14, 20, 'silver'],
      [15, 10, undefined],
      [40, 0, undefined],
    ] as const) {
      await age(months, days)
      t.equal((await tierOf(memberId))?.tierId, tierId, `${months} months and ${days} days`)
    }
  })
}

type Earned = readonly [at: string, given: number, taken?: number]

/** The end of a tier of 100, by earning. */
async function windowPromises(t: Test, database: Sql): Promise<void> {
  async function untilOf(rows: readonly Earned[], windowMonths: number, keepMonths: number, now: string) {
    const account = -Math.floor(Math.random() * 2 ** 40) - 1
    const earned = rows.map(([at, given, taken = 0]) => ({ at, given, taken }))
    await database.run(
      sql`
        insert into earned (calculation_id, rule_id, account_id, counted, given, taken, at, day, factor, recorded_at)
        select gen_random_uuid(), 'r', ${account}::bigint, 1, r.given, r.taken, r.at, r.at::date, 10000, r.at
        from json_to_recordset(${JSON.stringify(earned)}::text::json) as r (at timestamptz, given bigint, taken bigint)`,
      terms,
    )
    const [row] = await database.run<{ until: number | null }>(
      sql`
        select milliseconds(tier_until(
          ${account}::bigint, row('t', 1, 'stamps', 100, ${windowMonths}::integer, ${keepMonths}::integer)::value_tier,
          ${now}::text::timestamptz
        )) as until`,
      terms,
    )
    await database.run(sql`delete from earned where account_id = ${account}::bigint`, terms)
    return row!.until === null ? null : new Date(row!.until).toISOString().slice(0, 16)
  }
  const cases: readonly (readonly [
    title: string,
    rows: readonly Earned[],
    months: readonly [window: number, keep: number],
    until: string | null,
  ])[] = [
    ['the last of a month', [['2026-01-31T10:00Z', 100]], [1, 1], '2026-03-29T00:00'],
    ['a leap day', [['2024-01-31T10:00Z', 100]], [1, 12], '2025-03-01T00:00'],
    ['29 February and a year', [['2024-02-29T10:00Z', 100]], [12, 0], '2025-03-01T00:00'],
    ['midnight belongs to the day before', [['2026-03-01T00:00Z', 100]], [1, 0], '2026-04-01T00:00'],
    ['a moment after midnight', [['2026-03-01T00:00:00.001Z', 100]], [1, 0], '2026-04-02T00:00'],
    ['across New Year', [['2026-12-15T10:00Z', 100]], [1, 2], '2027-03-16T00:00'],
    ['too little', [['2026-01-31T10:00Z', 99]], [1, 12], null],
    [
      'two that count together for a while',
      [
        ['2026-01-10T10:00Z', 60],
        ['2026-01-30T10:00Z', 60],
      ],
      [1, 0],
      '2026-02-11T00:00',
    ],
    [
      'two that never do',
      [
        ['2026-01-10T10:00Z', 60],
        ['2026-02-10T10:00Z', 60],
      ],
      [1, 6],
      null,
    ],
    [
      'a later sale that alone does not qualify',
      [
        ['2026-01-10T10:00Z', 100],
        ['2026-02-05T10:00Z', 60],
      ],
      [1, 0],
      '2026-02-11T00:00',
    ],
    [
      'a later sale that prolongs it',
      [
        ['2026-01-10T10:00Z', 100],
        ['2026-01-20T10:00Z', 100],
      ],
      [1, 0],
      '2026-02-21T00:00',
    ],
    [
      'sales of one moment',
      [
        ['2026-01-10T10:00Z', 50],
        ['2026-01-10T10:00Z', 50],
      ],
      [1, 0],
      '2026-02-11T00:00',
    ],
    ['a return', [['2026-01-10T10:00Z', 100, 1]], [1, 0], null],
    [
      'a return that took what another sale completed',
      [
        ['2026-01-10T10:00Z', 0, 10],
        ['2026-01-11T10:00Z', 110],
      ],
      [1, 0],
      '2026-02-12T00:00',
    ],
    ['nothing', [], [1, 0], null],
  ]
  for (const [title, rows, [windowMonths, keepMonths], until] of cases)
    t.equal(await untilOf(rows, windowMonths, keepMonths, '2024-02-01T00:00Z'), until, title)
  const old: readonly Earned[] = [['2024-01-31T10:00Z', 100]]
  t.equal(await untilOf(old, 1, 1, '2024-04-01T00:00Z'), '2024-03-30T00:00', 'what has just ended may be seen')
  t.equal(await untilOf(old, 1, 1, '2024-06-01T00:00Z'), null, 'what is long over is not read')
}

/** Tiers that people give. */
async function givenPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const { enrol } = aValueTable(ledger)
  const tierOf = async (memberId: string) => (await ledger.members.findStanding(memberId)).tier
  const aCommand = () => ({ ...aValueCommand(), call: 'MemberService/SetTier' })
  const soon = () => Math.floor(ledger.clock()) + day

  await t.test('a given tier wins until it ends, and can be ended', async (t) => {
    await publishTiers(ledger, silver, gold)
    const memberId = await enrol()
    const [command, until] = [aCommand(), soon()]
    const setting = { member: { memberId }, given: { tierId: 'silver', until }, reason: 'match' }
    for (const times of [1, 2]) t.same(await ledger.members.setTier(command, setting), { kind: 'done' }, String(times))
    t.same(await tierOf(memberId), { tierId: 'silver', until, reason: 'match' })
    t.match(await ledger.members.setTier({ ...command, digest: digestOf('other') }, setting), {
      kind: 'request_id_conflict',
    })
    await ledger.members.setTier(aCommand(), { ...setting, given: { tierId: 'gold', until: until + 1 } })
    t.same(await tierOf(memberId), { tierId: 'gold', until: until + 1, reason: 'match' })
    await database.run(sql`update given_tier set until = clock_timestamp() where member_id = ${memberId}`, terms)
    t.equal(await tierOf(memberId), null, 'over')
    await ledger.members.setTier(aCommand(), setting)
    await ledger.members.setTier(aCommand(), { ...setting, given: null, reason: 'mistake' })
    t.equal(await tierOf(memberId), null, 'ended')
    const events = (await eventsOf(ledger, memberId)).filter(([type]) => type === 'tier.changed')
    t.same(
      events.map(([, body]) => (body as { tierId: string | null }).tierId),
      ['silver', 'gold', 'silver', null],
    )
    const { records } = await ledger.audit.list({ kind: 'member', id: memberId }, { after: null, limit: 5 })
    t.match(
      records
        .slice(0, 4)
        .map(({ call, before, after }) => [call, before && JSON.parse(before).tier, JSON.parse(after!)]),
      [
        ['MemberService/SetTier', 'silver', { tier: null, reason: 'mistake' }],
        ['MemberService/SetTier', 'gold', { tier: 'silver', until, reason: 'match' }],
        ['MemberService/SetTier', 'silver', { tier: 'gold', until: until + 1 }],
        ['MemberService/SetTier', null, { tier: 'silver', until }],
      ],
    )
  })
}

export async function forgottenTierPromises(t: Test, { ledger }: Subject): Promise<void> {
  const soon = () => Math.floor(ledger.clock()) + day

  await t.test('a forgotten member leaves no tier and no visits', async (t) => {
    await publishTiers(ledger, silver)
    const member = aMember()
    await ledger.members.store(aValueCommand(), [member])
    const { memberId } = member
    await ledger.members.setTier(aValueCommand(), {
      member: { memberId },
      given: { tierId: 'silver', until: soon() },
      reason: 'x',
    })
    const record = aRecord(ledger, { memberId, loyaltyId: member.loyaltyIds[0]! })
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    t.match(await ledger.members.findStanding(memberId), { visits: 1, tier: { tierId: 'silver' } })
    await ledger.members.forget(aValueCommand(), memberId, [])
    t.same(await ledger.members.findStanding(memberId), { visits: 0, tier: null })
  })
}
