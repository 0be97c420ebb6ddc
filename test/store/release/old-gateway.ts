import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { planning } from '../../../store/postgres/connection/planning.js'
import type { Release } from './release.js'

const digest = Buffer.alloc(32, 1)
const packed = Buffer.from('packed')

/** What a gateway of the release before does all day, in the release's own words and on a session that has them prepared. */
export interface OldGateway {
  /** Baskets with and without limits, a repeat, sales, what runs beside: one round, and the GUID of a basket that is left open. */
  work(): Promise<string>
  /** Of a GUID: `stored`, `outlived` or `unknown`. */
  find(calculationId: string): Promise<string>
  close(): Promise<void>
}

export function createOldGateway(url: string, { statements }: Release): OldGateway {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connection: { ...planning } })
  function run(call: string, ...values: readonly (string | number | Uint8Array)[]) {
    const calling = new RegExp(`\\b${call}\\(\\s*\\$1`)
    const { text } = statements.find((statement) => calling.test(statement.text))!
    return sql.unsafe(text, [...values], { prepare: true })
  }
  const bytes = (...each: readonly Uint8Array[]) =>
    `{${each.map((one) => `"\\\\x${Buffer.from(one).toString('hex')}"`)}}`

  async function confirm(calculationId: string): Promise<string> {
    const holds = [{ limit_id: 'ever', subject: '', period: '', units: 1, maximum: 1_000_000 }]
    const row = JSON.stringify(rowOf(calculationId))
    const [reply] = await run(
      'confirm_within',
      ...[row, digest, packed, packed, packed, JSON.stringify(holds), 1_800, 86_400, Date.now() / 1_000, 600_000],
    )
    return reply!['reply']
  }

  async function find(calculationId: string): Promise<string> {
    return (await run('find_answer', calculationId, 86_400))[0]!['kind']
  }

  async function work(): Promise<string> {
    await run('ensure_partitions', 7)
    const [limited, plain, open] = [randomUUID(), randomUUID(), randomUUID()]
    const said = [await find(limited), await confirm(limited), await confirm(open)]
    const rows = JSON.stringify([rowOf(plain)])
    await run('keep_journalled', rows, bytes(digest), bytes(packed), bytes(packed), bytes(packed), 1_800)
    for (const calculationId of [limited, plain]) {
      const sale = JSON.stringify({ ...saleOf(calculationId) })
      said.push((await run('record_sale', sale, digest, packed, 86_400, ''))[0]!['reply'], await find(calculationId))
    }
    await run('expire_calculations', 10)
    await run('place_sales', 100)
    const wanted = ['unknown', 'confirmed', 'confirmed', 'recorded', 'stored', 'recorded', 'stored']
    if (said.join() !== wanted.join()) throw new Error(`an old gateway received ${said.join()}`)
    return open
  }

  return { work, find, close: () => sql.end() }
}

function rowOf(calculationId: string) {
  return {
    ...{ calculation_id: calculationId, net_before: 500, net_after: 400, loyalty_discount_total: 100 },
    ...{ answered_at: new Date().toISOString(), programme_version: 1, status: 'applied', optimal: true },
    ...{ venue_id: 'venue', bax_id: 'bax', channel: 'pos', currency: 'EUR', requested_at: '2026-11-21T12:00:00Z' },
  }
}

function saleOf(calculationId: string) {
  return {
    ...{ calculation_id: calculationId, paid_total: 400, loyalty_discount_total: 100, status: 'applied' },
    ...{ loyalty_id_sent: false, currency: 'EUR', channel: 'pos', occurred_at: '2026-11-21T12:00:01Z' },
  }
}
