import type { Test } from 'tap'
import type { Spent } from '../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../engine/index.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import {
  aLadder,
  type CostCount,
  done,
  giveBack,
  type LadderRuleCount,
  publishRules,
  quoteBack,
  type SoldLine,
  sellLines,
} from './return-builders.js'
import { anEarning, aSpender, aSpent, aValueTable } from './value-builders.js'

const day = 86_400_000

/** Value that a sale has used comes back with its returns (4-member-value, sections 5 and 9). */
export async function givenBackPromises(t: Test, subject: Subject): Promise<void> {
  await partPromises(t, aSpendingTable(subject))
}

/** Sales that have used value, and their returns. */
function aSpendingTable({ ledger, hasty }: Subject) {
  const value = aValueTable(ledger)

  /** A sale of these lines that spends; the member has the value for it, and by default 1,000 more. */
  async function aSpendingSale(
    lines: readonly SoldLine[],
    spent: readonly Partial<CostCount>[],
    { more = 1_000, event = {} }: { readonly more?: number; readonly event?: Partial<SaleEvent> } = {},
  ) {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    const all = spent.map((each) => ({ currencyId, per: 'unit', amount: 1, times: 1, lines: [], ...each }) as CostCount)
    const costs = all.map((each, at) => aSpent(currencyId, each.amount, spentOf(each, at)))
    const sum = all.reduce((total, { amount, times }) => total + amount * times, 0)
    await value.adjust(memberId, currencyId, sum + more)
    const record = aRecord(ledger, { memberId, spending: textOfSpending(costs) })
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record, event), eventBody)
    await ledger.returns.storeLadder(record.calculationId, aLadder(lines, [], all))
    return { memberId, currencyId, record }
  }

  async function backOf(
    { record }: Awaited<ReturnType<typeof aSpendingSale>>,
    returns: readonly (readonly (readonly [number, number])[])[],
  ) {
    const amounts: number[] = []
    for (const lines of returns) {
      const { givenBack } = done(await giveBack(ledger, record, lines))
      amounts.push(givenBack.reduce((sum, { amount }) => sum + amount, 0))
    }
    return amounts
  }

  return { ledger, hasty, value, aSpendingSale, backOf }
}

type SpendingTable = ReturnType<typeof aSpendingTable>

