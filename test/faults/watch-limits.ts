import { setTimeout as sleep } from 'node:timers/promises'
import { readCounters } from './ledger-rows.js'
import type { World } from './world.js'

/** Pause between two looks, in milliseconds. */
const everyMs = 150

/** Reads the counters repeatedly during a run, as long as the ledger can be read. */
export interface LimitWatch {
  /** Ends it; resolves to counters seen over their maximum. */
  stop(): Promise<readonly string[]>
}

export function watchLimits({ sql }: Pick<World, 'sql'>, maxima: ReadonlyMap<string, number>): LimitWatch {
  const sightings = new Set<string>()
  let watching = true

  async function look(): Promise<void> {
    for (const { limitId, subject, used, open } of await readCounters(sql)) {
      const maximum = maxima.get(limitId) ?? 0
      if (used + open > maximum)
        sightings.add(`${limitId}|${subject}: used ${used} + open ${open} > maximum ${maximum}`)
    }
  }

  async function run(): Promise<void> {
    while (watching) {
      // A ledger that is down cannot be read; the next look tries again.
      await Promise.race([look().catch(() => {}), sleep(2_000)])
      await sleep(everyMs)
    }
  }

  const running = run()
  return {
    async stop() {
      watching = false
      await running
      return [...sightings]
    },
  }
}
