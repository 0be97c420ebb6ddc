import { parentPort, workerData } from 'node:worker_threads'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { createDice } from '../load/dice.js'
import { drawBasket } from './build-basket.js'
import { drawBenefits } from './draw-benefits.js'
import { inputOf } from './engine-case.js'
import { hostileShapes } from './hostile-shapes.js'
import { createShop } from './shop.js'
import { threadTimeMs } from './thread-time.js'

/** What the thread is started with. */
export interface HostileTask {
  readonly name: string
  readonly seed: number
  readonly stepsMax: number
  readonly runs: number
}

/** What it says when it is through. */
export interface HostileAnswer {
  /** What each pricing took by the clock, the first one included. */
  readonly tookMs: readonly number[]
  /** Processor time of the thread in each; null where the system does not tell. */
  readonly usedMs: readonly (number | null)[]
  readonly optimal: boolean
  readonly value: number
  readonly gap: number
  readonly steps: number
}

/** What a thread of the service prices before it meets a guest: so many baskets of these sizes. */
const ordinary = { baskets: 120, sizes: [2, 20, 8, 60], products: 100, groups: 10, benefits: 100 }

/** The entry of a thread that prices one hostile basket, so that one that never ends can be ended from outside. */

const { name, seed, stepsMax, runs } = workerData as HostileTask
warmUp()
const { benefits, basket, venue } = hostileShapes.find((one) => one.name === name)!.shape(createDice(seed))
const programme = compileProgramme(benefits)
const input = inputOf(basket, venue, stepsMax)
const tookMs: number[] = []
const usedMs: (number | null)[] = []
let answer = price()
for (let run = 1; run < runs; run++) answer = price()
const { optimal, value, gap, steps } = answer
parentPort!.postMessage({ tookMs, usedMs, optimal, value, gap, steps } satisfies HostileAnswer)

function price() {
  const used = threadTimeMs()
  const began = performance.now()
  const calculation = calculate(programme, input)
  tookMs.push(performance.now() - began)
  usedMs.push(used === null ? null : threadTimeMs()! - used)
  return calculation
}

function warmUp(): void {
  const dice = createDice(seed)
  const shop = createShop(dice, { name: 'warm', products: ordinary.products, groups: ordinary.groups })
  const known = compileProgramme(drawBenefits(dice, shop, ordinary.benefits))
  for (let at = 0; at < ordinary.baskets; at++) {
    const lines = ordinary.sizes[at % ordinary.sizes.length]!
    calculate(known, inputOf(drawBasket(dice, shop.products, lines), shop.venue, stepsMax))
  }
}
