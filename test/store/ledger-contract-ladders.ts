import type { Test } from 'tap'
import { sql } from '../../store/postgres/connection/sql.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from './ledger-builders.js'
import { aLadder, sellLines } from './return-builders.js'

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
