import { randomUUID } from 'node:crypto'
import t from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { sweepLadders } from '../../../gateway/use-cases/sweep-ladders.js'
import { StoreFault } from '../../../store/fault.js'
import type { LadderSweep, ReturnState } from '../../../store/ledger/returns.js'

/** A ledger with slices of sales and their facts; a fault is thrown. */
function aSweep(slices: readonly (readonly string[])[], stateOf: (id: string) => ReturnState | Error) {
  const seen = { asked: [] as string[], passed: [] as string[], warned: [] as unknown[] }
  let next = 0
  const sweep = async (): Promise<LadderSweep> => {
    const calculationIds = slices[next++]
    if (calculationIds === undefined) return { calculationIds: [], last: null }
    return { calculationIds, last: { recordedAtUs: next, calculationId: calculationIds.at(-1) ?? 'none' } }
  }
  const returns = {
    sweep,
    async passed({ calculationId }: { readonly calculationId: string }) {
      seen.passed.push(calculationId)
    },
    async find(id: string) {
      seen.asked.push(id)
      const state = stateOf(id)
      if (state instanceof Error) throw state
      return state
    },
  }
  const log = { warn: (facts: unknown) => void seen.warned.push(facts) }
  const parts = { adminLedger: { returns }, lowPriority: {}, log } as unknown as Parameters<typeof sweepLadders>[0]
  return { seen, run: (signal = new AbortController().signal) => sweepLadders(parts, signal) }
}

const known: ReturnState = { kind: 'not_sold' }

t.test('every slice is worked through, then passed; a sale without a ladder is passed over', async (t) => {
  const ids = [randomUUID(), randomUUID(), randomUUID()]
  const { seen, run } = aSweep([ids.slice(0, 2), [], ids.slice(2)], (id) =>
    id === ids[0] ? new Error('broken') : known,
  )
  await run()
  t.same(seen.asked, ids)
  t.same(seen.passed, [ids[1], 'none', ids[2]])
  t.match(seen.warned, [{ calculationId: ids[0] }])
  t.equal(seen.warned.length, 1)
})

t.test('where engine or ledger cannot answer, the slice is not passed', async (t) => {
  const busy = aSweep([['one', 'two']], () => new EngineFault('queue_full'))
  await busy.run()
  t.match(busy.seen, { asked: ['one'], passed: [], warned: [] })
  const away = aSweep([['one', 'two']], () => new StoreFault('ledger', 'timeout'))
  await t.rejects(away.run(), StoreFault)
  t.match(away.seen, { asked: ['one'], passed: [], warned: [] })
})

t.test('it ends when it is to stop', async (t) => {
  const stopping = new AbortController()
  const { seen, run } = aSweep([['one', 'two'], ['three']], () => {
    stopping.abort()
    return new Error('stopped')
  })
  await run(stopping.signal)
  t.match(seen, { asked: ['one'], passed: [], warned: [] })
})
