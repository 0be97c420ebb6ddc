import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import { planReturn, returnedWith } from '../../engine/value/returns.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { ClaimCount, SaleClaimReply } from '../../store/ledger/sales.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { aClaim, aLadder, done, giveBack, publishRules, sellLines } from './return-builders.js'
import { anEarning, aSpent, aValueCommand, aValueTable, type RuleCount, totals } from './value-builders.js'

const nobody = { memberId: null, status: 'member_not_found', loyaltyDiscountTotal: 0, netAfter: 1_000 } as const

export async function saleClaimPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const { value, rule, byAmount, byUnits, counted, claim, sold } = await aClaimTable(ledger)
  const discrepanciesOf = async (id: string) => (await ledger.sales.find(id))?.sale.discrepancies

  await t.test('a sale without a member earns for the one who claims it, once', async (t) => {
    const [member, later] = [await value.enrol(), await value.enrol()]
    const id = await sold(nobody)
    t.equal((await ledger.sales.find(id))?.sale.claimedAt, null)
    const given = [{ currencyId: rule.currencyId, amount: 2 }]
    const requestId = randomUUID()
    const calls = Array.from({ length: 6 }, () => claim(member, id, counted(byAmount)))
    const replies: readonly SaleClaimReply[] = [...(await Promise.all(calls))]
    t.same(
      replies.filter(({ kind }) => kind === 'done'),
      [{ kind: 'done', given }],
    )
    t.equal(replies.filter(({ kind }) => kind === 'already_claimed').length, 5)
    t.same(await claim(later, id, counted(byAmount)), { kind: 'already_claimed' })
    t.match(await value.sums(member, rule.currencyId), { available: 2 })
    t.same(await value.movements(member), ['earned 2'])
    const [movement] = await ledger.value.listMovements({ memberId: member, currencyId: '' }, { after: null, limit: 1 })
    t.match(movement, { cause: `claim:${id}`, actor: 'test' })
    t.ok((await ledger.sales.find(id))!.sale.claimedAt! > 0)
    t.match(await ledger.calculations.find(id), { summary: { memberId: member } })
    const second = await sold(nobody)
    t.same(await claim(member, second, counted(byAmount), { requestId }), { kind: 'done', given })
    t.same(await claim(member, second, counted(byAmount), { requestId }), { kind: 'done', given }, 'a repeat')
    const { records } = await ledger.audit.list({ kind: 'member', id: member }, { after: null, limit: 1 })
    t.match(records, [{ call: 'MemberService/ClaimSale' }])
  })

  await t.test('its value opens and expires from when the sale was recorded; cooldown and maximum hold', async (t) => {
    const member = await value.enrol()
    const dated = { ...byAmount, opensAfterDays: 1, maximum: { amount: 3, period: 'day' } }
    t.match(await claim(member, await sold(nobody), counted(dated)), { given: [{ amount: 2 }] })
    t.match(await claim(member, await sold(nobody), counted(dated)), { given: [{ amount: 1 }] })
    t.same(await claim(member, await sold(nobody), counted({ ...dated, cooldownMinutes: 5 })), {
      kind: 'done',
      given: [],
    })
    t.match(await value.sums(member, rule.currencyId), { available: 0, pending: 3 })
  })

  await t.test('a sale that has a member, was not charged or whose basket is gone is not claimed', async (t) => {
    const [member, blocked] = [await value.enrol(), await value.enrol()]
    await ledger.members.block(aValueCommand(), blocked, true)
    const what = counted(byAmount)
    t.same(await claim(member, await sold({ memberId: member }), what), { kind: 'has_member' })
    const cancelled = { status: 'cancelled', paidTotal: null } as const
    t.same(await claim(member, await sold(nobody, cancelled), what), { kind: 'unknown_sale' })
    t.same(await claim(member, randomUUID(), what), { kind: 'unknown_sale' })
    const early = aRecord(ledger, nobody)
    await ledger.sales.record(aSale(early), eventBody)
    t.same(await claim(member, early.calculationId, what), { kind: 'unknown_calculation' })
    const id = await sold(nobody)
    t.same(await claim(member, id, 'unknown'), { kind: 'body_gone' })
    t.same(await claim(blocked, id, what), { kind: 'blocked_member' })
    t.same(await claim('unknown', id, what), { kind: 'unknown_member' })
    t.match(await claim(member, id, what), { kind: 'done' }, 'none of that claimed it')
  })

  await t.test(
    'what a failed sale of an unknown calculation has left is claimed once its basket has come',
    async (t) => {
      const [member, other] = [await value.enrol(), await value.enrol()]
      const record = aRecord(ledger, { memberId: member })
      const { calculationId } = record
      const event = aSale(record, { status: 'failed', paidTotal: 100 })
      const paid = { memberId: member, earning: anEarning([byAmount]), isPartial: true }
      await ledger.sales.record(event, eventBody, paid)
      t.same(await discrepanciesOf(calculationId), ['unknown_calculation', 'earning_unknown'])
      const what = counted(byAmount, byUnits)
      t.same(await claim(member, calculationId, what), { kind: 'unknown_calculation' })
      await ledger.calculations.store([record])
      t.same(await claim(other, calculationId, what), { kind: 'has_member' }, 'whoever had the card has earned by it')
      t.same(await claim(member, calculationId, what), {
        kind: 'done',
        given: [{ currencyId: byUnits.currencyId, amount: 3 }],
      })
      t.match(await value.sums(member, rule.currencyId), { available: 2 }, 'counted once')
      t.notOk((await discrepanciesOf(calculationId))?.includes('earning_unknown'), 'support is done with it')
      t.same(await claim(member, calculationId, what), { kind: 'already_claimed' })
    },
  )

  await t.test('units returned before earn nothing; the earning of later returns is taken back', async (t) => {
    const member = await value.enrol()
    const lines = [
      [4_000, 200],
      [1_000, 30],
    ] as const
    const rules = [{ ...byAmount, lines: [0, 1] }]
    const id = await sold(nobody)
    await ledger.returns.storeLadder(id, aLadder(lines, []))
    t.match(await giveBack(ledger, { calculationId: id }, [[0, 1_000]]), { takenBack: [] })
    const what = aClaim(anEarning([{ ...byAmount, sent: 180, all: 230 }]), aLadder(lines, rules), 1)
    t.same(await claim(member, id, { ...what, returns: 0 }), { kind: 'changed' })
    t.same(await claim(member, id, what), { kind: 'done', given: [{ currencyId: rule.currencyId, amount: 3 }] })
    t.same(await totals(database, member), { [rule.ruleId]: ['1800000', 3] })
    t.match(await giveBack(ledger, { calculationId: id }, [[0, 1_000]]), { takenBack: [{ amount: 1 }] })
    t.same(await totals(database, member), { [rule.ruleId]: ['1300000', 3] })
    const gone = await sold(nobody)
    await ledger.returns.storeLadder(gone, aLadder(lines, []))
    await giveBack(ledger, { calculationId: gone }, [
      [0, 4_000],
      [1, 1_000],
    ])
    t.same(
      await claim(member, gone, aClaim(anEarning([]), what.ladder, 1)),
      { kind: 'done', given: [] },
      'nothing is kept',
    )
  })

  await t.test('a claimed sale moves with its member when that is merged', async (t) => {
    const [member, into] = [await value.enrol(), await value.enrol()]
    const id = await sold(nobody)
    await claim(member, id, counted({ ...byAmount, sent: 30 }))
    await value.merge(member, into)
    t.same(await totals(database, into), { [rule.ruleId]: ['300000', 0] })
    const second = await sold(nobody)
    t.match(await claim(into, second, counted({ ...byAmount, sent: 20 })), { given: [{ amount: 1 }] })
  })
}

