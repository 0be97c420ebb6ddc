import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { counterKey } from '../../engine/core/base/outcome.js'
import type { MergeReply } from '../../store/ledger/members.js'
import type { StoredRule } from '../../store/ledger/value.js'
import { aRecord, aSale, aVenue, aWant, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import { dumpTables } from './ledger-checker.js'
import { anEarning, aValueCommand, aValueTable, owe, type RuleCount, totals } from './value-builders.js'

const most = Number.MAX_SAFE_INTEGER
const day = 86_400_000

/** Members merged into others: value, totals, limits, and baskets that still name the old member. */
export async function mergingPromises(t: Test, subject: Subject): Promise<void> {
  await t.test('value', (t) => valuePromises(t, subject))
  await t.test('totals of earning rules', (t) => totalPromises(t, subject))
  await t.test('limits and open calculations', (t) => limitPromises(t, subject))
}

export function aMergeTable({ ledger }: Pick<Subject, 'ledger'>) {
  return {
    ...aValueTable(ledger),
    merge: (from: string, into: string, more: { isDryRun?: boolean; requestId?: string } = {}): Promise<MergeReply> => {
      const { isDryRun = false, requestId = randomUUID() } = more
      const command = { ...aValueCommand(), requestId, call: 'MemberService/MergeMembers' }
      const names = { from: { memberId: from }, into: { memberId: into } }
      return ledger.members.merge(command, { ...names, venueLimits: [], isDryRun })
    },
    /** Publishes currencies of their own, each with one rule; resolves to the rule's ids. */
    async rule(more: Partial<StoredRule> = {}): Promise<{ readonly ruleId: string; readonly currencyId: string }> {
      const [ruleId, currencyId] = [`rule-${randomUUID()}`, `currency-${randomUUID()}`]
      await ledger.programmes.publishFile({
        document: `{"once":"${randomUUID()}"}`,
        benefits: '[]',
        venues: [aVenue({ timeZone: 'Europe/Oslo' })],
        members: [],
        currencies: [{ currencyId, name: 'Stamps', scale: 0 }],
        rules: [{ ruleId, currencyId, give: 1, per: { kind: 'amount', every: 50 }, ...more }],
      })
      return { ruleId, currencyId }
    },
  }
}

async function valuePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aMergeTable({ ledger })
  const [stamps, points] = [await value.currency(), await value.currency()]

  await t.test('lots move with their dates, and both movements sum to zero', async (t) => {
    const [from, into] = [await value.enrol(), await value.enrol()]
    const soon = Math.floor(ledger.clock()) + day
    await value.adjust(from, stamps, 5)
    await value.adjust(from, stamps, 3, { expiresAt: soon })
    await value.adjust(from, stamps, 2, { opensAt: soon, expiresAt: soon + day })
    await value.adjust(from, points, 7)
    await value.adjust(into, stamps, 1)
    const reply = await value.merge(from, into)
    t.match(reply, { kind: 'done', calculations: 0, loyaltyIds: 1, counters: [] })
    const rows = [
      { currencyId: stamps, amount: 10, debt: 0, paid: 0, completed: 0 },
      { currencyId: points, amount: 7, debt: 0, paid: 0, completed: 0 },
    ].sort((a, b) => (a.currencyId < b.currencyId ? -1 : 1))
    t.same(reply.kind === 'done' && reply.accounts, rows)
    const dates = [
      [3, soon],
      [2, soon + day],
      [5, null],
      [1, null],
    ]
    t.same(await value.lots(into, stamps), dates)
    t.match(await value.sums(into, stamps), { available: 9, pending: 2 })
    t.same(await value.movements(into, stamps), ['merged 10', 'adjusted 1'])
    t.same(await value.movements(from, stamps), ['merged -10', 'adjusted 2', 'adjusted 3', 'adjusted 5'])
    const [movement] = await ledger.value.listMovements(
      { memberId: into, currencyId: stamps },
      { after: null, limit: 1 },
    )
    t.match(movement, { reason: from, actor: 'test', cause: /^request:/ })
  })

  await t.test('debts add up and are paid from what is free, whosever it was', async (t) => {
    const [from, into, poor, rich] = [
      await value.enrol(),
      await value.enrol(),
      await value.enrol(),
      await value.enrol(),
    ]
    await value.adjust(from, stamps, 1)
    await owe(database, from, 31)
    await value.adjust(into, stamps, 20)
    t.match(await value.merge(from, into), { accounts: [{ amount: 1, debt: 31, paid: 21 }] })
    t.match(await value.sums(into, stamps), { available: 0, debt: 10 })
    await value.adjust(poor, stamps, 4)
    await owe(database, poor, 4)
    await value.adjust(rich, stamps, 9)
    t.match(await value.merge(rich, poor), { accounts: [{ amount: 9, debt: 0, paid: 4 }] })
    t.match(await value.sums(poor, stamps), { available: 9, debt: 0 })
  })

  await t.test('an account never passes 2^53 - 1: then nothing moves at all', async (t) => {
    const [from, into] = [await value.enrol(), await value.enrol()]
    await value.adjust(from, points, 5)
    await value.adjust(from, stamps, 1)
    await value.adjust(into, stamps, most)
    t.same(await value.merge(from, into), { kind: 'out_of_range', currencyId: stamps })
    t.match(await value.sums(from, points), { available: 5 })
    t.same(await value.sums(into, points), { available: 0, pending: 0, held: 0, debt: 0 })
    t.ok(await ledger.members.findById(from))
    await value.adjust(into, stamps, -1)
    t.match(await value.merge(from, into), { kind: 'done' })
    t.match(await value.sums(into, stamps), { available: most })
  })

  await t.test('a dry run tells the same and changes nothing, and its request id stays free', async (t) => {
    const [from, into] = [await value.enrol(), await value.enrol()]
    await value.adjust(from, stamps, 5)
    const before = await dumpTables(database)
    const requestId = randomUUID()
    const quoted = await value.merge(from, into, { isDryRun: true, requestId })
    t.equal(await dumpTables(database), before)
    const done = await value.merge(from, into, { requestId })
    t.same(quoted, done)
    t.same(await value.merge(from, into, { requestId }), done, 'a repeat answers as the first time')
    t.match(await value.sums(into, stamps), { available: 5 })
  })

  await t.test('an activation is cancelled for whoever it went to', async (t) => {
    const [from, into] = [await value.enrol(), await value.enrol()]
    const exchange = {
      exchangeId: 'x',
      from: { currencyId: stamps, amount: 10 },
      to: { currencyId: points, amount: 1 },
    }
    const currencies = [stamps, points].map((currencyId) => ({ currencyId, name: 'Stamps', scale: 0 }))
    const exchanges = [{ ...exchange, validDays: null }]
    const document = `{"once":"${randomUUID()}"}`
    await ledger.programmes.publishFile({ document, benefits: '[]', venues: [], members: [], currencies, exchanges })
    await value.adjust(from, stamps, 10)
    const asked = { member: { memberId: from }, fromCurrencyId: stamps, toCurrencyId: points, times: 1 }
    const activated = await ledger.rewards.activate(aValueCommand(), asked)
    if (activated.kind !== 'done') throw new Error(activated.kind)
    await value.merge(from, into)
    t.match(await ledger.rewards.cancel(aValueCommand(), activated.activation), { kind: 'done', times: 1 })
    t.match(await value.sums(into, stamps), { available: 10 })
    t.match(await value.sums(into, points), { available: 0 })
  })
}

