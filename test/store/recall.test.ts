import t from 'tap'
import type { CalculationRecord, Ledger } from '../../store/index.js'
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

t.test('restored records are remembered again, because the next promoted standby may lack them too', async (t) => {
  const asked: string[] = []
  const confirm = async ({ calculationId }: CalculationRecord) => {
    asked.push(calculationId)
    return { kind: 'confirmed' }
  }
  let nowMs = 0
  let move: (move: Move) => void = () => {}
  let report: (recalled: Recalled) => void = () => {}
  const ledger = withRecall(
    { confirm } as unknown as Ledger,
    {
      onMove(notify) {
        move = notify
      },
    },
    (recalled) => report(recalled),
    () => nowMs,
  )
  const promote = async (timeline: number) => {
    const recalled = new Promise<Recalled>((resolve) => {
      report = resolve
    })
    move({ url: 'postgres://u@a/db', timeline, from: timeline - 1 })
    t.match(await recalled, { timeline, refused: [], failed: 0 })
    return asked.splice(0)
  }

  await ledger.confirm(record('first'), 1_000)
  nowMs = keptMs - 1
  t.same(asked.splice(0), ['first'])
  t.same(await promote(2), ['first'])
  nowMs = keptMs + 1
  await ledger.confirm(record('second'), 1_000)
  t.same(asked.splice(0), ['second'])
  t.same(await promote(3), ['first', 'second'])
  nowMs = 3 * keptMs
  await ledger.confirm(record('third'), 1_000)
  asked.splice(0)
  t.same(await promote(4), ['third'], 'older records are dropped')
})
