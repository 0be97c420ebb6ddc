import t from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { priceWithheldBaskets } from '../../../gateway/use-cases/price-withheld.js'
import type { WithheldBasket } from '../../../store/ledger/experiments.js'

t.test('a basket that cannot be priced now does not keep others waiting', async (t) => {
  const due = ['a', 'b', 'c'].map((calculationId) => ({ calculationId, experimentId: 'happy' }))
  const priced: string[] = []
  const adminLedger = {
    calculations: {
      async find(calculationId: string) {
        if (calculationId === 'a') throw new EngineFault('thread_lost')
        return null
      },
    },
    experiments: {
      leaseWithheld: async () => due.splice(0),
      priceWithheld: async ({ calculationId }: WithheldBasket) => void priced.push(calculationId),
    },
  }
  const parts = { adminLedger, lowPriority: {}, log: {} } as unknown as Parameters<typeof priceWithheldBaskets>[0]
  await priceWithheldBaskets(parts, new AbortController().signal)
  t.same(priced, ['b', 'c'])
})
