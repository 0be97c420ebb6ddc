import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { sql } from '../../store/postgres/connection/sql.js'
import { aCancellation, aRecord, aSale, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import { givenBackPromises, sweepPromises } from './ledger-contract-given-back.js'
import {
  aLadder,
  done,
  giveBack,
  type LadderRuleCount,
  publishRules,
  quoteBack,
  returnedOf,
  sellLines,
} from './return-builders.js'
import { aSpender, aValueCommand, aValueTable } from './value-builders.js'

const terms = { effect: 'writes', withinMs: plenty } as const

/** Returns of sales (4-member-value, sections 5 and 9). */
export async function returnPromises(t: Test, subject: Subject): Promise<void> {
  await ladderPromises(t, subject)
  await takenBackPromises(t, subject)
  await shortagePromises(t, subject)
  await givenBackPromises(t, subject)
  await sweepPromises(t, subject)
}

async function ladderPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('a return needs a charged sale', async (t) => {
    t.same(await ledger.returns.find(randomUUID()), { kind: 'unknown_calculation' })
    const record = aRecord(ledger)
    await ledger.calculations.store([record])
    t.same(await ledger.returns.find(record.calculationId), { kind: 'not_sold' })
    await ledger.sales.record(aCancellation(record), eventBody)
    t.same(await ledger.returns.find(record.calculationId), { kind: 'not_sold' })

    const failed = aRecord(ledger)
    const event = aSale(failed, { status: 'failed', paidTotal: failed.netBefore })
    await ledger.sales.record(event, eventBody, 'unknown')
    t.same(await ledger.returns.find(failed.calculationId), { kind: 'not_sold' }, 'it failed before it was known')
    await ledger.calculations.store([failed])
    t.same(await ledger.returns.find(failed.calculationId), { kind: 'not_sold' }, 'also when it is joined')
  })

  await t.test('a sale tells which basket was charged, and what was paid', async (t) => {
    const sold = async (over: Parameters<typeof aRecord>[1], event: Parameters<typeof aSale>[1]) => {
      const record = aRecord(ledger, over)
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record, event), eventBody)
      return await ledger.returns.find(record.calculationId)
    }
    const sale = { asReturned: true, paidTotal: null, spending: null, pricedAs: String }
    t.match(await sold({ netAfter: 700 }, { paidTotal: 700 }), { kind: 'sold', sale })
    t.match(await sold({ netAfter: 700 }, { paidTotal: 699 }), { kind: 'sold', sale: { ...sale, paidTotal: 699 } })
    const asSent = { ...sale, asReturned: false, pricedAs: null }
    t.match(await sold({ status: 'unchanged', netAfter: 1_000 }, { paidTotal: 1_000 }), { kind: 'sold', sale: asSent })
    t.match(await sold({}, { status: 'failed', paidTotal: null }), { kind: 'sold', sale: asSent })
    t.match(await sold({ memberId: null }, { status: 'member_not_found', paidTotal: 1_000 }), {
      kind: 'sold',
      sale: asSent,
    })
  })

  await t.test('a line is refunded as it was paid, however it is split', async (t) => {
    const record = await sellLines(ledger, null, {
      lines: [
        [3_000, 1_000],
        [1_337, 999],
        [1_000, 0],
      ],
      rules: [],
    })
    t.match(await quoteBack(ledger, record, [[0, 1_000]]), { kind: 'done', refund: 333 })
    for (const refund of [333, 333, 334]) {
      t.match(await giveBack(ledger, record, [[0, 1_000]]), { kind: 'done', refund, takenBack: [], givenBack: [] })
    }
    t.match(
      await giveBack(ledger, record, [
        [1, 337],
        [2, 1_000],
      ]),
      { refund: 251 },
    )
    t.match(await giveBack(ledger, record, [[1, 1_000]]), { refund: 999 - 251 })
    t.match(await returnedOf(ledger, record.calculationId), { returned: [3_000, 1_337, 1_000], refunded: 1_999 })
  })

  await t.test('amounts beyond a double are refunded exactly', async (t) => {
    const net = Number.MAX_SAFE_INTEGER
    const record = await sellLines(ledger, null, { lines: [[100_000_000, net]], rules: [] })
    const [first, second] = [99_999_999, 1]
    const refund = Number((BigInt(first) * BigInt(net)) / 100_000_000n)
    t.match(await giveBack(ledger, record, [[0, first]]), { refund })
    t.match(await giveBack(ledger, record, [[0, second]]), { refund: net - refund })
  })

  await t.test('of two returns of the same line at once one is refused', async (t) => {
    const record = await sellLines(ledger, null, { lines: [[1_000, 100]], rules: [] })
    const replies = await Promise.all([0, 1].map(() => giveBack(ledger, record, [[0, 1_000]])))
    t.same(replies.map(({ kind }) => kind).sort(), ['done', 'too_much'])
  })

  await t.test('the first ladder that is stored stays', async (t) => {
    const record = await sellLines(ledger, null, { lines: [[1_000, 100]], rules: [] })
    await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, 7]], []))
    t.match(await returnedOf(ledger, record.calculationId), { ladder: { lines: [{ lineId: 'line-0', paid: 100 }] } })
  })

  await t.test('returns outlive the records of their sale', async (t) => {
    const record = await sellLines(ledger, null, { lines: [[2_000, 100]], rules: [] })
    done(await giveBack(ledger, record, [[0, 1_000]]))
    await database.run(sql`delete from sale where calculation_id = ${record.calculationId}::uuid`, terms)
    await database.run(sql`delete from calculation where calculation_id = ${record.calculationId}::uuid`, terms)
    t.match(await giveBack(ledger, record, [[0, 1_000]]), { refund: 50 })
  })
}

