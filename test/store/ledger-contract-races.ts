import type { Test } from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { sqlState } from '../../store/postgres/connection/faults.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import type { Sql, Statement } from '../../store/postgres/connection/sql.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import {
  aCancellation,
  aRecord,
  aSale,
  aWant,
  eventBody,
  plenty,
  readDiscrepancies,
  readState,
  type Subject,
} from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'

const rounds = 25
/** Postgres's `deadlock_timeout`. */
const deadlockMs = 1_000

/** Concurrent calls. */
export async function racePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject

  await t.test('of 1,000 baskets at once for the last 10 units exactly 10 get one', async (t) => {
    const want = aWant({ maximum: 10 })
    const replies = await Promise.all(
      Array.from({ length: 1_000 }, () => ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty)),
    )
    t.equal(replies.filter(({ kind }) => kind === 'confirmed').length, 10)
    t.equal(replies.filter(({ kind }) => kind === 'short').length, 990)
    t.match(await ledger.counters.lookUp([want]), [{ used: 0, open: 10 }])
  })

  await t.test('of 16 calls at once with one key one is first, and the others get its answer', async (t) => {
    const record = aRecord(ledger, { holds: [aWant()] })
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, at) =>
        ledger.calculations.confirm({ ...record, packed: Buffer.from([at]) }, plenty),
      ),
    )
    const winner = replies.findIndex(({ kind }) => kind === 'confirmed')
    for (const [at, reply] of replies.entries()) {
      if (at === winner) continue
      if (reply.kind !== 'known' || reply.lookup.kind !== 'stored') throw new Error(reply.kind)
      t.equal(reply.lookup.answer.packed[0], winner)
    }
    t.match(await ledger.counters.lookUp(record.holds), [{ open: 1 }])
  })

  await t.test('of 16 sales at once one is recorded, and the others get its result', async (t) => {
    const known = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(known, plenty)
    for (const record of [known, aRecord(ledger)]) {
      const replies = await Promise.all(
        Array.from({ length: 16 }, (_, at) => ledger.sales.record(aSale(record), Buffer.from([at]))),
      )
      const winner = replies.findIndex(({ kind }) => kind === 'recorded' || kind === 'unknown_calculation')
      t.equal(replies.filter(({ kind }) => kind === 'stored').length, 15)
      t.ok(replies.every((reply) => reply.kind !== 'stored' || reply.body[0] === winner))
    }
    t.match(await ledger.counters.lookUp(known.holds), [{ used: 1, open: 0 }])
  })

  await t.test('counters taken in any order never deadlock', async (t) => {
    const wants = Array.from({ length: 6 }, () => aWant({ maximum: 1_000 }))
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, at) => {
        const turned = [...wants.slice(at % 6), ...wants.slice(0, at % 6)].slice(0, 1 + (at % 5))
        return ledger.calculations.confirm(aRecord(ledger, { holds: at % 2 ? turned : turned.reverse() }), plenty)
      }),
    )
    t.same([...new Set(replies.map(({ kind }) => kind))], ['confirmed'])
  })

  await groupPromises(t, subject)
  await pairPromises(t, subject)
}

/** Sales that arrive together. */
async function groupPromises(t: Test, { ledger, hasty, database }: Subject): Promise<void> {
  const ofCards = (count: number, more: (at: number) => Partial<CalculationRecord> = () => ({})) =>
    Array.from({ length: count }, (_, at) => aRecord(ledger, { loyaltyId: `card-${at}`, ...more(at) }))

  await t.test(
    'sales that arrive together share a transaction, and one that fails leaves the others as they are',
    async (t) => {
      const records = ofCards(20)
      await ledger.calculations.store(records)
      const sent: Statement[] = []
      const run: Sql['run'] = (statement, terms) => {
        sent.push(statement)
        return database.run(statement, terms)
      }
      const options = completeOptions({ expiryS: 1_800, idempotencyS: 86_400, saleMs: plenty })
      const sales = createPosSales({ ...database, run }, options)
      const faulty = 7
      const ends = await Promise.all(
        records.map((record, at) =>
          sales
            .record(aSale(record, at === faulty ? { receiptNumber: 1e30 } : {}), eventBody)
            .then(({ kind }) => kind, sqlState),
        ),
      )
      t.same(
        ends,
        records.map((_, at) => (at === faulty ? '22P02' : 'recorded')),
      )
      t.equal(sent.length, 2, 'all together, then the faulty one by itself')
      for (const [at, { calculationId }] of records.entries()) {
        t.equal(await readState(database, calculationId), at === faulty ? 'open' : 'finalised')
      }
    },
  )

  await t.test('sales of two gateways that lock the same counters crosswise all go on', async (t) => {
    const wants = Array.from({ length: 8 }, () => aWant({ maximum: 1_000 }))
    for (let round = 0; round < 5; round += 1) {
      const records = ofCards(16, (at) => ({ holds: [wants[at < 8 ? at : 15 - at]!] }))
      for (const record of records) await ledger.calculations.confirm(record, plenty)
      const beganMs = performance.now()
      const replies = await Promise.all(
        records.map((record, at) => (at < 8 ? ledger : hasty).sales.record(aSale(record), eventBody)),
      )
      t.same([...new Set(replies.map(({ kind }) => kind))], ['recorded'])
      t.ok(performance.now() - beganMs < deadlockMs, 'without waiting until the server finds a deadlock')
    }
  })
}

