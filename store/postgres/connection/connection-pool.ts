import { StoreFault } from '../../fault.js'
import type { Connection } from './connection.js'
import type { Pulse } from './pulse.js'

/** Calls that may wait for a connection; the next one is turned away at once. */
export const waitingMax = 1_000

/**
 * A call that waits for so long, in milliseconds, makes the pool grow: a new connection costs Postgres some 50 ms and 12 MB, a statement
 * takes 2 ms.
 */
const growAfterMs = 5
/** Pause after a growth that failed, in milliseconds: the server may have no connection to spare. */
const growAgainMs = 1_000
/** Idle time after which a connection that was added is closed, in milliseconds. */
const idleMsDefault = 60_000

/** How long an abandoned statement may block its connection before that is closed, in milliseconds. */
export const overdueMs = 1_000

/** One connection of ours, with one statement at a time: made when it is first used, made again after it broke. */
export interface PooledConnection {
  connection: Connection
  overdue: boolean
  /** Added by need: closed when it breaks, or was idle for long. */
  readonly isAdded: boolean
  idleSinceMs: number
}

/** Connections, handed out one caller at a time, first come first served: a few, and more while calls wait. */
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
  /** Waits a while until `settled`, then closes the connection, and the server ends the statement. */
  abandon(pooled: PooledConnection, settled: Promise<void>): void
  close(): Promise<void>
}

interface PoolParts {
  readonly kept: number
  readonly most: number
  /** Makes a connection, which opens when it is first used. */
  readonly connect: () => Connection
  /** Opens an added connection and frees it, or renews it first where that fails. */
  readonly open: (added: PooledConnection) => Promise<unknown>
  /** Notified of every reply. */
  readonly pulse: Pulse
  /** Default `idleMsDefault`. */
  readonly idleMs?: number
}

export function createConnectionPool(parts: PoolParts): ConnectionPool {
  const { connect, pulse } = parts
  const waiting: ((pooled: PooledConnection) => void)[] = []
  const { all, idle, ...connections } = createConnections(parts, () => waiting.length > 0)

  function take(withinMs: number, pooled = idle.pop()): Promise<PooledConnection> {
    if (pooled) return Promise.resolve(pooled)
    if (pulse.silent() && [...all].every(({ overdue }) => overdue)) {
      return Promise.reject(new StoreFault('ledger', 'unreachable'))
    }
    if (waiting.length >= waitingMax) return Promise.reject(new StoreFault('ledger', 'busy'))
    return new Promise((resolve, reject) => {
      const growing = setTimeout(connections.grow, growAfterMs)
      const give = (pooled: PooledConnection) => {
        clearTimeout(growing)
        unwatch()
        resolve(pooled)
      }
      waiting.push(give)
      const wait = { untilMs: performance.now() + withinMs, endsOnSilence: true }
      const unwatch = pulse.watch(wait, (why) => {
        clearTimeout(growing)
        waiting.splice(waiting.indexOf(give), 1)
        reject(new StoreFault('ledger', why))
      })
    })
  }

  function free(pooled: PooledConnection): void {
    if (!all.has(pooled)) return
    pooled.overdue = false
    const give = waiting.shift()
    if (give) give(pooled)
    else connections.rest(pooled)
  }

  function renew(pooled: PooledConnection): void {
    if (pooled.isAdded) {
      connections.drop(pooled)
      return
    }
    const { client } = pooled.connection
    pooled.connection = connect()
    void client.end({ timeout: 0 })
  }

  function abandon(pooled: PooledConnection, settled: Promise<void>): void {
    pooled.overdue = true
    const timer = setTimeout(() => renew(pooled), overdueMs)
    void settled.then(() => clearTimeout(timer))
  }

  return {
    take: (withinMs) => take(withinMs),
    takeColdest: (withinMs) => take(withinMs, idle.shift()),
    free,
    renew,
    abandon,
    close: connections.close,
  }
}

/** The connections of a pool: `all`, and those that are idle, the longest idle first. */
function createConnections(
  { kept, most, connect, open, idleMs = idleMsDefault }: PoolParts,
  hasWaiting: () => boolean,
) {
  const make = (isAdded: boolean): PooledConnection => {
    return { connection: connect(), overdue: false, isAdded, idleSinceMs: 0 }
  }
  const all = new Set(Array.from({ length: kept }, () => make(false)))
  const idle = [...all]
  let isGrowing = false
  let restsUntilMs = 0
  let closing: NodeJS.Timeout | undefined

  /** Adds one connection after the other while calls wait. */
  function grow(): void {
    if (isGrowing || all.size >= most || !hasWaiting() || performance.now() < restsUntilMs) return
    isGrowing = true
    const added = make(true)
    all.add(added)
    void open(added).then(() => {
      isGrowing = false
      if (!all.has(added)) restsUntilMs = performance.now() + growAgainMs
      grow()
    })
  }

  function drop(pooled: PooledConnection): void {
    all.delete(pooled)
    void pooled.connection.client.end({ timeout: 0 })
  }

  function rest(pooled: PooledConnection): void {
    pooled.idleSinceMs = performance.now()
    idle.push(pooled)
    if (pooled.isAdded) closing ??= setTimeout(closeIdle, idleMs).unref()
  }

  function closeIdle(): void {
    const beforeMs = performance.now() - idleMs
    for (const pooled of idle.filter(({ isAdded, idleSinceMs }) => isAdded && idleSinceMs <= beforeMs)) {
      idle.splice(idle.indexOf(pooled), 1)
      drop(pooled)
    }
    closing = all.size > kept ? setTimeout(closeIdle, idleMs).unref() : undefined
  }

  async function close(): Promise<void> {
    clearTimeout(closing)
    await Promise.all([...all].map(({ connection }) => connection.client.end({ timeout: overdueMs / 1_000 })))
  }

  return { all, idle, grow, drop, rest, close }
}
