import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { planReturn, returnedWith } from '../../engine/value/returns.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import type { ClaimCount, SaleClaimReply } from '../../store/ledger/sales.js'
import type { Ledger } from '../support/open-ledger.js'
import { anEarning, totals } from './earning-builders.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from './ledger-builders.js'
import { aLadder, done, giveBack, publishRules, sellLines } from './return-builders.js'
import { aSpent } from './spending-builders.js'
import { aValueCommand, aValueTable } from './value-builders.js'

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
    t.same(await move(ledger, 'nobody', { calculationId, earning: null }), { kind: 'unknown_member' })
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