/** Two or more different calls at once. */
async function pairPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger, database } = subject

  await t.test('a sale and a superseding basket at once take effect in one order or the other', async (t) => {
    for (let round = 0; round < rounds; round += 1) {
      const holds = [aWant({ maximum: 2 })]
      const old = aRecord(ledger, { holds })
      await ledger.calculations.confirm(old, plenty)
      const fresh = aRecord(ledger, { supersedesCalculationId: old.calculationId, holds })
      const [sale] = await Promise.all([
        ledger.sales.record(aSale(old), eventBody),
        ledger.calculations.confirm(fresh, plenty),
      ])
      if (sale.kind !== 'recorded') throw new Error(sale.kind)
      const superseded = (await readState(database, old.calculationId)) === 'superseded'
      t.equal(sale.discrepancies.includes('superseded'), superseded)
      t.match(await ledger.counters.lookUp(holds), [{ used: 1, open: 1 }])
    }
  })

  await t.test('a sale and its calculation at once always join', async (t) => {
    for (let round = 0; round < rounds; round += 1) {
      const [confirmed, kept] = [aRecord(ledger, { holds: [aWant()] }), aRecord(ledger)]
      await Promise.all([
        ledger.sales.record(aSale(confirmed), eventBody),
        ledger.calculations.confirm(confirmed, plenty),
        ledger.calculations.store([kept]),
        ledger.sales.record(aCancellation(kept), eventBody),
      ])
      t.equal(await readState(database, confirmed.calculationId), 'finalised')
      t.equal(await readState(database, kept.calculationId), 'abandoned')
      t.same(await readDiscrepancies(database, confirmed.calculationId), [])
      t.match(await ledger.counters.lookUp(confirmed.holds), [{ used: 1, open: 0 }])
    }
  })

  await t.test('a calculation and its successor at once always join', async (t) => {
    for (let round = 0; round < rounds; round += 1) {
      const old = aRecord(ledger, { holds: [aWant()] })
      const fresh = aRecord(ledger, { supersedesCalculationId: old.calculationId })
      await Promise.all([
        ledger.calculations.confirm(old, plenty),
        round % 2 ? ledger.calculations.store([fresh]) : ledger.calculations.confirm(fresh, plenty),
      ])
      t.equal(await readState(database, old.calculationId), 'superseded')
      t.match(await ledger.counters.lookUp(old.holds), [{ used: 0, open: 0 }])
    }
  })

  await t.test('batches that supersede each other crosswise never deadlock', async (t) => {
    for (let round = 0; round < 3; round += 1) {
      const [left, right] = [0, 1].map(() => Array.from({ length: 90 }, () => aRecord(ledger))) as [
        CalculationRecord[],
        CalculationRecord[],
      ]
      const crossing = (own: CalculationRecord[], others: CalculationRecord[]) =>
        own.map((record, at) => ({ ...record, supersedesCalculationId: others[at]!.calculationId }))
      await t.resolves(
        Promise.all([
          ledger.calculations.store(crossing(left, right)),
          ledger.calculations.store(crossing(right, left)),
        ]),
      )
    }
  })

  await mixedPromises(t, subject)
}

/** Random concurrent calls. */
async function mixedPromises(t: Test, { ledger, hasty }: Subject): Promise<void> {
  await t.test('a look-up that returns an answer prevents a withdrawal at the same time', async (t) => {
    for (let round = 0; round < rounds; round += 1) {
      const record = aRecord(ledger, { holds: [aWant()] })
      const confirmed = ledger.calculations.confirm(record, plenty)
      if (round % 2) await confirmed
      const [withdrawn, found] = await Promise.all([
        ledger.calculations.withdraw(record.calculationId),
        ledger.calculations.findAnswer(record.calculationId),
        confirmed,
      ])
      if (found.kind === 'stored') t.not(withdrawn, 'withdrawn')
      const after = await ledger.calculations.findAnswer(record.calculationId)
      t.equal(after.kind === 'unknown', withdrawn === 'withdrawn')
    }
  })

  await t.test('concurrent calls of every kind leave no contradiction', async (t) => {
    const wants = Array.from({ length: 3 }, () => aWant({ maximum: 8 }))
    const one = async (at: number) => {
      const book = at % 3 ? hasty : ledger
      const loyaltyId = `card-${at}`
      const first = aRecord(book, { loyaltyId, holds: wants.slice(0, 1 + (at % 3)) })
      await book.calculations.confirm(first, plenty)
      const second = aRecord(book, {
        loyaltyId,
        supersedesCalculationId: first.calculationId,
        holds: wants.slice(at % 3),
      })
      await Promise.all([
        book.calculations.confirm(second, plenty),
        at % 2 ? book.sales.record(aSale(first), eventBody) : book.calculations.withdraw(first.calculationId),
        ledger.calculations.expire(10),
        book.calculations.store(journalOf(ledger, second)),
        at % 5 ? book.sales.record(aCancellation(second), eventBody) : book.counters.lookUp(wants),
      ])
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => one(at)))
    t.ok((await ledger.counters.lookUp(wants)).every(({ open }) => open <= 8))
  })
}

/** Journalled calculations: one that supersedes the record, and one that does not. */
function journalOf(ledger: Ledger, record: CalculationRecord): readonly CalculationRecord[] {
  return [aRecord(ledger, { supersedesCalculationId: record.calculationId }), aRecord(ledger)]
}