/** Into which lots it comes back. */
async function partPromises(t: Test, { ledger, hasty, value, aSpendingSale, backOf }: SpendingTable): Promise<void> {
  await t.test('what was held last comes back first, with its old expiry or 30 days', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    const now = Math.floor(ledger.clock())
    await value.adjust(memberId, currencyId, 2, { expiresAt: now + 10 * day })
    await value.adjust(memberId, currencyId, 2, { expiresAt: now + 90 * day })
    await value.adjust(memberId, currencyId, 2)
    const record = aSpender(ledger, { memberId, currencyId, amount: 5 })
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record), eventBody)
    const spent = [{ currencyId, per: 'unit', amount: 1, times: 5, lines: [[0, 5]] }] as const
    await ledger.returns.storeLadder(record.calculationId, aLadder([[5_000, 100]], [], spent))
    const lots = () => value.lots(memberId, currencyId)
    t.same(await lots(), [[1, null]])
    done(await giveBack(ledger, record, [[0, 2_000]]))
    t.same(await lots(), [
      [1, now + 90 * day],
      [2, null],
    ])
    done(await giveBack(ledger, record, [[0, 1_000]]))
    t.same(await lots(), [
      [2, now + 90 * day],
      [2, null],
    ])
    done(await giveBack(ledger, record, [[0, 2_000]]))
    const [[amount, expiresAt]] = (await lots()) as [[number, number]]
    t.equal(amount, 2)
    const late = expiresAt - (now + 30 * day)
    t.ok(late >= 0 && late < day / 24, `30 days, and ${late} ms`)
  })

  await t.test('what a late event took as debt comes back, pays debt first, and lasts 30 days', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 5)
    const record = aSpender(hasty, { memberId, currencyId, amount: 5 })
    await hasty.calculations.confirm(record, plenty)
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await value.adjust(memberId, currencyId, -3)
    await ledger.sales.record(aSale(record), eventBody)
    t.match(await value.sums(memberId, currencyId), { available: 0, debt: 3 })
    await value.adjust(memberId, currencyId, 1)
    const spent = [{ currencyId, per: 'unit', amount: 1, times: 5, lines: [[0, 5]] }] as const
    await ledger.returns.storeLadder(record.calculationId, aLadder([[5_000, 100]], [], spent))
    const row = (amount: number, debt: number) => ({ givenBack: [{ currencyId, amount, debt, forgiven: 0 }] })
    t.match(await giveBack(ledger, record, [[0, 1_000]]), row(1, 1))
    t.match(await giveBack(ledger, record, [[0, 3_000]]), row(3, 1))
    t.match(await value.sums(memberId, currencyId), { available: 2, debt: 0 })
    t.match(await giveBack(ledger, record, [[0, 1_000]]), row(1, 0))
    const lots = await value.lots(memberId, currencyId)
    t.same(
      lots.map(([amount, expiresAt]) => [amount, expiresAt === null]),
      [
        [1, false],
        [2, true],
      ],
    )
  })

  await t.test('what was not used does not come back', async (t) => {
    const event = { status: 'failed', paidTotal: 1_000 } as const
    const sale = await aSpendingSale([[1_000, 100]], [{ amount: 4, lines: [[0, 1]] }], { event })
    t.same(await backOf(sale, [[[0, 1_000]]]), [0])
    t.match(await value.sums(sale.memberId, sale.currencyId), { available: 1_004 })
  })

  await t.test('what was used for discounts that a basket carried as sent comes back with its own sale', async (t) => {
    const [memberId, currencyId] = [await value.enrol(), await value.currency()]
    await value.adjust(memberId, currencyId, 9)
    const first = aSpender(ledger, { memberId, currencyId, amount: 4 })
    await ledger.calculations.confirm(first, plenty)
    const { calculationId: supersedesCalculationId } = first
    const second = aRecord(ledger, { memberId, supersedesCalculationId, carried: 300 })
    await ledger.calculations.store([second])
    await ledger.sales.record(aSale(second, { status: 'failed', paidTotal: second.netBefore }), eventBody)
    t.match(await value.sums(memberId, currencyId), { available: 5 })
    t.match(await ledger.returns.find(second.calculationId), { sale: { asReturned: false, spending: first.spending } })
    const spent = [{ currencyId, per: 'unit', amount: 4, times: 1, lines: [[0, 1]] }] as const
    for (const { calculationId } of [first, second])
      await ledger.returns.storeLadder(calculationId, aLadder([[1_000, 100]], [], spent))
    t.match(await giveBack(ledger, first, [[0, 1_000]]), { givenBack: [] }, 'not with the one that held it')
    t.match(await giveBack(ledger, second, [[0, 1_000]]), { givenBack: [{ currencyId, amount: 4 }] })
    t.match(await value.sums(memberId, currencyId), { available: 9 })
  })

  await t.test("an amount beyond an account's bound is refused, and nothing is written", async (t) => {
    const sale = await aSpendingSale([[1_000, 100]], [{ amount: 4, lines: [[0, 1]] }])
    await value.adjust(sale.memberId, sale.currencyId, Number.MAX_SAFE_INTEGER - 1_003)
    t.same(await giveBack(ledger, sale.record, [[0, 1_000]]), { kind: 'out_of_range' })
    t.same(await quoteBack(ledger, sale.record, [[0, 1_000]]), { kind: 'out_of_range' })
    await value.adjust(sale.memberId, sale.currencyId, -1)
    t.match(await giveBack(ledger, sale.record, [[0, 1_000]]), { kind: 'done', givenBack: [{ amount: 4 }] })
  })

  await t.test('what comes back can be taken back, in the same movement', async (t) => {
    const { currencyId, named } = await publishRules(ledger, { stamps: { give: 1, per: { kind: 'units', every: 1 } } })
    const memberId = await value.enrol()
    await value.adjust(memberId, currencyId, 2)
    const rule: LadderRuleCount = { ...named('stamps'), lines: [0] }
    const { lines: _, ...counted } = rule
    const lines = [[3_000, 100]] as const
    const record = aSpender(
      ledger,
      { memberId, currencyId, amount: 2 },
      { earning: anEarning([{ ...counted, sent: 3 }]) },
    )
    await ledger.calculations.confirm(record, plenty)
    await ledger.sales.record(aSale(record), eventBody)
    const spent = [{ currencyId, per: 'basket', amount: 2, times: 1, lines: [[0, 3]] }] as const
    await ledger.returns.storeLadder(record.calculationId, aLadder(lines, [rule], spent))
    await value.adjust(memberId, currencyId, -2)
    const row = (amount: number, forgiven = 0) => [{ currencyId, amount, debt: 0, forgiven }]
    const made = done(await giveBack(ledger, record, [[0, 3_000]]))
    t.match(made, { givenBack: row(2), takenBack: row(3) })
    t.match(await value.sums(memberId, currencyId), { available: 0, debt: 0 })
    t.same((await value.movements(memberId)).slice(0, 2).toSorted(), ['returned -3', 'returned 2'])
  })
}

