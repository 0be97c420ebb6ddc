import { StoreFault } from '../../fault.js'
import type { Connection } from './connection.js'
import type { Pulse } from './pulse.js'

export const waitingMax = 1_000

/** How long an abandoned statement may block its connection before that is closed, in milliseconds. */
export const overdueMs = 1_000

export interface PooledConnection {
  connection: Connection
  overdue: boolean
}

export interface ConnectionPool {
  /**
   * A connection, or a StoreFault. `busy`: `withinMs` have passed, or too many calls wait. `timeout`: the server has been silent meanwhile.
   * `unreachable`: it is silent and every connection runs an overdue statement.
   */
  take(withinMs: number): Promise<PooledConnection>
  /** The same, but the connection that has been idle for longest: `take` gives the one used last, whose server process is warm. */
  takeColdest(withinMs: number): Promise<PooledConnection>
  free(pooled: PooledConnection): void
  /** Gives a connection a new connection: after a connection broke, or a statement failed after some rows, the driver may give the next statement rows of the last one. */
  renew(pooled: PooledConnection): void
  abandon(pooled: PooledConnection, settled: Promise<void>): void
  close(): Promise<void>
}

export function createConnectionPool(count: number, connect: () => Connection, pulse: Pulse): ConnectionPool {
  const all: PooledConnection[] = Array.from({ length: count }, () => ({ connection: connect(), overdue: false }))
  const idle = [...all]
  const waiting: ((pooled: PooledConnection) => void)[] = []

  function take(withinMs: number, pooled = idle.pop()): Promise<PooledConnection> {
    if (pooled) return Promise.resolve(pooled)
    if (pulse.silent() && all.every(({ overdue }) => overdue)) {
      return Promise.reject(new StoreFault('ledger', 'unreachable'))
    }
    if (waiting.length >= waitingMax) return Promise.reject(new StoreFault('ledger', 'busy'))
    return new Promise((resolve, reject) => {
      const give = (pooled: PooledConnection) => {
        unwatch()
        resolve(pooled)
      }
      waiting.push(give)
      const wait = { untilMs: performance.now() + withinMs, endsOnSilence: true }
      const unwatch = pulse.watch(wait, (why) => {
        waiting.splice(waiting.indexOf(give), 1)
        reject(new StoreFault('ledger', why))
      })
    })
  }

  function free(pooled: PooledConnection): void {
    pooled.overdue = false
    const give = waiting.shift()
    if (give) give(pooled)
    else idle.push(pooled)
  }

  function renew(pooled: PooledConnection): void {
    const { client } = pooled.connection
    pooled.connection = connect()
    void client.end({ timeout: 0 })
  }

  function abandon(pooled: PooledConnection, settled: Promise<void>): void {
    pooled.overdue = true
    const timer = setTimeout(() => renew(pooled), overdueMs)
    void settled.then(() => clearTimeout(timer))
  }

  async function close(): Promise<void> {
    await Promise.all(all.map(({ connection }) => connection.client.end({ timeout: overdueMs / 1_000 })))
  }

  return {
    take: (withinMs) => take(withinMs),
    takeColdest: (withinMs) => take(withinMs, idle.shift()),
    free,
    renew,
    abandon,
    close,
  }
}
