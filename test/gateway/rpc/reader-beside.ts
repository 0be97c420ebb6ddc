import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { aBasket } from '../../e2e/basket.js'
import { messages } from '../../hostile/reader-messages.js'
import { openLoop, startMeasured } from './load.js'

/**
 * POS calls, first alone and then beside a reader that sends each of the hostile messages in a closed loop: `node
 * dist/test/gateway/rpc/reader-beside.js --rate 50 --seconds 10`. Prints the latencies of each span; a name chooses one message.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: 'string', default: '50' }, seconds: { type: 'string', default: '10' } },
})
const [rate, seconds] = [Number(values.rate), Number(values.seconds)]
const { served, stop } = await startMeasured('real')

async function pos(name: string): Promise<void> {
  const { text } = await openLoop({ rate, seconds, seed: 1 }, async () => {
    const basket = aBasket('ben').line({ productId: 'coffee', unitPrice: 450 })
    const { status, json } = await served.service.send('/v1/pos/basket', basket.text())
    return status === 200 ? json.status : String(status)
  })
  console.log(`${name}: ${text}`)
}

await pos('warm-up')
for (const [name] of messages.filter(([each]) => positionals.every((word) => each.includes(word)))) {
  await pos('alone')
  // In a separate thread: the cost of sending must not add to the service's latency.
  const reader = new Worker(new URL('./reader-loop.js', import.meta.url), {
    workerData: { target: served.target, token: served.tokens.reader, name },
  })
  await pos(name)
  await reader.terminate()
}
await stop()
