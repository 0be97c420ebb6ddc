import { createDice } from '../load/dice.js'
import { exponential, scattered } from './chance.js'
import type { Model } from './costs.js'
import { createEventQueue } from './event-queue.js'
import { createStation } from './station.js'

/** Steps that a basket takes on the cores, one after the other: its cost is cut into as many slices. */
const slices = 8
const variation = 1

/**
 * p99 in milliseconds of baskets of 20 lines on one machine that does everything, the load generator included: all parts share its
 * cores. What the bench measures on such a machine (scale/processes/1) is what this is held against.
 */
export function simulateOneMachine({ of, limits, knee }: Model, rate: number, requests: number, seed: number): number {
  const queue = createEventQueue()
  const dice = createDice(seed)
  const cores = createStation(queue, knee.cores)
  const { main, pricing, other, redis, postgres } = of['plain-20']
  const seconds = (main + pricing + other + redis + postgres + limits.generator) / 1e6
  const took: number[] = []

  function arrive(left: number): void {
    const began = queue.now
    const slice = scattered(dice, seconds, variation) / slices
    const step = (at: number): void => {
      if (at === slices) took.push(queue.now - began)
      else cores.serve(slice, () => step(at + 1))
    }
    step(0)
    if (left > 1) queue.plan(queue.now + exponential(dice, 1 / rate), () => arrive(left - 1))
  }

  queue.plan(0, () => arrive(requests))
  queue.run()
  took.sort((left, right) => left - right)
  return 1_000 * took[Math.ceil(0.99 * took.length) - 1]!
}

/** The highest rate, in steps of 25, whose p99 stays within the knee's. */
export function kneeOfOneMachine(model: Model, seed: number): number {
  let knee = 0
  for (let rate = 25; simulateOneMachine(model, rate, kneeRequests, seed) <= model.knee.p99Ms; rate += 25) knee = rate
  return knee
}

const kneeRequests = 8_000
