import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import { createSameThreadEngine } from '../../engine/thread/same-thread.js'
import { readBasket } from '../../engine/wire/read-basket.js'
import { createWarmUp } from '../../gateway/background/warm-up.js'
import { warmUpAtStartMs, warmUpMs } from '../../gateway/cache/lookup-cache.js'
import { Dice } from '../../test/support/dice.js'
import { bodyOf, calculationId } from './build-basket.js'
import { drawBenefits, publishedBenefits } from './draw-benefits.js'
import { inputOf } from './engine-case.js'
import { hostileShapes, linesMax } from './hostile-shapes.js'
import { createShop } from './shop.js'

export interface HostileTask {
  readonly name: string
  readonly seed: number
  readonly stepsMax: number
  readonly runs: number
}

export interface HostileAnswer {
  /** Elapsed time of each pricing, the first included. */
  readonly tookMs: readonly number[]
  /** Processor time of the thread for each; null where the system does not report it. */
  readonly usedMs: readonly (number | null)[]
  readonly optimal: boolean
  readonly value: number
  readonly gap: number
  readonly steps: number
}

const nap = new Int32Array(new SharedArrayBuffer(4))
const ordinary = { products: 100, groups: 10, benefits: 100 }

/** The entry of a thread that prices one hostile basket: a thread can be ended from outside when it does not return. */

const { name, seed, stepsMax, runs } = workerData as HostileTask
const { benefits, basket, venue } = hostileShapes.find((one) => one.name === name)!.shape(new Dice(seed))
// Both are parsed as in the service: code that V8 compiled for other object shapes would not apply.
const published = publishedBenefits(benefits)
await warmUpLikeTheService(published)
const programme = compileProgramme(benefitsFromJson(published))
const read = readBasket(bodyOf(basket), calculationId, linesMax)
if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.details.field}`)
const input = inputOf(read.basket, venue, stepsMax)
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

/** The service's own warm-up: its threads have priced ordinary baskets before a new programme is published. */
async function warmUpLikeTheService(published: string): Promise<void> {
  const dice = new Dice(seed)
  const shop = createShop(dice, { name: 'warm', products: ordinary.products, groups: ordinary.groups })
  const before = publishedBenefits(drawBenefits(dice, shop, ordinary.benefits))
  const engine = createSameThreadEngine({ linesMax, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax })
  const warmUp = createWarmUp(engine, 1, (error) => {
    throw error
  })
  for (const [at, benefits] of [before, published].entries()) {
    await engine.loadProgramme(at + 1, benefits)
    await warmUp({ version: at + 1, benefits }, [warmUpAtStartMs, warmUpMs][at]!)
  }
}

/**
 * Processor time of this thread in milliseconds, without V8's helper threads; null where the system does not report it.
 * A short sleep makes the kernel update the value.
 */
function threadTimeMs(): number | null {
  if (process.platform !== 'linux') return null
  Atomics.wait(nap, 0, 0, 1)
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
}
