import { randomUUID } from 'node:crypto'
import type { Programme } from '../engine/programme/read-programme.js'
import { createSameThreadEngine } from '../engine/thread/same-thread.js'
import type { CalculationRecord } from '../store/index.js'
import { createPostgresLedger } from '../store/postgres/create-postgres-ledger.js'
import { createPostgresSql } from '../store/postgres/postgres-sql.js'
import { sql } from '../store/postgres/sql.js'
import { startPostgres } from '../test/servers/start-postgres.js'
import { createBaskets } from './load/baskets.js'

/** Different baskets priced; the rows repeat them under GUIDs of their own. */
const basketsDrawn = 200
const batchRows = 100
/** Calls a second of the contract, and the seconds of a day. */
const contractRate = 50
const daySeconds = 86_400
const longMs = 60_000

/** What is kept of a basket of so many lines, as the service would keep it. */
type Kept = Pick<CalculationRecord, 'packed' | 'inputs' | 'explanation' | 'digest' | 'status' | 'reason' | 'loyaltyId'>

/**
 * Fills a Postgres of its own with `rows` calculations and as many sales, then prints what a million of them takes on disk (live rows), and a day
 * at the contract's rate. Every second calculation holds one limit.
 */
export async function measureLedgerSize(programme: Programme, rows: number, lines: number): Promise<void> {
  const server = await startPostgres()
  try {
    const url = await server.createDatabase()
    const ledger = await createPostgresLedger({ url, expiryS: 1_800, idempotencyS: 86_400 })
    const kept = await priceBaskets(programme, lines)
    for (let stored = 0; stored < rows; stored += batchRows) {
      await ledger.keepCalculations(
        Array.from({ length: batchRows }, (_, at) => recordOf(kept[(stored + at) % kept.length]!, ledger.clock())),
      )
    }
    await ledger.close()
    const database = createPostgresSql(url, 1)
    await database.transaction(async (transaction) => {
      await transaction.runScript(sellAndHold)
    })
    // What autovacuum gives back in time: the version of each row before its sale.
    await database.run({ text: 'vacuum full', values: [] }, { effect: 'writes', withinMs: longMs })
    const sizes = await database.run<{ name: string; heap: number; indexes: number; rows: number }>(tableSizes, {
      effect: 'reads',
      withinMs: longMs,
    })
    await database.close()
    print(sizes, rows, lines)
  } finally {
    await server.stop()
  }
}

async function priceBaskets(programme: Programme, lines: number): Promise<readonly Kept[]> {
  const engine = createSameThreadEngine({ linesMax: 1_000, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 2_000 })
  await engine.loadProgramme(1, programme.benefitsJson)
  const draw = createBaskets(programme)
  const memberOf = new Map(programme.members.flatMap((member) => member.loyaltyIds.map((id) => [id, member] as const)))
  const kept: Kept[] = []
  for (let at = 0; at < basketsDrawn; at += 1) {
    const { calculationId, body, venue } = draw({ dueMs: 0, lines, draw: at, counted: true })
    const read = await engine.readBasket(Buffer.from(body), calculationId)
    if (read.kind === 'refused') throw new Error(read.refusal.message)
    const { memberId = null, tier = null, segments = [] } = memberOf.get(read.facts.loyaltyId ?? '') ?? {}
    const member = memberId === null ? null : { memberId, tier, segments }
    const { venueId, currency, timeZone } = venue
    const facts = { programmeVersion: 1, member, venue: { venueId, currency, timeZone, products: [] }, available: {} }
    const { packed, explanation, status, reason } = await engine.priceBasket(read.ticket, facts)
    engine.forget(read.ticket)
    const { digest, loyaltyId } = read.facts
    kept.push({ packed, explanation, status, reason, digest, loyaltyId, inputs: JSON.stringify(facts) })
  }
  return kept
}

function recordOf(kept: Kept, answeredAt: number): CalculationRecord {
  return {
    ...kept,
    calculationId: randomUUID(),
    supersedesCalculationId: null,
    venueId: 'venue-tallinn-quay',
    baxId: '100100',
    cashRegisterId: 'register-1',
    channel: 'pos',
    memberId: 'member-1234567',
    currency: 'EUR',
    requestedAt: '2026-11-21T10:00:00+02:00',
    programmeVersion: 1,
    netBefore: 12_345,
    netAfter: 11_111,
    loyaltyDiscountTotal: 1_234,
    optimal: true,
    holds: [],
    answeredAt,
  }
}

/** A sale of about 500 bytes for every calculation, a used reservation for every second one, as their functions leave them. */
const sellAndHold = `
  insert into limit_counter (limit_id, subject, period, maximum)
  select 'limit', number, '2026-11', 100 from generate_series(0, 9999) number;
  insert into reservation (calculation_id, counter_id, units, held_until)
  select calculation_id, 1 + row_number() over () % 10000, 1, expires_at from calculation order by calculation_id
  limit (select count(*) / 2 from calculation);
  update reservation set state = 'used', held_until = null;
  insert into sale
  select calculation_id, 1234567, net_after, loyalty_discount_total, answered_at, null, 'applied', 'recorded', true, currency,
    channel, requested_at, null, 'transaction-1234567', loyalty_id, venue_id, bax_id, cash_register_id, '{}',
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

function print(
  sizes: readonly { readonly name: string; readonly heap: number; readonly indexes: number }[],
  rows: number,
  lines: number,
): void {
  const perMillion = (bytes: number) => `${((bytes / rows) * 1e6 * 1e-9).toFixed(2)} GB`
  const perDay = (bytes: number) => `${((bytes / rows) * contractRate * daySeconds * 1e-9).toFixed(1)} GB`
  console.log(`${rows} calculations of ${lines} lines, each with a sale, every second one with a reservation`)
  for (const { name, heap, indexes } of sizes) {
    console.log(
      `  ${name.padEnd(17)} per million: ${perMillion(heap)} and indexes ${perMillion(indexes)}; ` +
        `a day at ${contractRate}/s: ${perDay(heap + indexes)}`,
    )
  }
}