async function takenBackPromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const rules = await publishRules(ledger, {
    points: { give: 1, per: { kind: 'amount', every: 100 } },
    stamps: { give: 1, per: { kind: 'units', every: 1 } },
    visit: { give: 5, per: { kind: 'visit' } },
  })
  const { currencyId, named } = rules
  const available = async (memberId: string) => (await value.sums(memberId, currencyId)).available
  const taken = (amount: number) => ({ kind: 'done', takenBack: [{ currencyId, amount, debt: 0, forgiven: 0 }] })

  await t.test('the value that stays given counts the kept units of all sales', async (t) => {
    const memberId = await value.enrol()
    const rule = { ...named('points'), lines: [0] }
    const first = await sellLines(ledger, memberId, { lines: [[2_000, 130]], rules: [rule] })
    const second = await sellLines(ledger, memberId, { lines: [[1_000, 70]], rules: [rule] })
    t.equal(await available(memberId), 2)
    t.match(await quoteBack(ledger, first, [[0, 1_000]]), taken(1))
    t.equal(await available(memberId), 2, 'a quote moves nothing')
    t.match(await giveBack(ledger, first, [[0, 1_000]]), taken(1))
    t.match(await giveBack(ledger, second, [[0, 1_000]]), taken(1), 'the first sale was given it')
    t.match(await giveBack(ledger, first, [[0, 1_000]]), { kind: 'done', takenBack: [] })
    t.equal(await available(memberId), 0)
  })

  await t.test('units that were not given free are returned first', async (t) => {
    const memberId = await value.enrol()
    const rule = { ...named('stamps'), lines: [0] }
    const record = await sellLines(ledger, memberId, { lines: [[3_000, 100, 1]], rules: [rule] })
    t.match(await giveBack(ledger, record, [[0, 2_000]]), taken(2))
    t.match(await giveBack(ledger, record, [[0, 1_000]]), { kind: 'done', takenBack: [] })
  })

  await t.test('a visit is taken back when nothing that cost something is kept of what it counts', async (t) => {
    const memberId = await value.enrol()
    const record = await sellLines(ledger, memberId, {
      lines: [
        [2_000, 100],
        [1_000, 50],
        [1_000, 0],
      ],
      rules: [{ ...named('visit'), lines: [0, 1] }],
    })
    t.match(await giveBack(ledger, record, [[0, 2_000]]), { takenBack: [] })
    t.match(await giveBack(ledger, record, [[1, 1_000]]), taken(5), 'what cost nothing may stay')
  })

  await t.test('below the minimum spend all of the sale is taken out', async (t) => {
    const memberId = await value.enrol()
    const rule = { ...named('points'), lines: [0], spending: [0, 1], minimumSpend: 250 }
    const record = await sellLines(ledger, memberId, {
      lines: [
        [2_000, 200],
        [1_000, 100],
      ],
      rules: [rule],
    })
    t.equal(await available(memberId), 2)
    t.match(await giveBack(ledger, record, [[1, 1_000]]), taken(2))
    t.match(await giveBack(ledger, record, [[0, 2_000]]), { takenBack: [] })
  })

  await t.test('with a maximum or a cooldown a sale gives back at most what it was given', async (t) => {
    for (const limit of [{ maximum: { amount: 2, period: 'day' } }, { cooldownMinutes: 5 }]) {
      const memberId = await value.enrol()
      const rule: LadderRuleCount = { ...named('points'), lines: [0], ...limit }
      const sell = (at: string) => sellLines(ledger, memberId, { lines: [[1_000, 150]], rules: [rule], at })
      const first = await sell('2026-11-21T10:00:00+01:00')
      const second = await sell('2026-11-21T12:00:00+01:00')
      // 150 and 150 gave 1 and 2, or 1 and 1 within the maximum.
      const left = 'maximum' in limit ? 1 : 2
      t.equal(await available(memberId), 1 + left)
      t.match(await giveBack(ledger, first, [[0, 1_000]]), taken(1))
      t.match(await giveBack(ledger, second, [[0, 1_000]]), taken(left - ('maximum' in limit ? 0 : 1)))
    }
  })

  await t.test('what was taken back still counts towards the maximum', async (t) => {
    const memberId = await value.enrol()
    const rule: LadderRuleCount = { ...named('stamps'), lines: [0], maximum: { amount: 1, period: 'day' } }
    const first = await sellLines(ledger, memberId, { lines: [[1_000, 100]], rules: [rule] })
    t.match(await giveBack(ledger, first, [[0, 1_000]]), taken(1))
    await sellLines(ledger, memberId, { lines: [[1_000, 100]], rules: [rule] })
    t.equal(await available(memberId), 0)
  })

  await t.test('counts without a basket are taken out in proportion', async (t) => {
    const memberId = await value.enrol()
    const rule = { ...named('stamps'), lines: [0] }
    const record = await sellLines(ledger, memberId, { lines: [[4_000, 100]], rules: [rule] })
    // The ladder of another sale: eight units where four were counted.
    const other = await sellLines(ledger, memberId, { lines: [[4_000, 100]], rules: [rule] })
    t.ok(other.calculationId !== record.calculationId)
    t.match(await giveBack(ledger, record, [[0, 3_000]]), taken(3))
    t.match(await giveBack(ledger, record, [[0, 1_000]]), taken(1))
    t.equal(await available(memberId), 4)
  })
}

