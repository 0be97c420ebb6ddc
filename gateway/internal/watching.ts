import { refusal } from './errors.js'

/** Watchers of one call at once, of a gateway: each asks the ledger again and again, over connections that changes need too. */
export const watchersMax = 64
/** Interval of a watcher's reads at the end of a feed, in milliseconds. */
const lookMs = 500
/** Longest silence of a watcher, in milliseconds. */
export const silentMs = 5_000

/** Waits for a watcher's next read, or the end of its call. */
export function untilNextLook(signal: AbortSignal): Promise<void> {
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
