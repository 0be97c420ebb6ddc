import { randomUUID } from 'node:crypto'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { createSameThreadEngine } from '../../engine/thread/same-thread.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { Dice } from '../../test/support/dice.js'
import { aRecord } from '../../test/support/ledger-builders.js'
import { createCatalogue } from '../load/catalogue.js'
import { drawBasket } from '../load/draw-baskets.js'
import { seedOf } from '../load/plan-load.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, plainBaskets } from './bench-case.js'
import { openLedger } from './ledger-records.js'

const rows = 20_000
const lines = 20
const basketsDrawn = 200
const batchRows = 100
const contractRate = 50
const longMs = 60_000

type StoredColumns = Partial<CalculationRecord>

/**
 * Disk space of a million calculations, each with a sale and every second one with a limit (live rows), and of a day at
 * the contract's rate.
 */
export const ledgerSizeCase: BenchCase = { name: 'postgres/size', run: sizeCase }

async function* sizeCase(bench: Bench): AsyncGenerator<Result> {
  const { ledger, url } = await openLedger(bench)
  const priced = await priceBaskets(bench)
  for (let stored = 0; stored < rows; stored += batchRows) {
    await ledger.calculations.store(
      Array.from({ length: batchRows }, (_, at) => recordOf(priced[(stored + at) % priced.length]!, ledger.clock())),
    )
  }
  await ledger.close()
  const database = createPostgresSql(url, 1)
  await database.transaction(async (transaction) => {
    await transaction.runScript(sellAndHold)
  })
  // Removes the row versions from before each sale, as autovacuum does in time.
  await database.run({ text: 'vacuum full', values: [] }, { effect: 'writes', withinMs: longMs })
  const sizes = await database.run<TableSize>(tableSizes, { effect: 'reads', withinMs: longMs })
  await database.close()
  yield sizeResult(sizes)
}

async function priceBaskets(bench: Bench): Promise<readonly StoredColumns[]> {
  const catalogue = createCatalogue({ kind: 'sample' })
  const read = readProgramme(catalogue.document())
  if (read.kind === 'faulty') throw new Error('the sample programme is faulty')
  const { benefitsJson, members } = read.programme
  const engine = createSameThreadEngine({ linesMax: 1_000, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 2_000 })
  await engine.loadProgramme(1, benefitsJson)
  const dice = new Dice(seedOf(bench.settings.seed, 'postgres/size'))
  const memberOf = new Map(members.flatMap((member) => member.loyaltyIds.map((id) => [id, member] as const)))
  const priced: StoredColumns[] = []
  for (let at = 0; at < basketsDrawn; at += 1) {
    const { basket, venue } = drawBasket(dice, catalogue, plainBaskets([lines]))
    const calculationId = randomUUID()
    const reading = await engine.readBasket(Buffer.from(JSON.stringify({ ...basket, calculationId })), calculationId)
    if (reading.kind === 'refused') throw new Error(reading.refusal.message)
    const { memberId = null, tier = null, segments = [] } = memberOf.get(reading.facts.loyaltyId ?? '') ?? {}
    const member = memberId === null ? null : { memberId, tier, segments }
    const { venueId, currency, timeZone } = venue
    const facts = { programmeVersion: 1, member, venue: { venueId, currency, timeZone, products: [] }, available: {} }
    const { packed, explanation, status, reason } = await engine.priceBasket(reading.ticket, facts)
    engine.forget(reading.ticket)
    const { digest, loyaltyId } = reading.facts
    priced.push({ packed, explanation, status, reason, digest, loyaltyId, inputs: JSON.stringify(facts) })
  }
  return priced
}

function recordOf(priced: StoredColumns, answeredAt: number): CalculationRecord {
  const names = { venueId: 'venue-tallinn-quay', baxId: '100100', memberId: 'member-1234567', currency: 'EUR' }
  return aRecord({ clock: () => answeredAt }, { ...priced, ...names })
}

/**
 * A sale of about 500 bytes per calculation, a used reservation for every second one, as their functions write them.
 */
const sellAndHold = `
  insert into limit_counter (limit_id, subject, period, maximum)
  select 'limit', number, '2026-11', 100 from generate_series(0, 9999) number;
  insert into reservation (calculation_id, counter_id, units, held_until)
  select calculation_id, 1 + row_number() over () % 10000, 1, expires_at from calculation order by calculation_id
  limit (select count(*) / 2 from calculation);
  update reservation set state = 'used', held_until = null;
  insert into sale (
    calculation_id, receipt_number, paid_total, loyalty_discount_total, recorded_at, status, result, loyalty_id_sent, currency,
    channel, occurred_at, transaction_id, loyalty_id, venue_id, bax_id, cash_register_id, discrepancies, digest, body
  )
  select calculation_id, 1234567, net_after, loyalty_discount_total, answered_at, 'applied', 'recorded', true, currency,
    channel, requested_at, 'transaction-1234567', loyalty_id, venue_id, bax_id, cash_register_id, '{}',
    sha256(calculation_id::text::bytea), convert_to(repeat('x', 500), 'UTF8')
  from calculation;
  update calculation set state = 'finalised'`

const tableSizes = sql`
  select t.name, sum(pg_table_size(t.oid))::bigint as heap, sum(pg_indexes_size(t.oid))::bigint as indexes,
    sum(greatest(t.rows, 0))::bigint as rows
  from (
    select c.oid, c.reltuples as rows, coalesce(p.relname, c.relname)::text as name
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
  ) t
  where t.name in ('calculation', 'calculation_body', 'reservation', 'sale')
  group by t.name order by t.name`

interface TableSize {
  readonly name: string
  readonly heap: number
  readonly indexes: number
}

function sizeResult(sizes: readonly TableSize[]): Result {
  const bytesPerRow = (one: TableSize) => (Number(one.heap) + Number(one.indexes)) / rows
  const total = sizes.reduce((sum, one) => sum + bytesPerRow(one), 0)
  return {
    name: ledgerSizeCase.name,
    unit: 'MB',
    spread: { p50: total, p95: total, p99: total, p999: null, max: total, count: 1 },
    figures: [
      ...sizes.map((one) => figure(`${one.name} per million`, bytesPerRow(one) / 1_000, 'GB')),
      figure(`a day at ${contractRate}/s`, (total * contractRate * 86_400) / 1e9, 'GB'),
    ],
    targets: [],
    note: `a million of ${lines} lines, each with a sale, every second one with a reservation: heap and indexes, by ${rows}`,
  }
}