/** Rules of their own, and sales, for claims on one ledger. */
async function aClaimTable(ledger: Ledger) {
  const value = aMergeTable({ ledger })
  const rule = await value.rule()
  const other = await value.rule({ per: { kind: 'units', every: 1 } })
  const byAmount = { ...rule, per: 'amount', every: 50, sent: 100 } as const
  const byUnits = { ...other, per: 'units', every: 1, sent: 3 } as const
  const counted = (...rules: readonly RuleCount[]): ClaimCount =>
    aClaim(anEarning(rules.map((each) => ({ ...each, all: each.sent ?? 1 }))), aLadder([[1_000, 100]], []))

  function claim(
    memberId: string,
    calculationId: string,
    what: ClaimCount | 'unknown',
    { requestId = randomUUID() as string, isDryRun = false } = {},
  ) {
    const command = { ...aValueCommand(), requestId, call: 'MemberService/ClaimSale' }
    return ledger.sales.claim(command, { member: { memberId }, calculationId, counted: what, isMove: false, isDryRun })
  }

  async function sold(record: Partial<CalculationRecord>, event: Partial<SaleEvent> = {}): Promise<string> {
    const stored = aRecord(ledger, record)
    await ledger.calculations.store([stored])
    await ledger.sales.record(aSale(stored, event), eventBody)
    return stored.calculationId
  }

  return { value, rule, byAmount, byUnits, counted, claim, sold }
}

