import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { Dice } from '../../support/dice.js'
import { openGrpcClient } from './grpc-client.js'
import { memoryMb, openLoop, startMeasured } from './load.js'

/**
 * Imports members over gRPC with progress, then sells to random ones of them: `node dist/test/gateway/internal/import-many.js --members
 * 1000000 --rate 200 --seconds 30`. Exits with 1 where a basket got an error.
 */
const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    stores: { type: 'string', default: 'real' },
  },
})
const batch = 1_000
const tellEvery = 50_000
const members = Number(values.members)
const seed = Number(values.seed)

const { served, stop } = await startMeasured(values.stores)
const { pid } = served.service.child
const client = openGrpcClient(served.target, served.tokens.admin)
console.log(`memory of the service ${memoryMb(pid)} MB`)
const startedAt = performance.now()
for (let from = 0; from < members; from += batch) {
  const size = Math.min(batch, members - from)
  await client.ask(MemberService.method.upsertMembers, {
    requestId: randomUUID(),
    members: Array.from({ length: size }, (_, at) => ({
      memberId: `imported-${from + at}`,
      loyaltyIds: [`card-${from + at}`, `phone-${from + at}`],
      tier: 'gold',
      segments: ['imported'],
    })),
  })
  const done = from + size
  if (done % tellEvery !== 0 && done !== members) continue
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(`${done} of ${members} members, ${(done / seconds).toFixed(0)}/s, ${memoryMb(pid)} MB`)
}
const dice = new Dice(seed)
const loop = await openLoop({ rate: Number(values.rate), seconds: Number(values.seconds), seed }, async () => {
  const basket = aBasket(`card-${dice.below(members)}`).line({ productId: 'coffee', unitPrice: 1_000 })
  const { status, json } = await served.service.send('/v1/pos/basket', basket.text())
  return status === 200 ? json.status : String(status)
})
console.log(`${loop.text}; ${memoryMb(pid)} MB`)
client.close()
await stop()
process.exitCode = [...loop.outcomes.keys()].every((word) => word === 'applied') ? 0 : 1
