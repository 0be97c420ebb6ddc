/**
 * After so long without success a server is out of reach, in milliseconds. A broken connection is made again within 20 ms, a restart of a
 * small server takes about a second: neither is a reason to refuse a member limited benefits (wire decisions 6).
 */
export const outageMs = 2_000

/**
 * Failures in a row that an outage takes at least, and the time between two that count, in milliseconds: many calls that fail together count
 * once, and time in which this process did not run does not count.
 */
export const failuresMin = 5
export const apartMs = 250

export interface Outage {
  failed(): void
  worked(): void
  isLasting(): boolean
}

export function createOutage(nowMs: () => number = () => performance.now()): Outage {
  let failures = 0
  let firstAtMs = 0
  let lastAtMs = 0
  return {
    failed() {
      const atMs = nowMs()
      if (failures === 0) firstAtMs = atMs
      else if (atMs - lastAtMs < apartMs) return
      lastAtMs = atMs
      failures += 1
    },
    worked() {
      failures = 0
    },
    isLasting: () => failures >= failuresMin && nowMs() - firstAtMs >= outageMs,
  }
}

/** An outage for each text of a statement: our statements are few. */
export function createWriteOutages(nowMs?: () => number): (text: string) => Outage {
  const outages = new Map<string, Outage>()
  return (text) => {
    const known = outages.get(text) ?? createOutage(nowMs)
    outages.set(text, known)
    return known
  }
}
