/**
 * Turns for work that no POS waits for, in order of arrival: a number of them every few milliseconds, spread over turns of the event
 * loop. So a flood takes a small part of the main thread, and calls that arrive meanwhile come first; a single one does not wait.
 *
 * @param waitingMax  further ones get false at once
 */
export function createTurns({
  count,
  everyMs,
  waitingMax = Number.POSITIVE_INFINITY,
}: {
  readonly count: number
  readonly everyMs: number
  readonly waitingMax?: number
}): () => Promise<boolean> {
  const waiting: ((isTurn: true) => void)[] = []
  let servedAtMs = Number.NEGATIVE_INFINITY
  const serve = () => {
    servedAtMs = performance.now()
    for (const next of waiting.splice(0, count)) next(true)
    if (waiting.length > 0) setTimeout(serve, everyMs)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.length >= waitingMax) return resolve(false)
      if (waiting.push(resolve) > 1) return
      const leftMs = servedAtMs + everyMs - performance.now()
      if (leftMs > 0) setTimeout(serve, leftMs)
      else setImmediate(serve)
    })
}
