import type { Prices } from './bounds/prices.js'
import type { Track } from './tracks.js'

/**
 * The best ways of a component of one offer, by place in the walk. Without prices the bound is exact there: the offer has
 * what is best for it, and of the ways of a line with that use the best is open.
 */
export function readTrack({ stops }: Track, { ahead, rests }: Prices): Int32Array {
  const ways = new Int32Array(stops.length)
  let state = 0
  for (const [at, { place, useCount, useOf, gains, next, worth }] of stops.entries()) {
    const later = ahead[0]![at + 1]!
    let [most, chosen] = [Number.NEGATIVE_INFINITY, 0]
    for (let use = 0; use < useCount; use++) {
      const move = state * useCount + use
      const gain = next[move]! < 0 ? Number.NEGATIVE_INFINITY : gains[use]! + worth[move]! + later[next[move]!]!
      if (gain > most) [most, chosen] = [gain, use]
    }
    state = next[state * useCount + chosen]!
    let best = Number.NEGATIVE_INFINITY
    for (let way = 0; way < useOf.length; way++) {
      if (useOf[way] === chosen && rests[place]![way]! > best) [best, ways[place]] = [rests[place]![way]!, way]
    }
  }
  return ways
}
