import t from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Recounted } from '../../store/ledger/sales.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Move } from '../../store/postgres/connection/primary.js'
import { keptMs, type Recalled, withRecall } from '../../store/postgres/connection/recall.js'

t.setTimeout(300_000)

const record = (calculationId: string) =>
  ({
    calculationId,
    supersedesCalculationId: null,
    packed: Buffer.from('packed'),
    inputs: Buffer.from('inputs'),
    explanation: Buffer.from('explanation'),
  }) as unknown as CalculationRecord

t.test('what was put back is remembered anew, for who is promoted next may lack it again', async (t) => {
  const asked: string[] = []
  const confirm = async ({ calculationId }: CalculationRecord) => {
    asked.push(calculationId)
    return { kind: 'confirmed' }
  }
  let nowMs = 0
  let move: (move: Move) => void = () => {}
  let noted: (recalled: Recalled) => void = () => {}
  const ledger = withRecall(
    {
      calculations: {
        confirm,
      },
      sales: {},
      counters: {},
      gateways: {},
    } as unknown as PosLedger,
    {
      findCalculation: async () => null,
      primary: {
        onMove(note) {
          move = note
        },
      },
      onRecalled: (recalled) => noted(recalled),
      nowMs: () => nowMs,
    },
  )
  const promote = async (timeline: number) => {
    const recalled = new Promise<Recalled>((resolve) => {
      noted = resolve
    })
    move({ url: 'postgres://u@a/db', timeline, from: timeline - 1 })
    t.match(await recalled, { timeline, refused: [], failed: 0 })
    return asked.splice(0)
  }

  await ledger.calculations.confirm(record('first'), 1_000)
  nowMs = keptMs - 1
  t.same(asked.splice(0), ['first'])
  t.same(await promote(2), ['first'])
  nowMs = keptMs + 1
  await ledger.calculations.confirm(record('second'), 1_000)
  t.same(asked.splice(0), ['second'])
  t.same(await promote(3), ['first', 'second'])
  nowMs = 3 * keptMs
  await ledger.calculations.confirm(record('third'), 1_000)
  asked.splice(0)
  t.same(await promote(4), ['third'], 'what is older than that is not kept')
})

t.test('a sale is put back with what was counted of it, and without where that no longer fits', async (t) => {
  const asked: unknown[][] = []
  let replies: readonly { readonly kind: string }[] = []
  const reply = { discrepancies: [], freed: [] }
  const sales = {
    record: async ({ calculationId }: SaleEvent, _: Uint8Array, recounted?: Recounted) => {
      asked.push([calculationId, recounted])
      const [next] = replies
      replies = replies.slice(1)
      return { ...(next!.kind === 'recorded' ? reply : {}), ...next }
    },
  }
  let move: (move: Move) => void = () => {}
  let noted: (recalled: Recalled) => void = () => {}
  const ledger = withRecall({ calculations: {}, sales, counters: {}, gateways: {} } as unknown as PosLedger, {
    findCalculation: async () => null,
    primary: {
      onMove(note) {
        move = note
      },
    },
    onRecalled: (recalled) => noted(recalled),
  })
  const event = { calculationId: 'sold' } as unknown as SaleEvent
  const counted = { earning: '{}' }
  replies = [{ kind: 'paid_less' }, { kind: 'recorded' }]
  await ledger.sales.record(event, Buffer.from('{}'))
  await ledger.sales.record(event, Buffer.from('{}'), counted)
  t.same(asked.splice(0), [
    ['sold', undefined],
    ['sold', counted],
  ])
  replies = [{ kind: 'uncounted' }, { kind: 'recorded' }]
  const recalled = new Promise<Recalled>((resolve) => {
    noted = resolve
  })
  move({ url: 'postgres://u@a/db', timeline: 2, from: 1 })
  t.match(await recalled, { restored: 1, failed: 0 })
  t.same(asked, [
    ['sold', counted],
    ['sold', 'unknown'],
  ])
})
