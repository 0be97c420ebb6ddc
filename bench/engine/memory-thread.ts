import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import { Dice } from '../../test/support/dice.js'
import { drawBasket } from './build-basket.js'
import { inputOf } from './engine-case.js'
import { createShop } from './shop.js'

export interface MemoryTask {
  /** JSON array of benefits, as published. */
  readonly benefits: string
  readonly seed: number
  readonly stepsMax: number
  readonly baskets: number
}

/** The thread's own heap, in bytes, each time after a collection. */
export interface MemoryUse {
  readonly heapBefore: number
  readonly heapLoaded: number
  readonly heapBusy: number
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const { benefits, seed, stepsMax, baskets } = workerData as MemoryTask
const heapBefore = heapUsed()
const programme = compileProgramme(benefitsFromJson(benefits))
const heapLoaded = heapUsed()
const dice = new Dice(seed)
const shop = createShop(dice, { name: 'shop', products: 200, groups: 20 })
for (let at = 0; at < baskets; at++) {
  calculate(programme, inputOf(drawBasket(dice, shop.products, 20), shop.venue, stepsMax))
}
parentPort!.postMessage({ heapBefore, heapLoaded, heapBusy: heapUsed() } satisfies MemoryUse)

function heapUsed(): number {
  collect()
  return process.memoryUsage().heapUsed
}