const nothing = { price: 0, counts: new Map(), spent: [] }
const lines = [[3_000, 300]] as const

/** Sales that are moved to another member (4-member-value 5, MoveSale). */
export async function saleMovePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const value = aValueTable(ledger)
  const { currencyId, named } = await publishRules(ledger, { units: { give: 2, per: { kind: 'units', every: 1 } } })
  const rule = { ...named('units'), lines: [0] }
  const earning = (sent: number) => anEarning([{ ...rule, sent, all: 3 }])
  const visitsOf = async (memberId: string) => (await ledger.members.findStanding(memberId)).visits
  const both = async (amount: number) => ({
    ...{ from: await value.enrol(), to: await value.enrol() },
    taken: [{ currencyId, amount, debt: 0, forgiven: 0 }],
  })

  await t.test('the earning of a sale moves from the one member to the other, with the visit', async (t) => {
    const { from, to, taken } = await both(6)
    const { calculationId } = await sellLines(ledger, from, { lines, rules: [rule] })
    const requestId = randomUUID()
    const want = { kind: 'done', takenBack: taken, givenBack: [], given: [{ currencyId, amount: 6 }] }
    t.same(await move(ledger, to, { calculationId, earning: earning(3), isDryRun: true }), want)
    t.match(await value.sums(from, currencyId), { available: 6 }, 'a dry run leaves it')
    t.same(await move(ledger, to, { calculationId, earning: earning(3), requestId }), want)
    t.same(await move(ledger, to, { calculationId, earning: earning(3), requestId }), want, 'a repeat')
    t.same(await value.movements(from), ['returned -6', 'earned 6'])
    t.same(await value.movements(to), ['earned 6'])
    t.same(await totals(database, from), { [rule.ruleId]: ['0', 6] })
    t.same(await totals(database, to), { [rule.ruleId]: ['30000', 6] })
    t.same([await visitsOf(from), await visitsOf(to)], [0, 1])
    t.match(await ledger.calculations.find(calculationId), { summary: { memberId: to } })
    t.ok((await ledger.sales.find(calculationId))!.sale.claimedAt! > 0)
    for (const id of [from, to]) {
      const { records } = await ledger.audit.list({ kind: 'member', id }, { after: null, limit: 5 })
      t.ok(records.some(({ call, after }) => call === 'MemberService/MoveSale' && after?.includes(calculationId)))
    }
    const back = done(await giveBack(ledger, { calculationId }, [[0, 1_000]]))
    t.match(back.takenBack, [{ currencyId, amount: 2 }])
    t.match(await value.sums(to, currencyId), { available: 4 }, 'a later return is of the other')
  })

  await t.test('only what is kept earns for the other, and the one loses the rest', async (t) => {
    const { from, to } = await both(2)
    const { calculationId } = await sellLines(ledger, from, { lines, rules: [rule] })
    const stale = await planOf(ledger, calculationId, earning(3))
    done(await giveBack(ledger, { calculationId }, [[0, 2_000]]))
    t.same(await move(ledger, to, { calculationId, counted: stale }), { kind: 'changed' })
    const reply = await move(ledger, to, { calculationId, earning: earning(1) })
    t.match(reply, { takenBack: [{ amount: 2 }], given: [{ amount: 2 }] })
    t.same(await totals(database, to), { [rule.ruleId]: ['10000', 2] })
    t.match(await value.sums(from, currencyId), { available: 0 })
  })

  await t.test('what it spent comes back, once', async (t) => {
    const { from, to } = await both(0)
    await value.adjust(from, currencyId, 10)
    const spending = textOfSpending([aSpent(currencyId, 4)])
    const record = aRecord(ledger, { memberId: from, spending })
    const { calculationId } = record
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record), eventBody)
    const spent = [{ currencyId, per: 'times', amount: 4, times: 1, lines: [[0, 1]] }] as const
    await ledger.returns.storeLadder(calculationId, aLadder(lines, [], spent))
    const reply = await move(ledger, to, { calculationId, earning: null })
    t.match(reply, { givenBack: [{ currencyId, amount: 4 }], takenBack: [], given: [] })
    t.match(await value.sums(from, currencyId), { available: 10 })
    t.match(done(await giveBack(ledger, { calculationId }, [[0, 3_000]])).givenBack, [])
    t.match(await value.sums(to, currencyId), { available: 0 })
  })

  await t.test('a sale moves once to each member', async (t) => {
    const { from, to } = await both(6)
    const { calculationId } = await sellLines(ledger, from, { lines, rules: [rule] })
    const moved = (memberId: string) => move(ledger, memberId, { calculationId, earning: earning(3) })
    t.same(await moved(from), { kind: 'already_moved' }, 'it is there')
    const replies = await Promise.all([moved(to), moved(to), moved(to)])
    t.same(replies.map(({ kind }) => kind).sort(), ['already_moved', 'already_moved', 'done'])
    t.match(await moved(from), { kind: 'done' }, 'back')
    t.same(await moved(to), { kind: 'already_moved' })
    t.match(await value.sums(from, currencyId), { available: 6 })
    t.match(await value.sums(to, currencyId), { available: 0 })
  })

  await t.test('a sale without a member, or that was not charged, and a blocked member are refused', async (t) => {
    const [to, blocked] = [await value.enrol(), await value.enrol()]
    await ledger.members.block(aValueCommand(), blocked, true)
    const { calculationId } = await sellLines(ledger, null, { lines, rules: [] })
    t.same(await move(ledger, to, { calculationId, earning: null }), { kind: 'no_member' })
    t.same(await move(ledger, 'unknown', { calculationId, earning: null }), { kind: 'unknown_member' })
    t.same(await move(ledger, blocked, { calculationId, earning: null }), { kind: 'blocked_member' })
    t.same(await move(ledger, to, { calculationId: randomUUID(), counted: 'unknown' }), { kind: 'unknown_sale' })
    const own = await sellLines(ledger, blocked, { lines, rules: [] })
    t.same(await move(ledger, to, { ...own, counted: 'unknown' }), { kind: 'body_gone' })
  })
}

