import type { Dice } from '../support/dice.js'
import type { Due, Owner, VirtualTime } from './virtual-time.js'

export type CalculationState = 'open' | 'finalised' | 'abandoned' | 'superseded' | 'expired'

export interface CalculationRow {
  readonly calculationId: string
  readonly supersedes: string | null
  readonly venueId: string
  /** null: nobody's. */
  readonly memberId: string | null
  readonly status: string
  /** JSON of what the earning rules count; null: nothing. */
  readonly earning: string | null
  readonly answeredAtMs: number
  readonly expiresAtMs: number
  readonly state: CalculationState
  readonly confirmed: boolean
  readonly replayed: boolean
  readonly digest: Buffer
  readonly packed: Buffer
}

export interface CounterRow {
  readonly limitId: string
  readonly subject: string
  readonly period: string
  readonly used: number
  readonly open: number
  readonly late: number
  readonly maximum: number
}

export interface ReservationRow {
  readonly calculationId: string
  readonly counter: string
  readonly units: number
  readonly heldUntilMs: number
  readonly state: 'open' | 'used' | 'late' | 'released'
}

/** What a member has of a currency; nothing opens late or expires here. */
export interface AccountRow {
  readonly memberId: string
  readonly currencyId: string
  readonly available: number
  readonly held: number
  readonly debt: number
  /** What the rule of the currency has counted of the member's sales. */
  readonly total: number
}

/** Value that a calculation took of an account; `late`: used after it was released. */
export interface HoldRow {
  readonly calculationId: string
  readonly account: string
  readonly amount: number
  readonly heldUntilMs: number
  readonly state: ReservationRow['state']
}

/** A movement of one account; it has one cause. */
export interface EntryRow {
  readonly cause: string
  readonly account: string
  readonly amount: number
}

export interface SaleRow {
  readonly calculationId: string
  readonly status: string
  readonly result: 'recorded' | 'unknown_calculation'
  readonly discrepancies: readonly string[]
  readonly recordedAtMs: number
  readonly digest: Buffer
  readonly body: Buffer
}

export interface GatewayRow {
  readonly gatewayId: string
  readonly heldSinceMs: number
  readonly heldUntilMs: number
  readonly usesCache: boolean
  readonly flushedThrough: number
}

export interface WishRow {
  readonly number: number
}

/** The committed state of the simulated Postgres. */
export interface Tables {
  readonly calculations: Map<string, CalculationRow>
  readonly counters: Map<string, CounterRow>
  readonly reservations: Map<string, ReservationRow>
  readonly accounts: Map<string, AccountRow>
  readonly holds: Map<string, HoldRow>
  readonly entries: Map<string, EntryRow>
  readonly sales: Map<string, SaleRow>
  readonly gateways: Map<string, GatewayRow>
  readonly wishes: Map<string, WishRow>
}
type TableName = keyof Tables
type RowOf<Name extends TableName> = Tables[Name] extends Map<string, infer Row> ? Row : never

/** A transaction at READ COMMITTED: sees what is committed and its own; locks are kept to its end. */
export interface Transaction {
  get<Name extends TableName>(table: Name, key: string): RowOf<Name> | undefined
  put<Name extends TableName>(table: Name, key: string, row: RowOf<Name>): void
  remove(table: TableName, key: string): void
  rows<Name extends TableName>(table: Name): RowOf<Name>[]
  /** Waits for whoever holds it; `name` is a row's or, for one that is being inserted or deleted, its key's. */
  lock(name: string): Promise<void>
  tryLock(name: string): boolean
  unlock(name: string): void
  /** Another session may run here. */
  pause(): Promise<void>
  /** Locks are waited for until then, by the simulation's own time. */
  lockUntilMs: number
  /** Makes what was written so far durable, as a transaction of its own would; locks stay. */
  commitSoFar(): void
}

export interface Session {
  /** The statement is given up by the server, as soon as it waits or goes on. */
  cancel(): void
}

/** A database error as the driver throws it. */
export class SqlError extends Error {
  readonly severity = 'ERROR'
  constructor(readonly code: string) {
    super(`SQLSTATE ${code}`)
  }
}

/** A Postgres: transactions with row locks over tables; a crash loses what is not committed, never what is. */
export interface Database {
  readonly tables: Tables
  owner: Owner
  /** Deadlocks over counters, which are all locked in one order; calculations that supersede each other may meet in one. */
  readonly deadlocks: number
  /** Runs work as one transaction; commits where it resolves, and only `committed` or `failed` then tells, never both. */
  begin<T>(
    work: (transaction: Transaction) => Promise<T>,
    committed: (result: T) => void,
    failed: (error: unknown) => void,
  ): Session
  crash(): void
}

interface Waiter {
  readonly session: object
  go(): void
}

interface Lock {
  holder: State
  readonly waiters: Waiter[]
}

interface State {
  readonly overlay: { readonly [Name in TableName]: Map<string, RowOf<Name> | null> }
  readonly held: Set<string>
  waitingFor: string | null
  cancelled: boolean
  stop: ((error: SqlError) => void) | null
}

