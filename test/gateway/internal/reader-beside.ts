import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { aBasket } from '../../e2e/basket.js'
import { messages } from '../../hostile/reader-messages.js'
import { openLoop, startMeasured } from './load.js'

/**
 * POS calls, first alone and then beside a reader that sends each of the hostile messages in a closed loop: `node
 * dist/test/gateway/internal/reader-beside.js --rate 50 --seconds 10`. Prints the latencies of each span; a name chooses one message. With
 * several builds (`--main`, each the path of a `gateway/main.js`) they take turns.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '10' },
    main: { type: 'string', multiple: true },
    processes: { type: 'string', default: 'auto' },
  },
})
const [rate, seconds] = [Number(values.rate), Number(values.seconds)]
for (const main of values.main ?? [undefined]) await measure(main)

async function measure(main: string | undefined): Promise<void> {
  const { served, stop } = await startMeasured('real', main, { LOYALTY_PROCESSES: values.processes })
  const pos = async (name: string) => {
    const { text } = await openLoop({ rate, seconds, seed: 1 }, async () => {
      const basket = aBasket('ben').line({ productId: 'coffee', unitPrice: 450 })
      const { status, json } = await served.service.send('/v1/pos/basket', basket.text())
      return status === 200 ? json.status : String(status)
    })
    console.log(`${main === undefined ? '' : `${main}: `}${name}: ${text}`)
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
}
