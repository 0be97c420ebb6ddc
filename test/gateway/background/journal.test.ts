import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createJournal } from '../../../gateway/background/journal.js'
import { every } from '../../../gateway/config/every.js'
import type { Cache } from '../../../store/cache.js'
import { ignoreStoreFault, StoreFault } from '../../../store/fault.js'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import type { Ledger } from '../../support/open-ledger.js'
import { until } from '../../support/until.js'

/** More than any pass of the journal takes. */
const plentyMs = 120_000

const record = (calculationId: string) => ({ calculationId }) as CalculationRecord

/** The journal's view of the two stores; each can be out of reach. */
function stores() {
  const state = { ledgerOut: false, cacheOut: false, stored: [] as string[], journalled: [] as string[] }
  const reach = (store: 'cache' | 'ledger') => {
    if (store === 'cache' ? state.cacheOut : state.ledgerOut) throw new StoreFault(store, 'unreachable')
  }
  const ledger = {
    calculations: {
      async store(records: readonly CalculationRecord[]) {
        reach('ledger')
        state.stored.push(...records.map(({ calculationId }) => calculationId))
        return []
      },
    },
  } as unknown as Ledger
  const cache = {
    async forgetJournalled(calculationIds: readonly string[]) {
      reach('cache')
      state.journalled = state.journalled.filter((id) => !calculationIds.includes(id))
    },
    async readJournal() {
      reach('cache')
      return state.journalled.map(record)
    },
    async findJournalled(calculationId: string) {
      reach('cache')
      return state.journalled.includes(calculationId) ? record(calculationId) : null
    },
  } as unknown as Cache
  return { state, posLedger: ledger, cache }
}

function journalOn(parts: { cache: Cache | null; posLedger: Ledger }) {
  const bugs: unknown[] = []
  const journal = createJournal({ ...parts, onBug: (error) => bugs.push(error) })
  return { journal, bugs, tidying: () => every(20, () => journal.tidy().catch(ignoreStoreFault)) }
}

t.test('what was added reaches the ledger and leaves the cache’s journal', async (t) => {
  const { state, ...parts } = stores()
  const { journal, bugs } = journalOn(parts)
  state.journalled.push('a')
  journal.add(record('a'))
  t.equal(await journal.close(plentyMs), 0)
  t.same(state, { ledgerOut: false, cacheOut: false, stored: ['a'], journalled: [] })
  t.same(bugs, [])
})

t.test(
  'with the ledger out of reach the copies wait, also where the cache forgets, and go on when it is back',
  async (t) => {
    const { state, ...parts } = stores()
    const { journal } = journalOn(parts)
    state.ledgerOut = true
    journal.add(record('a'))
    await sleep(60)
    t.equal(journal.depth, 1)
    state.cacheOut = true
    state.ledgerOut = false
    t.equal(await journal.close(plentyMs), 0)
    t.same(state.stored, ['a'])
  },
)

t.test('a record that another gateway left behind is brought home before a sale is judged', async (t) => {
  const { state, ...parts } = stores()
  const { journal } = journalOn(parts)
  state.journalled.push('b')
  t.equal(await journal.ensureInLedger('b'), 'looked')
  t.same(state.stored, ['b'])
  state.cacheOut = true
  t.equal(await journal.ensureInLedger('c'), 'cannot_look')
  state.cacheOut = false
  await journal.close(plentyMs)
  t.same(state.journalled, [])
})

t.test('what was brought home by this gateway is not looked for again', async (t) => {
  const { state, ...parts } = stores()
  const { journal } = journalOn(parts)
  state.journalled.push('b')
  await journal.ensureInLedger('b')
  state.cacheOut = true
  t.equal(await journal.ensureInLedger('b'), 'looked')
  journal.holdCopy(record('b'))
  t.same({ stored: state.stored, depth: journal.depth }, { stored: ['b'], depth: 0 })
  await journal.close(plentyMs)
})

t.test('the cache is notified what has landed also while more keeps coming than lands', async (t) => {
  const { state, posLedger: ledger, cache } = stores()
  const plenty = 1_000
  let next = 0
  let received = 0
  const come = () => {
    for (let count = 0; count < 64; count += 1) journal.add(record(`r-${next++}`))
  }
  const behind = {
    calculations: {
      async store(records: readonly CalculationRecord[]) {
        const contradicted = await ledger.calculations.store(records)
        if (received === 0 && next < 10 * plenty) come()
        return contradicted
      },
    },
  } as unknown as Ledger
  const listening = {
    ...cache,
    async forgetJournalled(calculationIds: readonly string[]) {
      if (calculationIds.length > 0 && journal.depth > 0) received += calculationIds.length
    },
  } as Cache
  const { journal } = journalOn({ cache: listening, posLedger: behind })
  come()
  t.equal(await journal.close(plentyMs), 0)
  t.ok(received >= plenty && received < 2 * plenty, `${received}`)
  t.equal(state.stored.length, next)
})

t.test('orphans of a dead gateway are adopted', async (t) => {
  const { state, ...parts } = stores()
  const { journal, tidying } = journalOn(parts)
  t.teardown(tidying())
  state.journalled.push('c')
  const stored = await until(
    () => state.stored,
    ({ length }) => length > 0,
  )
  t.same(stored, ['c'])
  const left = await until(
    () => state.journalled,
    ({ length }) => length === 0,
  )
  t.same(left, [], 'and leave the cache’s journal')
  await journal.close(plentyMs)
})

