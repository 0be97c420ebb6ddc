import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Lets one call per key run at a time in this gateway; the others wait for it, then run in their turn and so find its
 * answer stored (wire decisions 4). Between gateways the stores arbitrate.
 */
export interface OneAtATime {
  /** `waited_too_long`: the turn did not come within `withinMs`, and `work` was not begun. */
  run<T>(key: string, withinMs: number, work: () => Promise<T>): Promise<T | 'waited_too_long'>
}

export function createOneAtATime(): OneAtATime {
  const running = new Map<string, Promise<unknown>>()
  return {
    async run(key, withinMs, work) {
      // There is no await between the check that the key is free and running.set, so two calls cannot both find it free.
      for (let other = running.get(key), atMs = performance.now(); other !== undefined; other = running.get(key)) {
        if (!(await endsWithin(other, withinMs - (performance.now() - atMs)))) return 'waited_too_long'
      }
      const mine = work()
      running.set(key, mine)
      try {
        return await mine
      } finally {
        running.delete(key)
      }
    },
  }
}

async function endsWithin(other: Promise<unknown>, withinMs: number): Promise<boolean> {
  if (withinMs <= 0) return false
  const timer = new AbortController()
  const tooLong = sleep(withinMs, false, { signal: timer.signal }).catch(() => false)
  const ended = other.then(yes, yes)
  try {
    return await Promise.race([ended, tooLong])
  } finally {
    timer.abort()
  }
}

function yes(): boolean {
  return true
}
