import type { Test } from 'tap'
import { counterKey } from '../../engine/core/base/outcome.js'
import {
  aCancellation,
  aRecord,
  aSale,
  aWant,
  eventBody,
  expireNow,
  isDue,
  pass,
  plenty,
  readDiscrepancies,
  readState,
  type Subject,
} from '../support/ledger-builders.js'
import { until } from '../support/until.js'

/** A little more than the hasty ledger's expiry, in milliseconds. */
const overMs = 1_050
/** Longest pause of a busy machine between two calls, in milliseconds. */
const slackMs = 4_000

/** Calculations that are neither sold nor superseded in time. */
export async function expiryPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, hasty, database } = subject

  await t.test('expired units are free for the next basket without a sweep', async (t) => {
    const [first, second] = [aWant({ maximum: 1 }), aWant({ maximum: 2 })]
    const early = aRecord(ledger, { holds: [first, second] })
    await ledger.calculations.confirm(early, plenty)
    const next = aRecord(ledger, { holds: [{ ...second, units: 2 }, first] })
    t.same(await ledger.calculations.confirm(next, plenty), {
      kind: 'short',
      left: { [counterKey(first)]: 0, [counterKey(second)]: 1 },
    })
    await expireNow(database, early)
    t.match(await ledger.counters.lookUp([first, second]), [{ open: 0 }, { open: 0 }])
    t.same(await ledger.calculations.confirm(next, plenty), { kind: 'confirmed' })
    t.match(await ledger.counters.lookUp([first, second]), [{ open: 1 }, { open: 2 }])
  })

  await t.test('held units are free again after the expiry', async (t) => {
    const record = aRecord(hasty, { holds: [aWant()] })
    t.same(await hasty.calculations.confirm(record, plenty), { kind: 'confirmed' })
    const counters = await until(
      () => hasty.counters.lookUp(record.holds),
      ([counter]) => counter?.open === 0,
    )
    t.match(counters, [{ open: 0 }])
  })

  await t.test('the sweep marks expired calculations, a few at a time, and releases their units', async (t) => {
    const holds = [aWant()]
    const lasting = aRecord(ledger, { holds })
    await ledger.calculations.confirm(lasting, plenty)
    const records = Array.from({ length: 3 }, () => aRecord(hasty, { holds }))
    for (const record of records) await hasty.calculations.confirm(record, plenty)
    await expireNow(database, ...records)
    t.ok(await isDue(hasty, 'calculations'))
    t.equal(await hasty.calculations.expire(2), 2)
    while ((await hasty.calculations.expire(100)) > 0);
    t.notOk(await isDue(hasty, 'calculations'))
    for (const { calculationId } of records) t.equal(await readState(database, calculationId), 'expired')
    t.equal(await readState(database, lasting.calculationId), 'open')
    t.match(await ledger.counters.lookUp(holds), [{ open: 1 }])
  })

  await t.test('a late applied sale counts its use, past the limit if necessary', async (t) => {
    const holds = [aWant({ maximum: 1 })]
    const [early, late] = [aRecord(hasty, { holds }), aRecord(ledger, { holds })]
    await hasty.calculations.confirm(early, plenty)
    await expireNow(database, early)
    t.same(await ledger.calculations.confirm(late, plenty), { kind: 'confirmed' })
    t.match(await hasty.sales.record(aSale(early), eventBody), {
      kind: 'recorded',
      discrepancies: ['late_event', 'limit_exceeded'],
    })
    t.equal(await readState(database, early.calculationId), 'expired')
    t.match(await ledger.counters.lookUp(holds), [{ used: 1, open: 1 }])
    await ledger.sales.record(aCancellation(late), eventBody)
    const next = aRecord(ledger, { holds })
    t.same(await ledger.calculations.confirm(next, plenty), { kind: 'short', left: { [counterKey(holds[0]!)]: 0 } })
  })

  await latePromises(t, subject)
}

/** Late events, and some that only look late. */
async function latePromises(t: Test, { ledger, hasty, database }: Subject): Promise<void> {
  await t.test('a late sale within the limit does not exceed it', async (t) => {
    for (const swept of [false, true]) {
      const record = aRecord(hasty, { holds: [aWant({ maximum: 1 })] })
      await hasty.calculations.confirm(record, plenty)
      await expireNow(database, record)
      if (swept) while ((await hasty.calculations.expire(100)) > 0);
      t.match(await hasty.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: ['late_event'] })
      t.equal(await readState(database, record.calculationId), 'expired')
      t.match(await hasty.counters.lookUp(record.holds), [{ used: 1, open: 0 }])
    }
  })

  await t.test('a late cancellation uses nothing', async (t) => {
    const record = aRecord(hasty, { holds: [aWant()] })
    await hasty.calculations.confirm(record, plenty)
    await expireNow(database, record)
    const reply = await hasty.sales.record(aCancellation(record), eventBody)
    t.match(reply, { kind: 'recorded', discrepancies: ['late_event'] })
    t.match(await hasty.counters.lookUp(record.holds), [{ used: 0, open: 0 }])
  })

  await t.test('an expired calculation is not superseded', async (t) => {
    const record = aRecord(hasty, { holds: [aWant({ maximum: 1 })] })
    await hasty.calculations.confirm(record, plenty)
    await expireNow(database, record)
    const next = aRecord(hasty, { supersedesCalculationId: record.calculationId, holds: record.holds })
    t.same(await hasty.calculations.confirm(next, plenty), { kind: 'confirmed' })
    t.not(await readState(database, record.calculationId), 'superseded')
    t.match(await hasty.counters.lookUp(record.holds), [{ open: 1 }])
  })

  await t.test('the expiry of a journalled calculation counts from its answer', async (t) => {
    const record = aRecord(hasty, { answeredAt: hasty.clock() - 5_000 })
    await hasty.calculations.store([record])
    t.match(await hasty.sales.record(aSale(record), eventBody), { kind: 'recorded', discrepancies: ['late_event'] })
  })

  await t.test('a timely sale is not late because its calculation was stored later', async (t) => {
    // Answered in the future, so that a busy machine does not make the sale late.
    const record = aRecord(hasty, { answeredAt: hasty.clock() + slackMs })
    await hasty.sales.record(aSale(record), eventBody)
    await pass(hasty, slackMs + overMs)
    await hasty.calculations.store([record])
    t.equal(await readState(database, record.calculationId), 'finalised')
    t.same(await readDiscrepancies(database, record.calculationId), [])
  })

  await t.test('a repeated sale is a duplicate even after the idempotency window', async (t) => {
    const record = aRecord(hasty)
    await hasty.calculations.store([record])
    await hasty.sales.record(aSale(record), eventBody)
    t.match(await ledger.sales.record(aSale(record), eventBody), { kind: 'stored' })
    await pass(hasty, overMs)
    t.same(await hasty.sales.record(aSale(record, { status: 'failed' }), eventBody), { kind: 'duplicate' })
  })
}