function spentOf({ per, amount, times }: CostCount, at: number): Partial<Spent> {
  return { per, amount, times, benefitId: `benefit-${at}` }
}

/** Ladders and baskets that are stored for returns. */
export async function sweepPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('old sales without a ladder are swept, by one gateway at a time', async (t) => {
    const sold = async (event: Parameters<typeof aSale>[1] = {}) => {
      const record = aRecord(ledger)
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record, event), eventBody)
      return record.calculationId
    }
    const [first, cancelled, laddered, last, young] = [
      ...[await sold(), await sold({ status: 'cancelled' }), await sold(), await sold(), await sold()],
    ]
    await ledger.returns.storeLadder(laddered!, aLadder([[1_000, 5]], []))
    for (const [at, id] of [first, cancelled, laddered, last].entries()) {
      await database.run(
        sql`update sale set recorded_at = clock_timestamp() - interval '3 hours' + ${at}::integer * interval '1 minute'
          where calculation_id = ${id!}::uuid`,
        { effect: 'writes', withinMs: plenty },
      )
    }
    const one = await ledger.returns.sweep(2)
    t.match(one, { calculationIds: [first], last: { calculationId: cancelled } })
    t.same(await ledger.returns.sweep(2), { calculationIds: [], last: null }, 'it is leased')
    await ledger.returns.passed(one.last!)
    const two = await ledger.returns.sweep(9)
    t.match(two, { calculationIds: [last], last: { calculationId: last } })
    await ledger.returns.passed(two.last!)
    t.same(await ledger.returns.sweep(9), { calculationIds: [], last: null }, `${young} is too young`)
  })

  await t.test('the basket of a sale that is priced anew stays when its body is dropped', async (t) => {
    const record = aRecord(ledger)
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, 100]], []), '{"programmeVersion":7}')
    for (const gone of [
      sql`delete from calculation_body where calculation_id = ${record.calculationId}::uuid`,
      sql`delete from sale where calculation_id = ${record.calculationId}::uuid`,
      sql`delete from calculation where calculation_id = ${record.calculationId}::uuid`,
    ])
      await database.run(gone, { effect: 'writes', withinMs: plenty })
    const kept = { packed: Buffer.from(record.packed), facts: '{"programmeVersion":7}' }
    t.match(await ledger.returns.findBasket(record.calculationId), kept)
    t.equal(
      await ledger.returns.findBasket(
        (await sellLines(ledger, null, { lines: [[1_000, 5]], rules: [] })).calculationId,
      ),
      null,
    )
  })
}
