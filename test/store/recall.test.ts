import t from 'tap'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
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