async function totalPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aMergeTable({ ledger })

  /** Sells for an amount that one rule counts. */
  async function sell(
    memberId: string,
    ids: { ruleId: string; currencyId: string },
    sent: number,
    { when = {}, ...more }: RuleCount & { readonly when?: { readonly day?: string } } = {},
  ) {
    const counted = { ...ids, per: 'amount', every: 50, sent, ...more } as const
    const record = aRecord(ledger, { memberId, earning: anEarning([counted], when) })
    await ledger.calculations.store([record])
    return await ledger.sales.record(aSale(record), eventBody)
  }

  await t.test('30 and 20 are 50: the sum gives what it completes, and later sales count on', async (t) => {
    const rule = await value.rule()
    const [from, into] = [await value.enrol(), await value.enrol()]
    await sell(from, rule, 80)
    await sell(into, rule, 20)
    t.match(await value.merge(from, into), { accounts: [{ amount: 1, completed: 1 }] })
    t.same(await totals(database, into), { [rule.ruleId]: ['1000000', 2] })
    t.same(await value.movements(into), ['merged 1', 'merged 1'])
    const next = anEarning([{ ...rule, per: 'amount', every: 50, sent: 149 }])
    for (const member of [from, into]) t.same(await ledger.value.quoteEarning(member, next), { [rule.ruleId]: 2 })
    await sell(into, rule, 49)
    t.match(await value.sums(into, rule.currencyId), { available: 2 })
    await sell(into, rule, 1)
    t.match(await value.sums(into, rule.currencyId), { available: 3 })
  })

  await t.test('what is completed pays debt first, opens and expires as if earned now', async (t) => {
    const expires = { unit: 'days', after: 3, atEndOf: null }
    const rule = await value.rule({ give: 5, opensAfterDays: 1, expires })
    const [from, into] = [await value.enrol(), await value.enrol()]
    const more = { give: 5 }
    await sell(from, rule, 70, more)
    await sell(into, rule, 30, more)
    await owe(database, from, 8)
    const began = ledger.clock()
    t.match(await value.merge(from, into), { accounts: [{ amount: 5, debt: 8, paid: 5, completed: 5 }] })
    t.match(await value.sums(into, rule.currencyId), { available: 0, pending: 2, debt: 0 })
    const [account] = await ledger.value.findAccounts(into)
    const [lot] = account!.lots
    t.ok(lot!.opensAt >= began + day - 1 && lot!.opensAt < began + day + plenty)
    t.ok(lot!.expiresAt! > began + 2 * day && lot!.expiresAt! < began + 4 * day)
  })

  await t.test('cooldown and maximum look at both histories, also for what the sum completes', async (t) => {
    const rule = await value.rule({ maximum: { amount: 2, period: 'ever' } })
    const [from, into] = [await value.enrol(), await value.enrol()]
    const terms = { maximum: { amount: 2, period: 'ever' }, cooldownMinutes: 60 }
    await sell(from, rule, 70, terms)
    await sell(into, rule, 80, { ...terms, cooldownMinutes: 0 })
    t.match(await value.merge(from, into), { accounts: [{ completed: 0 }] }, '70 and 80 are 150, but 2 is the most')
    const before = await totals(database, into)
    await sell(into, rule, 50, terms)
    t.same(await totals(database, into), before, 'within the cooldown of a sale of the other')
    await sell(into, rule, 50, { ...terms, cooldownMinutes: 0 })
    t.match(await value.sums(into, rule.currencyId), { available: 2 }, 'the most that both may have')
  })

  await t.test('what merges complete counts towards the maximum of its month', async (t) => {
    const maximum = { amount: 2, period: 'month' } as const
    const rule = await value.rule({ maximum })
    const members = [await value.enrol(), await value.enrol(), await value.enrol(), await value.enrol()] as const
    const [first, second, third, last] = members
    const when = { day: new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Oslo' }).format(ledger.clock()) }
    for (const member of [first, second, third]) await sell(member, rule, 45, { maximum, when })
    t.match(await value.merge(first, second), { accounts: [{ completed: 1 }] })
    t.match(await value.merge(second, last), { accounts: [{ amount: 1, completed: 0 }] })
    t.match(await value.merge(third, last), { accounts: [{ completed: 1 }] })
    await sell(last, rule, 500, { maximum, when })
    t.match(await value.sums(last, rule.currencyId), { available: 2 })
    await sell(last, rule, 500, { maximum, when: { day: '2020-01-01' } })
    t.match(await value.sums(last, rule.currencyId), { available: 4 }, 'another month')
  })

  await t.test('what merges complete counts towards the birthday that both had last', async (t) => {
    const maximum = { amount: 1, period: 'birthday' } as const
    const rule = await value.rule({ maximum })
    const [first, second] = [await value.enrol(), await value.enrol()]
    const terms = { maximum, about: '2026-06-15' }
    for (const member of [first, second]) await sell(member, rule, 45, terms)
    t.match(await value.merge(first, second), { accounts: [{ completed: 1 }] })
    await sell(second, rule, 500, terms)
    t.match(await value.sums(second, rule.currencyId), { available: 1 })
    await sell(second, rule, 500, { ...terms, about: '2027-06-15' })
    t.match(await value.sums(second, rule.currencyId), { available: 2 }, 'the next birthday')
  })

  await t.test('totals add up along a chain, and complete each unit once', async (t) => {
    const rule = await value.rule()
    const members = [await value.enrol(), await value.enrol(), await value.enrol(), await value.enrol()] as const
    for (const member of members) await sell(member, rule, 30)
    t.match(await value.merge(members[0], members[1]), { accounts: [{ completed: 1 }] })
    t.match(await value.merge(members[1], members[2]), { accounts: [{ amount: 1, completed: 0 }] })
    t.match(await value.merge(members[2], members[3]), { accounts: [{ amount: 1, completed: 1 }] })
    t.match(await value.sums(members[3], rule.currencyId), { available: 2 })
    t.equal(await ledger.members.findMergedInto(members[0]), members[3])
  })
}

