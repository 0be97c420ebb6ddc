import { createHash, randomUUID } from 'node:crypto'
import type { Want } from '../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Due } from '../../store/ledger/gateways.js'
import type { StoredMember } from '../../store/ledger/members.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { PosLedger } from '../../store/ledger.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import type { Ledger } from './open-ledger.js'

/** The ledgers under test, with various options over one database, and the database itself to look into. */
export interface Subject {
  readonly ledger: Ledger
  /** Its calculations expire, and its answers are outlived, after one second. */
  readonly hasty: Ledger
  readonly database: Sql
}

/** A timeout that no test reaches. */
export const plenty = 120_000

let limits = 0

/** One unit of a limit of its own. */
export function aWant(overrides: Partial<Want> = {}): Want {
  limits += 1
  return { limitId: `limit-${process.pid}-${limits}`, subject: '', period: '', units: 1, maximum: 10, ...overrides }
}

/** A calculation that has just been answered. */
export function aRecord(ledger: Pick<Ledger, 'clock'>, overrides: Partial<CalculationRecord> = {}): CalculationRecord {
  return {
    calculationId: randomUUID(),
    supersedesCalculationId: null,
    status: 'applied',
    reason: null,
    venueId: 'venue-1',
    baxId: 'bax-1',
    cashRegisterId: 'register-1',
    channel: 'pos',
    loyaltyId: 'card-1',
    memberId: 'member-1',
    currency: 'EUR',
    requestedAt: '2026-11-21T10:00:00+01:00',
    programmeVersion: 1,
    netBefore: 1_000,
    netAfter: 800,
    loyaltyDiscountTotal: 200,
    optimal: true,
    gap: 0,
    earning: null,
    gave: null,
    entered: null,
    carried: 0,
    spending: null,
    digest: digestOf('request'),
    packed: Buffer.from([0, 255, 1, 128]),
    inputs: '{"programmeVersion":1}',
    explanation: Buffer.from([7, 0, 7]),
    holds: [],
    answeredAt: ledger.clock(),
    ...overrides,
  }
}

/** The sale event that fully agrees with a record, of a transaction of its own. */
export function aSale(record: CalculationRecord, overrides: Partial<SaleEvent> = {}): SaleEvent {
  return {
    calculationId: record.calculationId,
    status: record.status,
    failureReason: null,
    transactionId: `transaction-${record.calculationId}`,
    receiptNumber: 7,
    loyaltyId: record.loyaltyId,
    currency: record.currency,
    paidTotal: record.status === 'applied' ? record.netAfter : record.netBefore,
    loyaltyDiscountTotal: record.status === 'applied' ? record.loyaltyDiscountTotal : 0,
    occurredAt: '2026-11-21T10:01:00+01:00',
    venueId: record.venueId,
    baxId: record.baxId,
    cashRegisterId: record.cashRegisterId,
    terminalId: null,
    clerkNumber: null,
    channel: record.channel,
    digest: digestOf('event'),
    ...overrides,
  }
}

/** The sale event of an abandoned payment. */
export function aCancellation(record: CalculationRecord): SaleEvent {
  return aSale(record, { status: 'cancelled', transactionId: null, paidTotal: null, loyaltyDiscountTotal: null })
}

export function aVenue(overrides: Partial<StoredVenue> = {}): StoredVenue {
  const venueId = `venue-${randomUUID()}`
  return {
    venueId,
    name: 'Quay',
    environment: 'staging',
    currency: 'EUR',
    timeZone: 'Europe/Tallinn',
    baxIds: [`bax-${randomUUID()}`],
    products: [],
    ...overrides,
  }
}

export function aMember(overrides: Partial<StoredMember> = {}): StoredMember {
  const memberId = `member-${randomUUID()}`
  return { memberId, loyaltyIds: [`card-${randomUUID()}`], tier: null, segments: [], blocked: false, ...overrides }
}

export function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}

export const eventBody = Buffer.from('{"any":"\0","bytes":"\xff"}', 'latin1')

/** Resolves when the ledger's clock has advanced by `ms`. */
export async function pass(ledger: Ledger, ms: number): Promise<void> {
  const until = ledger.clock() + ms
  while (ledger.clock() <= until) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** True: the feed names this work as waiting. */
export async function isDue({ changes }: Pick<PosLedger, 'changes'>, work: Due): Promise<boolean> {
  return (await changes.due()).includes(work)
}

/** The state of a calculation (contract 3.1), which no method of the ledger returns; null where it does not exist. */
export async function readState(database: Sql, calculationId: string): Promise<string | null> {
  const [row] = await database.run<{ state: string }>(
    sql`select state::text from calculation where calculation_id = ${calculationId}::uuid`,
    { effect: 'reads', withinMs: 10_000 },
  )
  return row?.state ?? null
}

/** The current discrepancies of a stored sale. */
export async function readDiscrepancies(database: Sql, calculationId: string): Promise<readonly string[] | null> {
  const [row] = await database.run<{ discrepancies: readonly string[] }>(
    sql`select to_json(discrepancies) as discrepancies from sale where calculation_id = ${calculationId}::uuid`,
    { effect: 'reads', withinMs: 10_000 },
  )
  return row?.discrepancies ?? null
}

/** Makes calculations expire, without waiting. */
export async function expireNow(database: Sql, ...records: readonly CalculationRecord[]): Promise<void> {
  for (const { calculationId } of records) {
    await database.run(
      sql`
        with c as (
          update calculation set expires_at = clock_timestamp() where calculation_id = ${calculationId}::uuid
        ), h as (
          update value_hold set held_until = clock_timestamp()
          where calculation_id = ${calculationId}::uuid and state = 'open'
        )
        update reservation set held_until = clock_timestamp()
        where calculation_id = ${calculationId}::uuid and state = 'open'`,
      { effect: 'writes', withinMs: 10_000 },
    )
  }
}