/** @param onCommit  sees the tables after every commit that has written something */
export function createDatabase(
  time: Pick<VirtualTime, 'nowMs' | 'after'>,
  dice: Dice,
  onCommit: (tables: Tables) => void,
): Database {
  const tables: Tables = emptyTables()
  let locks = new Map<string, Lock>()
  let deadlocks = 0

  function release(state: State, name: string): void {
    const lock = locks.get(name)
    state.held.delete(name)
    if (lock?.holder !== state) return
    const next = lock.waiters.shift()
    if (next === undefined) {
      locks.delete(name)
      return
    }
    lock.holder = next.session as State
    lock.holder.held.add(name)
    lock.holder.waitingFor = null
    next.go()
  }

  function apply(state: State): void {
    let written = false
    for (const table of Object.keys(tables) as TableName[]) {
      const target = tables[table] as Map<string, unknown>
      for (const [key, row] of state.overlay[table]) {
        written = true
        if (row === null) target.delete(key)
        else target.set(key, row)
      }
      state.overlay[table].clear()
    }
    if (written) onCommit(tables)
  }

  function waitsInCircle(from: State, name: string): boolean {
    for (let lock = locks.get(name); lock !== undefined; lock = locks.get(lock.holder.waitingFor ?? '')) {
      if (lock.holder === from) return true
    }
    return false
  }

  /** Waits its turn; an error ends the wait. Continues in an event of the server's, so that a crash ends it for good. */
  function wait(state: State, name: string, untilMs: number): Promise<void> {
    if (waitsInCircle(state, name)) {
      deadlocks += 1
      return Promise.reject(new SqlError('40P01'))
    }
    return new Promise((resolve, reject) => {
      state.waitingFor = name
      const lock = locks.get(name)!
      let timer: Due | null = null
      const waiter: Waiter = {
        session: state,
        go() {
          if (timer) timer.cancel()
          state.stop = null
          time.after(0, database.owner, resolve)
        },
      }
      state.stop = (error) => {
        lock.waiters.splice(lock.waiters.indexOf(waiter), 1)
        if (timer) timer.cancel()
        state.waitingFor = null
        state.stop = null
        reject(error)
      }
      lock.waiters.push(waiter)
      if (untilMs < Number.POSITIVE_INFINITY) {
        timer = time.after(untilMs - time.nowMs, database.owner, () => state.stop?.(new SqlError('55P03')))
      }
    })
  }

  function transactionOf(state: State): Transaction {
    const transaction: Transaction = {
      lockUntilMs: Number.POSITIVE_INFINITY,
      get(table, key) {
        const own = state.overlay[table].get(key)
        return (own === undefined ? tables[table].get(key) : (own ?? undefined)) as never
      },
      put(table, key, row) {
        ;(state.overlay[table] as Map<string, unknown>).set(key, row)
      },
      remove(table, key) {
        state.overlay[table].set(key, null)
      },
      rows(table) {
        const all = new Map([...tables[table], ...state.overlay[table]] as [string, unknown][])
        return [...all.values()].filter((row) => row !== null) as never
      },
      async lock(name) {
        if (state.held.has(name)) return
        if (!transaction.tryLock(name)) await wait(state, name, transaction.lockUntilMs)
      },
      tryLock(name) {
        const lock = locks.get(name)
        if (lock !== undefined) return lock.holder === state
        locks.set(name, { holder: state, waiters: [] })
        state.held.add(name)
        return true
      },
      unlock: (name) => release(state, name),
      async pause() {
        if (dice.chance(0.5)) await new Promise<void>((resolve) => time.after(dice.next() * 3, database.owner, resolve))
        if (state.cancelled) throw new SqlError('57014')
      },
      commitSoFar: () => apply(state),
    }
    return transaction
  }

  const database: Database = {
    tables,
    owner: { alive: true, resumesAtMs: 0 },
    get deadlocks() {
      return deadlocks
    },
    begin(work, committed, failed) {
      const overlay = emptyTables()
      const state: State = { overlay, held: new Set(), waitingFor: null, cancelled: false, stop: null }
      const { owner } = database
      const end = (received: () => void) => {
        for (const name of [...state.held]) release(state, name)
        received()
      }
      work(transactionOf(state)).then(
        (result) =>
          time.after(dice.next() * 4, owner, () => {
            apply(state)
            end(() => committed(result))
          }),
        (error: unknown) => end(() => failed(error)),
      )
      return {
        cancel() {
          state.cancelled = true
          state.stop?.(new SqlError('57014'))
        },
      }
    },
    crash() {
      database.owner.alive = false
      database.owner = { alive: true, resumesAtMs: 0 }
      locks = new Map()
    },
  }
  return database
}

export function emptyTables() {
  return {
    calculations: new Map(),
    counters: new Map(),
    reservations: new Map(),
    accounts: new Map(),
    holds: new Map(),
    entries: new Map(),
    sales: new Map(),
    gateways: new Map(),
    wishes: new Map(),
  }
}
