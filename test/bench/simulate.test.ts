import t from 'tap'
import { exponential } from '../../bench/load/plan-load.js'
import { readModel } from '../../bench/simulate/costs.js'
import { simulateArrivals, simulateLoad } from '../../bench/simulate/simulate-load.js'
import {
  bestLayout,
  capacityOf,
  fullAt,
  sizeDeployment,
  walMbPerSecondMax,
} from '../../bench/simulate/size-deployment.js'
import { createClock, createStation, scattered } from '../../bench/simulate/station.js'
import { processesFor } from '../../gateway/config/processes.js'
import { Dice } from '../support/dice.js'

t.setTimeout(300_000)

const model = readModel()
const cell = { processes: 2, pricingThreads: 1, redisMasters: 1, postgresCores: 4 }

/** Mean wait in service times of theory: M/M/c by Erlang C, M/D/1. */
function theoryOf({ servers, load, fixed }: { servers: number; load: number; fixed: boolean }): number {
  if (fixed) return load / (2 * (1 - load))
  let blocking = 1
  for (let server = 1; server <= servers; server += 1)
    blocking = (servers * load * blocking) / (server + servers * load * blocking)
  return blocking / (1 - load * (1 - blocking)) / (servers * (1 - load))
}

t.test('a simulated station makes wait as long as theory says', async (t) => {
  const count = 400_000
  for (const shape of [
    { servers: 1, load: 0.5, fixed: true },
    { servers: 1, load: 0.8, fixed: true },
    { servers: 1, load: 0.5, fixed: false },
    { servers: 1, load: 0.8, fixed: false },
    { servers: 8, load: 0.8, fixed: false },
  ]) {
    const { servers, load, fixed } = shape
    const clock = createClock()
    const dice = new Dice(1)
    const station = createStation(clock, servers)
    let waited = 0
    const arrivals = { rate: servers * load, requests: count, seed: 1 }
    simulateArrivals(arrivals, { clock, dice }, () => {
      const came = clock.now
      const seconds = fixed ? 1 : exponential(dice, 1)
      const leave = (done: () => void) => {
        waited += clock.now - came - seconds
        done()
      }
      return [(done) => station.serve(seconds, done), leave]
    })
    const ratio = waited / count / theoryOf(shape)
    t.ok(ratio > 0.95 && ratio < 1.05, `${servers} servers at ${load}: ${ratio.toFixed(3)} of theory`)
  }
})

t.test('the same seed gives the same answers, another one others', async (t) => {
  const load = { model, cell, rate: capacityOf(model, cell) * 0.8, requests: 5_000 }
  t.same(simulateLoad({ ...load, seed: 7 }), simulateLoad({ ...load, seed: 7 }))
  t.not(simulateLoad({ ...load, seed: 7 }).p99, simulateLoad({ ...load, seed: 8 }).p99)
})

t.test('parts are at work for as long as their costs say, and latency grows with the load', async (t) => {
  const most = capacityOf(model, cell)
  const [calm, busy] = [0.3, 0.95].map((share) =>
    simulateLoad({ model, cell, rate: most * share, requests: 40_000, seed: 3 }),
  )
  t.ok(Math.abs(Math.max(...Object.values(calm!.used)) - 0.3) < 0.03, JSON.stringify(calm!.used))
  t.ok(busy!.p99 > 2 * calm!.p99, `${busy!.p99} ms against ${calm!.p99} ms`)
})

t.test('what is counted out for a rate keeps every part below full', async (t) => {
  for (const rate of [50, 5_000, 500_000]) {
    const { cells, cell, walMbPerSecond } = sizeDeployment(model, rate)
    t.ok(walMbPerSecond / cells <= walMbPerSecondMax)
    t.ok(rate / cells <= capacityOf(model, cell) * fullAt * 1.000_001, `${rate} a second`)
  }
})

/**
 * p99 in milliseconds of baskets of 20 lines where all parts and the load generator share the cores of one machine: each basket takes its cost in 8
 * slices.
 */
function p99OfOneMachine(rate: number): number {
  const clock = createClock()
  const dice = new Dice(1)
  const cores = createStation(clock, model.knee.cores)
  const { main, pricing, other, redis, postgres } = model.of['plain-20']
  const seconds = (main + pricing + other + redis + postgres + model.knee.generator) / 1e6
  return simulateArrivals({ rate, requests: 8_000, seed: 1 }, { clock, dice }, () => {
    const slice = scattered(dice, seconds, 1) / 8
    return Array.from({ length: 8 }, () => (done: () => void) => cores.serve(slice, done))
  }).p99
}

t.test('the knee of one machine is within a third of the measured one', async (t) => {
  let knee = 0
  for (let rate = 25; p99OfOneMachine(rate) <= model.knee.p99Ms; rate += 25) knee = rate
  const ratio = knee / model.knee.rate
  t.ok(ratio > 2 / 3 && ratio < 4 / 3, `${knee} a second, ${ratio.toFixed(2)} of what was measured`)
})

t.test('the layout chosen at start is the best of the model', async (t) => {
  for (const cores of [2, 4, 8, 16]) {
    t.match(bestLayout(model, cores), { processes: processesFor(cores), threads: 1 }, `${cores} cores`)
  }
})
