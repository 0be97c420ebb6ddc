import { refusal } from './errors.js'
import { pageToken, readPage } from './messages/page-token.js'

/** Watchers of one call at once, of a gateway: each asks the ledger again and again, over connections that changes need too. */
export const watchersMax = 64
/** Interval of a watcher's reads at the end of a feed, in milliseconds. */
const lookMs = 500
/** Longest silence of a watcher, in milliseconds. */
export const silentMs = 5_000

interface Feed<Row> {
  readonly name: string
  /** The request's; empty: none. */
  readonly cursor: string
  readonly filters: readonly unknown[]
  readonly signal: AbortSignal
  /** Gives places to rows without one. Resolves to how many, 0 at the end. */
  readonly placeMore: () => Promise<number>
  /** The place to begin after without a cursor. */
  readonly begin: () => Promise<number>
  readonly read: (after: number) => Promise<readonly Row[]>
  readonly placeOf: (row: Row) => number
  readonly isMeant: (row: Row) => boolean
}

/**
 * The rows after a cursor, then new ones, each with the cursor behind it; at the beginning and in silence a cursor alone. A row is sent
 * once it has a place, and places become visible in their order.
 */
export async function* watchFeed<Row>(
  feed: Feed<Row>,
): AsyncGenerator<{ readonly row: Row | null; readonly cursor: string }> {
  const { name, filters, signal, placeMore, placeOf } = feed
  const page = { pageSize: 0, pageToken: feed.cursor }
  const { after } = readPage(page, name, { filters, form: ['number'], field: 'cursor' })
  const cursorAt = (place: number) => pageToken(name, filters, [place])
  if (after === null) while ((await placeMore()) > 0) signal.throwIfAborted()
  let place = after === null ? await feed.begin() : (after[0] as number)
  yield { row: null, cursor: cursorAt(place) }
  let sentAtMs = performance.now()
  for (;;) {
    signal.throwIfAborted()
    const placed = await placeMore()
    const rows = await feed.read(place)
    for (const row of rows) {
      place = placeOf(row)
      if (!feed.isMeant(row)) continue
      yield { row, cursor: cursorAt(place) }
      sentAtMs = performance.now()
    }
    if (performance.now() - sentAtMs > silentMs) {
      yield { row: null, cursor: cursorAt(place) }
      sentAtMs = performance.now()
    }
    if (rows.length === 0 && placed === 0) await untilNextLook(signal)
  }
}

/** Waits for a watcher's next read, or the end of its call. */
function untilNextLook(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, lookMs)
    signal.addEventListener('abort', done)
  })
}

/** Limits the watchers of a call; further ones are refused. */
export function boundWatchers<Args extends readonly unknown[], Message>(
  watch: (...args: Args) => AsyncIterable<Message>,
): (...args: Args) => AsyncGenerator<Message> {
  let watching = 0
  return async function* (...args) {
    if (watching >= watchersMax) throw refusal('TOO_MANY_WATCHERS', `${watchersMax} watch already`)
    watching += 1
    try {
      yield* watch(...args)
    } finally {
      watching -= 1
    }
  }
}
