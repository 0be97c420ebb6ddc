import type { Dice } from '../../test/support/dice.js'

export type Clock = ReturnType<typeof createClock>

/** Work at moments of simulated time, in seconds. Few events are pending at once: a sorted list is enough. */
export function createClock() {
  const planned: { readonly at: number; readonly work: () => void }[] = []
  const clock = {
    now: 0,
    /** @param at  not before now */
    plan(at: number, work: () => void) {
      let place = planned.length
      while (place > 0 && planned[place - 1]!.at <= at) place -= 1
      planned.splice(place, 0, { at, work })
    },
    /** Runs all work in the order of its moments until none is left. */
    run() {
      for (let next = planned.pop(); next !== undefined; next = planned.pop()) {
        clock.now = next.at
        next.work()
      }
    },
  }
  return clock
}

/** A part with some servers and one queue before them, first come first served. */
export function createStation(clock: Clock, servers: number) {
  const waiting: (() => void)[] = []
  let free = servers
  const station = {
    /** Busy seconds of its servers, summed. */
    busy: 0,
    /** Serves for this many seconds once a server is free, then calls done. */
    serve(seconds: number, done: () => void): void {
      if (free === 0) return void waiting.push(() => station.serve(seconds, done))
      free -= 1
      station.busy += seconds
      clock.plan(clock.now + seconds, () => {
        free += 1
        waiting.shift()?.()
        done()
      })
    },
  }
  return station
}

/**
 * A service time scattered around its mean: log-normal, so that a few take several times as long.
 *
 * @param variation  standard deviation divided by the mean
 */
export function scattered(dice: Dice, mean: number, variation: number): number {
  const spread = Math.log(1 + variation * variation)
  const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next())
  return mean * Math.exp(Math.sqrt(spread) * normal - spread / 2)
}
