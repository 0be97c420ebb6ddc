import { createDice } from './dice.js'

/** One request to be sent at a moment that is fixed beforehand, whatever happened to those before it. */
export interface Shot {
  /** Since the start of the load, in milliseconds. */
  readonly dueMs: number
  /** Lines of its basket. */
  readonly lines: number
  /** Draws the basket and the member. */
  readonly draw: number
  /** False while the service warms up. */
  readonly counted: boolean
}

export interface Load {
  /** Requests a second. */
  readonly rate: number
  /** Seconds that count, after those of the warm-up. */
  readonly seconds: number
  readonly warmupSeconds: number
  /** `poisson`: independent arrivals, as from many tills; `fixed`: one every 1/rate. */
  readonly arrivals: 'poisson' | 'fixed'
  /** Sizes of baskets, mixed evenly. */
  readonly lines: readonly number[]
  readonly seed: number
}

/** All requests of a load, in the order of their moments; the same load gives the same plan. */
export function planLoad(load: Load): Shot[] {
  const dice = createDice(load.seed)
  const gapMs = 1000 / load.rate
  const warmupMs = load.warmupSeconds * 1000
  const endMs = warmupMs + load.seconds * 1000
  const shots: Shot[] = []
  for (let dueMs = 0; dueMs < endMs; ) {
    const lines = load.lines[dice.below(load.lines.length)]!
    shots.push({ dueMs, lines, draw: dice.below(2 ** 31), counted: dueMs >= warmupMs })
    dueMs += load.arrivals === 'fixed' ? gapMs : -Math.log(1 - dice.fraction()) * gapMs
  }
  return shots
}