async function limitPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aMergeTable({ ledger })
  const limitId = () => `limit-${randomUUID()}`

  await t.test('uses by birthday add up where the windows of both are within 180 days', async (t) => {
    const own = limitId()
    const uses = async (subject: string, ...dates: readonly string[]) => {
      const holds = dates.map((date) => aWant({ limitId: own, subject, period: `birthday-${date}`, maximum: 10 }))
      await ledger.calculations.confirm(aRecord(ledger, { memberId: subject, holds }), plenty)
    }
    const [from, into] = [await value.enrol(), await value.enrol()]
    await uses(from, '2025-06-15', '2026-06-15')
    await uses(into, '2026-12-12')
    await value.merge(from, into)
    const counters = await ledger.counters.list({ limitId: own, subject: into, period: '' }, { after: null, limit: 10 })
    t.same(
      counters.map(({ period, open }) => [period, open]),
      [
        ['birthday-2025-06-15', 1],
        ['birthday-2026-12-12', 2],
      ],
    )
    t.same((await ledger.members.findHints(into)).birthdayPeriods, { [own]: 'birthday-2026-12-12' })
  })

  await t.test('uses and reservations of limits add up; what is open settles to the other', async (t) => {
    const rule = await value.rule()
    const [from, into] = [await value.enrol(), await value.enrol()]
    const own = limitId()
    const want = (subject: string, units: number) => aWant({ limitId: own, subject, units, maximum: 10 })
    const used = aRecord(ledger, { memberId: into, holds: [want(into, 2)] })
    const earning = anEarning([{ ...rule, per: 'amount', every: 50, sent: 100 }])
    const open = aRecord(ledger, { memberId: from, holds: [want(from, 3)], earning })
    await ledger.calculations.confirm(used, plenty)
    await ledger.sales.record(aSale(used), eventBody)
    await ledger.calculations.confirm(open, plenty)
    const names = [from, into].map((subject) => ({ limitId: own, subject, period: '' }))
    const reply = await value.merge(from, into)
    t.match(reply, { kind: 'done', calculations: 1 })
    t.same(reply.kind === 'done' && reply.counters.map(counterKey).sort(), names.map(counterKey).sort())
    t.match(await ledger.counters.lookUp(names), [
      { open: 0, used: 0 },
      { open: 3, used: 2 },
    ])
    await ledger.sales.record(aSale(open), eventBody)
    t.match(await ledger.counters.lookUp(names), [
      { open: 0, used: 0 },
      { open: 0, used: 5 },
    ])
    t.match(await value.sums(into, rule.currencyId), { available: 2 })
    const filter = { ...anyCalculation, memberId: into }
    t.equal((await ledger.calculations.list(filter, { after: null, limit: 10 })).length, 2)
  })

  await t.test('together they may have passed a limit; nothing is left then', async (t) => {
    const [from, into] = [await value.enrol(), await value.enrol()]
    const own = limitId()
    const want = (subject: string) => aWant({ limitId: own, subject, units: 1, maximum: 1 })
    for (const memberId of [from, into]) {
      const record = aRecord(ledger, { memberId, holds: [want(memberId)] })
      await ledger.calculations.confirm(record, plenty)
      await ledger.sales.record(aSale(record), eventBody)
    }
    await value.merge(from, into)
    t.match(await ledger.counters.lookUp([{ limitId: own, subject: into, period: '' }]), [{ used: 2 }])
    const next = aRecord(ledger, { memberId: into, holds: [want(into)] })
    t.match(await ledger.calculations.confirm(next, plenty), { kind: 'short' })
  })

  await t.test(
    'a calculation that still names the old member is the other one’s, with its holds and what it earns',
    async (t) => {
      const rule = await value.rule()
      const [from, into] = [await value.enrol(), await value.enrol()]
      const own = limitId()
      await value.merge(from, into)
      const want = (subject: string) => aWant({ limitId: own, subject, units: 4, maximum: 4 })
      const earning = anEarning([{ ...rule, per: 'amount', every: 50, sent: 50 }])
      const held = aRecord(ledger, { memberId: from, holds: [want(from)], earning })
      t.match(await ledger.calculations.confirm(held, plenty), { kind: 'confirmed' })
      const journalled = aRecord(ledger, { memberId: from, earning })
      await ledger.calculations.store([journalled])
      t.match(await ledger.calculations.confirm(aRecord(ledger, { memberId: into, holds: [want(into)] }), plenty), {
        kind: 'short',
      })
      for (const record of [held, journalled]) await ledger.sales.record(aSale(record), eventBody)
      t.match(await value.sums(into, rule.currencyId), { available: 2 })
      t.match(await value.sums(from, rule.currencyId), { available: 0 })
    },
  )
}

const anyCalculation = {
  fromUs: 0,
  untilUs: most,
  venueId: '',
  loyaltyId: '',
  state: '',
  status: '',
  programmeVersion: null,
  cashRegisterId: '',
  receiptNumber: null,
  transactionId: '',
  benefitId: '',
} as const
