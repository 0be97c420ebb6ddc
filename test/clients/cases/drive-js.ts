import { createInterface } from 'node:readline'
import { PosClient } from '../../../clients/pos-js/pos-client.js'

/** Calls the JavaScript client as the cases ask: one JSON object a line in, one out. */
for await (const line of createInterface({ input: process.stdin })) {
  const { url, secret, folder, attemptMs, pauseMs = 1, basket, prices, sale, returned, leave } = JSON.parse(line)
  const client = await PosClient.open({
    service: { url, secret },
    queueFolder: folder,
    times: { attemptMs, capMs: attemptMs * 6 },
    patience: { timeoutMs: 5_000, pauseMs, pauseMaxMs: 8 * pauseMs, horizonMs: 3_600_000 },
  })
  const answer =
    returned !== undefined
      ? await returnedBy(client, returned)
      : basket === undefined
        ? await recorded(client, sale, leave)
        : await client.calculate(basket, { products: prices })
  await client.close()
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

/** @param leave  closes the client at once */
async function recorded(client: PosClient, sale: Parameters<PosClient['record']>[0], leave = false): Promise<object> {
  const recording = await client.record(sale)
  if (leave) await client.close()
  const { kind: end, attempts } = await recording.end
  return { end, attempts, waiting: client.waiting }
}

async function returnedBy(client: PosClient, returned: Parameters<PosClient['recordReturn']>[0]): Promise<object> {
  const { kind: end, ...sent } = await client.recordReturn(returned)
  return { end, result: null, refund: null, ...('answer' in sent ? sent.answer : {}) }
}