t.test('without a cache there is nothing to look for', async (t) => {
  const { journal } = journalOn({ cache: null, posLedger: stores().posLedger })
  t.equal(await journal.ensureInLedger('d'), 'looked')
  t.equal(await journal.close(0), 0)
})

t.test('whoever answers from the cache holds a copy, so that a cache that then forgets loses nothing', async (t) => {
  const { state, ...parts } = stores()
  const { journal, bugs } = journalOn(parts)
  state.ledgerOut = true
  state.journalled.push('a')
  journal.holdCopy(record('a'))
  journal.holdCopy(null)
  state.journalled = []
  t.equal(journal.depth, 1)
  t.match(journal.find('a'), { calculationId: 'a' })
  state.ledgerOut = false
  t.equal(await journal.close(2_000), 0)
  t.same(state.stored, ['a'])
  t.same(bugs, [])
})

t.test('an answer that the ledger has otherwise is corrected in Redis, and reported', async (t) => {
  const { state, posLedger: ledger, cache } = stores()
  const corrected: unknown[] = []
  const received: unknown[] = []
  const answer = { digest: Buffer.alloc(32), packed: Buffer.from('of the ledger') }
  const other = {
    ...ledger,
    calculations: {
      ...ledger.calculations,
      store: async () => ['a'],
      findAnswer: async () => ({ kind: 'stored', answer }),
    },
  } as unknown as Ledger
  const correcting = { ...cache, correct: async (...args: unknown[]) => void corrected.push(args) } as unknown as Cache
  const onContradiction = (ids: readonly string[]) => void received.push(ids)
  const journal = createJournal({ cache: correcting, posLedger: other, onBug: t.error, onContradiction })
  journal.add(record('a'))
  t.equal(await journal.close(plentyMs), 0)
  t.same(corrected, [['a', answer]])
  t.same(received, [['a']])
  t.same(state.stored, [])
})

t.test('a flush waits for calls under way, which take a copy of what they find', async (t) => {
  const { state, ...parts } = stores()
  const { journal } = journalOn(parts)
  let arrive = () => {}
  const reply = new Promise<void>((resolve) => {
    arrive = resolve
  })
  void journal.track(reply.then(() => journal.add(record('late'))))
  t.equal(journal.isIdle(), false)
  const flushing = journal.flushNow()
  arrive()
  await flushing
  t.same(state.stored, ['late'])
  await journal.close(plentyMs)
})

t.test('an orphan that the ledger refuses does not stop those with it', async (t) => {
  const { state, posLedger: ledger, cache } = stores()
  const refusing = {
    calculations: {
      async store(records: readonly CalculationRecord[]) {
        if (records.some(({ calculationId }) => calculationId === 'broken')) throw new Error('22P02')
        return await ledger.calculations.store(records)
      },
    },
  } as unknown as Ledger
  const { journal, bugs, tidying } = journalOn({ cache, posLedger: refusing })
  t.teardown(tidying())
  state.journalled.push('broken', 'whole')
  t.same(
    await until(
      () => state.journalled,
      ({ length }) => length === 0,
    ),
    [],
  )
  t.same(state.stored, ['whole'])
  t.ok(bugs.length > 0)
  await journal.close(plentyMs)
})

t.test('where the ledger refuses every orphan, it is not theirs, and none is dropped', async (t) => {
  const { state, cache } = stores()
  const refusing = {
    calculations: {
      async store() {
        throw new Error('no partition of relation "calculation_body" found for row')
      },
    },
  } as unknown as Ledger
  const { journal, bugs, tidying } = journalOn({ cache, posLedger: refusing })
  t.teardown(tidying())
  state.journalled.push('a', 'b')
  await until(
    () => bugs,
    ({ length }) => length > 2,
  )
  t.same(state.journalled, ['a', 'b'])
  await journal.close(plentyMs)
})

t.test('a copy that the ledger will not take stops neither those with it nor whoever waits for a flush', async (t) => {
  const { state, posLedger: ledger, cache } = stores()
  let mended = false
  const refusing = {
    calculations: {
      async store(records: readonly CalculationRecord[]) {
        if (!mended && records.some(({ calculationId }) => calculationId === 'broken')) throw new Error('22P05')
        return await ledger.calculations.store(records)
      },
    },
  } as unknown as Ledger
  const { journal, bugs } = journalOn({ cache, posLedger: refusing })
  journal.add(record('broken'))
  journal.add(record('whole'))
  await journal.flushNow()
  t.same(state.stored, ['whole'])
  t.equal(journal.depth, 1, 'it is held on to')
  t.ok(bugs.length > 0)
  mended = true
  t.equal(await journal.close(plentyMs), 0, 'and tried again')
  t.same(state.stored, ['whole', 'broken'])
})

t.test('a flush waits for what the ledger decides under a claim, to its end or its time', async (t) => {
  const { state: _state, ...parts } = stores()
  const { journal } = journalOn(parts)
  const flush = async () => {
    let flushed = false
    const flushing = journal.flushNow().then(() => {
      flushed = true
    })
    await sleep(50)
    return { flushing, isEarly: flushed }
  }
  journal.decides('a', performance.now() + plentyMs)
  const { flushing, isEarly } = await flush()
  t.equal(isEarly, false)
  journal.decides('later', performance.now() + plentyMs)
  journal.decided('a')
  await flushing
  journal.decided('later')
  journal.decides('lost', performance.now())
  await (await flush()).flushing
  await journal.close(plentyMs)
})
