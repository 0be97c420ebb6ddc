import { Worker } from 'node:worker_threads'
import { Dice } from '../../test/support/dice.js'
import { drawMix } from './draw-benefits.js'
import type { EngineCase, EngineSettings, Row } from './engine-case.js'
import { spreadOf } from './measure.js'
import type { MemoryTask, MemoryUse } from './memory-thread.js'
import { publishedBenefits } from './published-benefits.js'
import { createShop } from './shop.js'

const benefits = 10_000
const baskets = 200
const maximumMegabytes = 150
const megabyte = 1024 * 1024

export const memoryCase: EngineCase = { name: 'engine/memory/10000', run: memoryMany }

async function* memoryMany({ seed, stepsMax }: EngineSettings): AsyncGenerator<Row> {
  const dice = new Dice(seed)
  const shop = createShop(dice, { name: 'shop', products: benefits, groups: benefits / 10 })
  const document = publishedBenefits(drawMix(dice, shop, benefits))
  const before = process.memoryUsage().rss
  const { use, rss } = await useOf({ benefits: document, seed, stepsMax, baskets })
  const grown = (rss - before) / megabyte
  const heap = [use.heapBefore, use.heapLoaded, use.heapBusy].map((bytes) => (bytes / megabyte).toFixed(1))
  const note = `resident growth of the process; the thread's heap: ${heap[0]} empty, ${heap[1]} loaded, ${heap[2]} after ${baskets} baskets`
  const target = { text: `max < ${maximumMegabytes} MB`, met: grown < maximumMegabytes }
  yield { name: memoryCase.name, spread: spreadOf([grown]), unit: 'MB', note, target }
}

/** Measures the process while the thread is alive. */
function useOf(workerData: MemoryTask): Promise<{ use: MemoryUse; rss: number }> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./memory-thread.js', import.meta.url), { workerData })
    thread.once('error', reject)
    thread.once('message', (use: MemoryUse) => {
      const { rss } = process.memoryUsage()
      void thread.terminate().then(() => resolve({ use, rss }))
    })
  })
}
