import { parseArgs } from 'node:util'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { Dice } from '../../support/dice.js'
import { aDocument, aRandomBasket, publish, untilInForce } from './calculation-suite.js'
import { startServed } from './served.js'

/** Sends random baskets, publishes five further programmes, replays all baskets, and prints how many answers are byte for byte equal. */

const { values } = parseArgs({
  options: { count: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
})
const count = Number(values.count)
const atOnce = 16
const ended: (() => void)[] = []
const test = { teardown: (work: () => void) => ended.push(work) } as unknown as Test

const served = await startServed({ LOYALTY_DEADLINE_MS: '10000' })
const admin = served.admin(test)
const dice = new Dice(Number(values.seed))
const sent: string[] = []
for (let at = 0; at < count; at += atOnce) {
  const baskets = Array.from({ length: Math.min(atOnce, count - at) }, () => aRandomBasket(dice))
  const answers = await Promise.all(baskets.map((basket) => served.service.send('/v1/pos/basket', basket.text())))
  const bad = answers.find(({ status }) => status !== 200)
  if (bad !== undefined) throw new Error(bad.text)
  sent.push(...baskets.map((basket) => String(basket.body()['calculationId'])))
}
for (const percentage of [5, 7, 9, 11, 13]) {
  const document = aDocument((each) => {
    each['benefits'][0].reward.percentage = percentage
  })
  await untilInForce(admin, await publish(admin, document))
}
let identical = 0
for (let at = 0; at < count; at += atOnce) {
  const ids = sent.slice(at, at + atOnce)
  const replays = await Promise.all(
    ids.map((calculationId) => admin.ask(CalculationService.method.replayCalculation, { calculationId })),
  )
  for (const [place, replay] of replays.entries()) {
    if (replay.identical) identical += 1
    else process.stdout.write(`${ids[place]} differs: ${JSON.stringify(replay.differences)}\n`)
  }
}
process.stdout.write(
  `${identical} of ${count} replayed byte for byte after 5 further programmes (seed ${values.seed})\n`,
)
for (const work of ended) work()
await served.service.stop()
process.exitCode = identical === count ? 0 : 1
