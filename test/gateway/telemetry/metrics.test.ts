import t from 'tap'
import { DiscrepancySchema } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { wordFromEnum } from '../../../gateway/internal/messages/message.js'
import { discrepancyKinds } from '../../../gateway/telemetry/metrics.js'

t.test('the discrepancies that metrics count are those of the contract', async (t) => {
  const words = DiscrepancySchema.values.flatMap(({ number }) => wordFromEnum(DiscrepancySchema, number) ?? [])
  t.same(discrepancyKinds, words)
})