async function shortagePromises(t: Test, { ledger }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const { currencyId, named } = await publishRules(ledger, {
    stamps: { give: 1, per: { kind: 'units', every: 1 } },
    pairs: { give: 1, per: { kind: 'units', every: 2 } },
  })
  const day = 86_400_000
  const sell = (memberId: string, units: number, rule: Partial<LadderRuleCount> = {}) =>
    sellLines(ledger, memberId, { lines: [[units * 1_000, 100]], rules: [{ ...named('stamps'), lines: [0], ...rule }] })
  const sums = (memberId: string) => value.sums(memberId, currencyId)
  const take = (memberId: string, amount: number) => value.adjust(memberId, currencyId, -amount)
  const moved = (amount: number, debt: number, forgiven: number) => ({
    kind: 'done',
    takenBack: [{ currencyId, amount, debt, forgiven }],
  })

  await t.test("this sale's pending lots go first, then other pending ones, then what is available", async (t) => {
    const memberId = await value.enrol()
    await value.adjust(memberId, currencyId, 4)
    const until = (after: number) => ({ opensAfterDays: 2, expires: { unit: 'days', after, atEndOf: null } })
    const rule = { ...named('pairs'), lines: [0] }
    const lines = [[3_000, 100]] as const
    const first = await sellLines(ledger, memberId, { lines, rules: [{ ...rule, ...until(30) }] })
    await sellLines(ledger, memberId, { lines, rules: [{ ...rule, ...until(60) }] })
    const amounts = async () => (await value.lots(memberId, currencyId)).map(([amount]) => amount)
    t.same(await amounts(), [1, 2, 4])
    t.match(await giveBack(ledger, first, [[0, 1_000]]), { takenBack: [{ amount: 1 }] })
    t.same(await amounts(), [2, 4], 'its own lot, although the other one expires later')
    t.match(await giveBack(ledger, first, [[0, 2_000]]), { takenBack: [{ amount: 1 }] })
    t.same(await amounts(), [1, 4], 'then a pending one')
  })

  await t.test('of available lots the one that expires last is taken first', async (t) => {
    const memberId = await value.enrol()
    const now = Math.floor(ledger.clock())
    const record = await sell(memberId, 3)
    await take(memberId, 3)
    await value.adjust(memberId, currencyId, 2, { expiresAt: now + 80 * day })
    await value.adjust(memberId, currencyId, 2, { expiresAt: now + 90 * day })
    t.match(await giveBack(ledger, record, [[0, 3_000]]), moved(3, 0, 0))
    t.same(await value.lots(memberId, currencyId), [[1, now + 80 * day]])
  })

  await t.test('a shortage is forgiven, becomes debt, or only pending value is taken', async (t) => {
    for (const [onReturn, rows, left] of [
      [undefined, moved(1, 0, 2), { available: 0, debt: 0 }],
      ['to_zero', moved(1, 0, 2), { available: 0, debt: 0 }],
      ['debt', moved(3, 2, 0), { available: 0, debt: 2 }],
      ['pending_only', moved(0, 0, 3), { available: 1, debt: 0 }],
    ] as const) {
      const memberId = await value.enrol()
      const record = await sell(memberId, 3, onReturn === undefined ? {} : { onReturn })
      await take(memberId, 2)
      t.match(await giveBack(ledger, record, [[0, 3_000]]), rows)
      t.match(await sums(memberId), left)
    }
  })

  await t.test('what is earned later pays the debt first', async (t) => {
    const memberId = await value.enrol()
    const record = await sell(memberId, 3, { onReturn: 'debt' })
    await take(memberId, 3)
    t.match(await giveBack(ledger, record, [[0, 3_000]]), moved(3, 3, 0))
    await sell(memberId, 2)
    t.match(await sums(memberId), { available: 0, debt: 1 })
    await sell(memberId, 2)
    t.match(await sums(memberId), { available: 1, debt: 0 })
  })

  await t.test('holds of open calculations are not touched and become debt, but with pending_only', async (t) => {
    for (const [onReturn, first, second] of [
      ['to_zero', moved(3, 2, 0), moved(0, 0, 1)],
      ['debt', moved(3, 2, 0), moved(1, 1, 0)],
      ['pending_only', moved(0, 0, 3), moved(0, 0, 1)],
    ] as const) {
      const memberId = await value.enrol()
      const record = await sell(memberId, 4, { onReturn })
      await take(memberId, 1)
      const open = aSpender(ledger, { memberId, currencyId, amount: 2 })
      t.match(await ledger.calculations.confirm(open, plenty), { kind: 'confirmed' })
      t.match(await giveBack(ledger, record, [[0, 3_000]]), first)
      t.match(await giveBack(ledger, record, [[0, 1_000]]), second)
    }
  })
}

