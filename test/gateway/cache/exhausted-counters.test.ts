import t from 'tap'
import { type CounterName, counterKey, type Want } from '../../../engine/core/base/outcome.js'
import { createExhaustedCounters } from '../../../gateway/cache/exhausted-counters.js'
import type { Ledger } from '../../support/open-ledger.js'

const want = (limitId: string, subject: string): Want => ({ limitId, subject, period: '', units: 1, maximum: 3 })

/** A ledger with given use of every counter; it records the calls. */
function aLedger(used: Record<string, number>) {
  const asked: string[][] = []
  const ledger = {
    counters: {
      async lookUp(names: readonly CounterName[]) {
        asked.push(names.map(({ limitId }) => limitId))
        return names.map((name) => ({ ...name, used: used[name.limitId] ?? 0, open: 0 }))
      },
    },
  }
  return { exhausted: createExhaustedCounters(ledger as unknown as Ledger), asked }
}

t.test(
  'the ledger is asked only about counters it lately reported as exhausted, of these subjects alone',
  async (t) => {
    const { exhausted, asked } = aLedger({ a: 3, b: 3, c: 3 })
    t.same(exhausted.asExhausted(1, ['m1', '']), {})
    t.same(await exhausted.askLedger(1, ['m1', '']), {})
    exhausted.note(1, [want('a', 'm1'), want('b', ''), want('c', 'm2')])
    t.same(exhausted.asExhausted(1, ['m1']), { [counterKey(want('a', 'm1'))]: 0 })
    t.same(exhausted.asExhausted(2, ['m1']), {}, 'of another version it is not known')
    t.same(await exhausted.askLedger(1, ['m1', '']), {
      [counterKey(want('a', 'm1'))]: 0,
      [counterKey(want('b', ''))]: 0,
    })
    t.same(asked, [['a', 'b']])
  },
)

t.test('a counter with units left again is reported once more and then forgotten', async (t) => {
  const used = { a: 3 }
  const { exhausted, asked } = aLedger(used)
  exhausted.note(1, [want('a', 'm1')])
  used.a = 1
  t.same(await exhausted.askLedger(1, ['m1']), { [counterKey(want('a', 'm1'))]: 2 })
  t.same(exhausted.asExhausted(1, ['m1']), {})
  t.same(await exhausted.askLedger(1, ['m1']), {})
  t.equal(asked.length, 1)
})

t.test('a counter with crumbs left is asked about until what was wanted is left, or more than crumbs', async (t) => {
  const used = { a: 9_950, b: 9_950 }
  const { exhausted } = aLedger(used)
  const budget = (limitId: string, units: number): Want => ({
    limitId,
    subject: '',
    period: '',
    units,
    maximum: 10_000,
  })
  exhausted.note(1, [budget('a', 60), budget('b', 600)])
  for (const left of [50, 50]) t.match(await exhausted.askLedger(1, ['']), { 'a\n\n': left, 'b\n\n': left })
  used.a = 9_940
  used.b = 9_901
  t.match(await exhausted.askLedger(1, ['']), { 'a\n\n': 60, 'b\n\n': 99 })
  used.b = 9_900
  t.strictSame(await exhausted.askLedger(1, ['']), { 'b\n\n': 100 })
  t.same(exhausted.asExhausted(1, ['']), {})
})

t.test('a maximum of another programme version is ignored', async (t) => {
  const { exhausted } = aLedger({ a: 3 })
  exhausted.note(1, [want('a', 'm1')])
  t.same(await exhausted.askLedger(2, ['m1']), {})
})

t.test('no subject fills the memory', async (t) => {
  const { exhausted, asked } = aLedger({})
  exhausted.note(
    1,
    Array.from({ length: 50 }, (_, at) => want(`limit-${at}`, '')),
  )
  await exhausted.askLedger(1, [''])
  t.same(asked[0], ['limit-49', 'limit-48', 'limit-47', 'limit-46', 'limit-45', 'limit-44', 'limit-43', 'limit-42'])
})
