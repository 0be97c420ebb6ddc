/** How long a token that was taken along may be spent, and over how long calls are counted, in milliseconds. */
export const momentMs = 100
/** Tokens taken along at most, as a part of the burst. */
const shareMax = 0.1

/** Tokens of the shared bucket that this replica has taken along with one, for the calls of the next moment. */
export interface TokensAlong {
  /** Spends one for a call; false: none is left, and the bucket is to be asked. */
  spend(): boolean
  /**
   * How many to take along with the next one: as many as there were calls in the last moment, a tenth of the burst at most; 0 while
   * others are on their way. Where it is more, `put` must say what came of it.
   */
  wanted(): number
  /** Puts in what came along, if anything. */
  put(tokens: number): void
}

/**
 * A way to the cache and back for every call costs more than the token is worth once there are many. What is not spent within a
 * moment is lost, so that nobody saves up a burst of his own.
 */
export function createTokensAlong(burst: number, nowMs: () => number): TokensAlong {
  const most = Math.floor(burst * shareMax)
  let tokens = 0
  let spendUntilMs = Number.NEGATIVE_INFINITY
  let countedFromMs = Number.NEGATIVE_INFINITY
  let calls = 0
  let callsBefore = 0
  let onTheirWay = false

  function count(now: number): void {
    const passedMs = now - countedFromMs
    if (passedMs >= momentMs) {
      callsBefore = passedMs < 2 * momentMs ? calls : 0
      calls = 0
      countedFromMs = now
    }
    calls += 1
  }

  return {
    spend() {
      const now = nowMs()
      count(now)
      if (tokens === 0 || now > spendUntilMs) return false
      tokens -= 1
      return true
    },
    wanted() {
      const wanted = onTheirWay ? 0 : Math.min(callsBefore, most)
      if (wanted > 0) onTheirWay = true
      return wanted
    },
    put(along) {
      onTheirWay = false
      tokens = along
      spendUntilMs = nowMs() + momentMs
    },
  }
}
