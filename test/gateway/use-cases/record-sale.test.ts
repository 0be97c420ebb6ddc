import t from 'tap'
import { createRecordSale, type SaleParts } from '../../../gateway/use-cases/record-sale.js'
import { StoreFault } from '../../../store/fault.js'
import type { SaleReply } from '../../../store/ledger/sales.js'

const recorded: SaleReply = { kind: 'recorded', discrepancies: [], freed: [] }

interface Stores {
  /** The ledger's reply to the event. */
  readonly record: () => Promise<SaleReply>
  /** The calculation may be missing in the ledger. */
  readonly isMissing?: true
}

/** Records a sale, and lists the calls in order. */
async function recording({ record, isMissing }: Stores) {
  const asked: string[] = []
  const parts = {
    engine: {
      readSale: async () => ({ kind: 'read', event: { calculationId: 'c-1' } }),
    },
    cache: null,
    posLedger: {
      calculations: { findAnswer: async () => ({ kind: 'unknown' }) },
      sales: {
        async record() {
          asked.push('record')
          return await record()
        },
      },
    },
    journal: { ensureInLedger: async () => (isMissing ? 'cannot_look' : 'looked') },
    vouching: { pass: async () => void asked.push('pass') },
    deadlineMs: 60_000,
    inBackground: () => {},
  } as unknown as SaleParts
  const call = { body: Buffer.from('sale'), idempotencyKey: 'c-1', arrivedAtMs: performance.now() }
  return { reply: await createRecordSale(parts)(call), asked }
}

t.test('a sale is answered once the ledger has it', async (t) => {
  let isDurable = false
  const record = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    isDurable = true
    return recorded
  }
  t.match(await recording({ record }), { reply: { kind: 'answered', outcome: 'recorded' }, asked: ['record'] })
  t.ok(isDurable)
})

t.test('a sale that may not be in the ledger is a 503', async (t) => {
  for (const kind of ['in_doubt', 'busy', 'unreachable'] as const) {
    const record = () => Promise.reject(new StoreFault('ledger', kind))
    t.match((await recording({ record })).reply, { kind: 'unavailable', cause: `ledger ${kind}` })
  }
})

t.test('a sale is not recorded while its calculation may still be on its way', async (t) => {
  const { reply, asked } = await recording({ record: async () => recorded, isMissing: true })
  t.match(reply, { kind: 'unavailable', cause: 'cache unreachable' })
  t.same(asked, ['pass'])
})