interface Move {
  readonly calculationId: string
  readonly earning?: string | null
  /** Default: as it is now. */
  readonly counted?: ClaimCount | 'unknown'
  readonly requestId?: string
  readonly isDryRun?: boolean
}

async function move(ledger: Ledger, memberId: string, asked: Move): Promise<SaleClaimReply> {
  const { calculationId, earning = null, requestId = randomUUID(), isDryRun = false } = asked
  const counted = asked.counted ?? (await planOf(ledger, calculationId, earning))
  const command = { ...aValueCommand(), requestId, call: 'MemberService/MoveSale' }
  return await ledger.sales.claim(command, { member: { memberId }, calculationId, counted, isMove: true, isDryRun })
}

async function planOf(ledger: Ledger, calculationId: string, earning: string | null): Promise<ClaimCount> {
  const state = await ledger.returns.find(calculationId)
  if (state.kind !== 'laddered') throw new Error(`${calculationId} has no ladder`)
  const { basis, seen } = state
  const returned = returnedWith(basis, [])
  const left = basis.ladder.lines.map(({ quantity }, at) => [at, quantity - returned[at]!] as const)
  const plan = planReturn(
    basis,
    left.filter(([, quantity]) => quantity > 0),
    nothing,
  )
  return { earning, ladder: basis.ladder, returns: basis.returns.length, back: { seen, plan } }
}
