import { StoreFault } from '../../fault.js'
import { createOutage, createWriteOutages, type Parts, runOn, runPatiently } from './attempts.js'
import { isWhole, openConnection } from './connection.js'
import { createConnectionPool, overdueMs } from './connection-pool.js'
import { faultFromError, type Stage } from './faults.js'
import { serverUrl } from './options.js'
import { createPulse, hangMsDefault } from './pulse.js'
import { planning, type Sql, type SqlValue, type Statement, type Transaction, wrongRows } from './sql.js'

export const connectionsDefault = 8

const statementMs = 30_000

/** How often a working server looks whether we are still there, in milliseconds. */
const clientCheckMs = 250

/**
 * Postgres (15 or newer) over a fixed number of connections, each with one statement at a time, so that no call waits behind another's
 * statement in a socket. While the server is away or hangs, calls fail within their own time, look-ups after `hangMs` of silence: an
 * abandoned statement ends when its connection is closed. An unsent statement, or one that only reads, is repeated on another connection; no write is
 * sent twice. Every new connection resolves the address anew, so that another server may take over behind it.
 */
export function createPostgresSql(
  url: string,
  connections: number = connectionsDefault,
  hangMs: number = hangMsDefault,
): Sql {
  if (serverUrl(url) === null) throw new Error('the URL is not that of one Postgres server')
  const pulse = createPulse(hangMs)
  const reach = createOutage()
  const onConnected = () => {
    pulse.replied()
    reach.worked()
  }
  const pool = createConnectionPool(connections, () => openConnection(url, connectionSettings, onConnected), pulse)
  let closed = false
  const parts: Parts = { pool, pulse, reach, writes: createWriteOutages(), isClosed: () => closed }
  return {
    async run<Row>(statement: Statement, terms: { readonly effect: 'reads' | 'writes'; readonly withinMs: number }) {
      if (closed) throw new StoreFault('ledger', 'unreachable')
      const untilMs = performance.now() + terms.withinMs
      return (await runPatiently(parts, { statement, terms, untilMs })) as unknown as readonly Row[]
    },
    transaction: (work) => runTransaction(url, work),
    async runOnEach(statement, terms) {
      for (let done = 0; done < connections && !closed; done += 1) {
        const untilMs = performance.now() + terms.withinMs
        const pooled = await pool.takeColdest(terms.withinMs)
        const outcome = await runOn(parts, pooled, { statement, terms, untilMs })
        if ('fault' in outcome) throw outcome.fault
      }
    },
    async close() {
      closed = true
      pulse.close()
      await pool.close()
    },
  }
}

const connectionSettings = {
  ...planning,
  statement_timeout: statementMs,
  client_connection_check_interval: clientCheckMs,
}

async function runTransaction<T>(url: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const { client } = openConnection(url, {})
  let stage: Stage = 'unsent'
  try {
    const outcome = await client.begin(async (begun) => {
      stage = 'writing'
      const transaction: Transaction = {
        run: async <Row>({ text, values }: Statement) => {
          const rows = await begun.unsafe(text, values as SqlValue[])
          if (!isWhole(rows, rows.length)) throw wrongRows('writes', rows.count, rows.length)
          return rows as unknown as readonly Row[]
        },
        runScript: async (script) => {
          await begun.unsafe(script).simple()
        },
      }
      return await work(transaction)
    })
    return outcome as T
  } catch (error) {
    throw faultFromError(error, stage)
  } finally {
    await client.end({ timeout: overdueMs / 1_000 })
  }
}