/** Returns of a forgotten member: bodies go with it, so after all that looks for them. */
export async function forgottenReturnPromises(t: Test, { ledger }: Subject): Promise<void> {
  const { currencyId, named } = await publishRules(ledger, { stamps: { give: 1, per: { kind: 'units', every: 1 } } })

  await t.test('the accounts of a forgotten member stay empty', async (t) => {
    const memberId = await aValueTable(ledger).enrol()
    const rule = { ...named('stamps'), lines: [0], onReturn: 'debt' } as const
    const record = await sellLines(ledger, memberId, { lines: [[3_000, 100]], rules: [rule] })
    const forgiven = (amount: number) => ({
      kind: 'done',
      takenBack: [{ currencyId, amount: 0, debt: 0, forgiven: amount }],
    })
    const basket = aRecord(ledger, { memberId })
    await ledger.calculations.store([basket])
    await ledger.returns.storeLadder(basket.calculationId, aLadder([[1_000, 100]], []), '{}')
    t.ok(await ledger.returns.findBasket(basket.calculationId))
    await ledger.members.forget(aValueCommand(), memberId, [])
    t.equal(await ledger.returns.findBasket(basket.calculationId), null, 'its baskets go')
    t.match(await giveBack(ledger, record, [[0, 2_000]]), { refund: 66, ...forgiven(2) })
    t.same(await ledger.value.findAccounts(memberId), [])
    t.match(await giveBack(ledger, record, [[0, 1_000]]), forgiven(1))
  })
}
