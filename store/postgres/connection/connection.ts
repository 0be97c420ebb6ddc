import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { type Meaning, meaningOfError, sqlState } from './faults.js'

const connectMs = 1_000

export interface Connection {
  readonly client: postgres.Sql
  received: number
}

export type Query = postgres.PendingQuery<postgres.Row[]> & {
  readonly state: object | null
  /** While this is true only the text has been sent, to be prepared. */
  readonly describeFirst?: boolean | number
}

/** @param onConnected  called for every connection that the server accepts: one that lets many in at once is busy with that, not away */
export function openConnection(
  url: string,
  settings: Readonly<Record<string, string | number>>,
  onConnected: () => void = () => {},
): Connection {
  const options = {
    max: 1,
    connect_timeout: connectMs / 1_000,
    // A call that finds the server away fails at once, and the next one tries anew.
    backoff: () => 0,
    fetch_types: false,
    prepare: true,
    onnotice: () => {},
    onparameter: onConnected,
    // Callers answer from a commit: it must be durable, on a synchronous standby too, whatever the server's default is.
    connection: { application_name: 'loyalty', synchronous_commit: 'on', ...settings },
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
    transform: {
      row<Row>(row: Row) {
        connection.received += 1
        return row
      },
    },
    socket: openSocket,
  }
  const client = postgres(url, options) as unknown as postgres.Sql
  const connection: Connection = { client, received: 0 }
  return connection
}

/** The hosts and ports of a URL as the driver has read them, or the path of a socket. */
interface Address {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false
}

/**
 * A connection that is closed before the other side has sent anything fails: behind a proxy without a server the driver (3.4.9) would
 * connect again without an end or a pause. Later it must get no error: it would never settle a statement that comes between.
 */
function openSocket({ host: [host], port: [port], path }: Address): Socket {
  const socket = path === false ? connect({ host: host!, port: port! }) : connect(path)
  socket.once('end', () => {
    const error = Object.assign(new Error('the server has closed the connection'), { code: 'CONNECTION_CLOSED' })
    if (socket.bytesRead === 0) socket.destroy(error)
  })
  // The driver checks a certificate against this name.
  return Object.assign(socket, { host })
}

/** After a statement that failed behind rows, the driver (3.4.9) puts as many holes before the next result. */
export function isWhole(result: postgres.RowList<postgres.Row[]>, received: number): boolean {
  const { length, count } = result
  const columns: readonly unknown[] | undefined = result.columns
  const hasRows = columns !== undefined && columns.length > 0
  return length === received && (!hasRows || count === null || count === length)
}

const unusable: ReadonlySet<Meaning> = new Set(['away', 'broken', 'stale'])
const readOnlyState = '25006'

/** The server gave a reason before any row: calls that are too late or wait for a lock cost no new connection. */
export function isUsableAfter(error: unknown, received: number): boolean {
  const state = sqlState(error)
  return state !== null && state !== readOnlyState && received === 0 && !unusable.has(meaningOfError(error))
}
