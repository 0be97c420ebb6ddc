import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { ClaimCount, SaleClaimReply } from '../../store/ledger/sales.js'
import type { Ledger } from '../support/open-ledger.js'
import { anEarning, type RuleCount, totals } from './earning-builders.js'
import { aRecord, aSale, eventBody, type Subject } from './ledger-builders.js'
import { aMergeTable } from './ledger-contract-merging.js'
import { aClaim, aLadder, giveBack } from './return-builders.js'
import { aValueCommand } from './value-builders.js'

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
    t.same(await claim('nobody', id, what), { kind: 'unknown_member' })
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
