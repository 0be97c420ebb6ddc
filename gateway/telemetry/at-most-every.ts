/**
 * The result of `compute`, computed at most once in `everyMs`: callers share a computation under way, and its result until it is that
 * old. A failure is passed to its callers and not stored.
 */
export function atMostEvery<T>(
  everyMs: number,
  compute: () => Promise<T>,
  nowMs: () => number = () => performance.now(),
): () => Promise<T> {
  let last: Promise<T> | null = null
  let untilMs = 0
  return () => {
    if (last !== null && nowMs() < untilMs) return last
    const computing = compute()
    last = computing
    // While it is under way it is always shared.
    untilMs = Number.POSITIVE_INFINITY
    computing.then(
      () => {
        untilMs = nowMs() + everyMs
      },
      () => {
        last = null
      },
    )
    return computing
  }
}
