/**
 * The result of `compute`, computed at most once in `everyMs` however often it is asked for: callers share the computation under way, and after it
 * its result until it is so old. A failure is passed to those who waited for it and not kept.
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
