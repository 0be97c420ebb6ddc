import t from 'tap'
import { counterKey, type Want } from '../../../engine/core/base/outcome.js'
import { keepCalculation } from '../../../gateway/use-cases/keep-calculation.js'
import type { KeepParts } from '../../../gateway/use-cases/keep-outcome.js'
import type { Cache, KeepReply, Marks } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { AnswerLookup, CalculationRecord, ConfirmReply } from '../../../store/ledger/calculations.js'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { openLink } from '../../faults/link.js'
import { aRecord, untilAnswering, vouchForAll } from '../../store/redis/caches.js'
import { Dice } from '../../support/dice.js'
import type { Ledger } from '../../support/open-ledger.js'
import { startRedis } from '../../support/servers/start-redis.js'

const want: Want = { limitId: 'limit-1', subject: '', period: '', units: 1, maximum: 10 }
const limited = {
  calculationId: 'c-1',
  supersedesCalculationId: null,
  holds: [want],
  spending: null,
} as unknown as CalculationRecord
const unlimited = { ...limited, holds: [], spending: null }
const spending = { ...limited, holds: [], spending: '[]' }
const how = { withinMs: 400, ledgerFirst: false, marks: [] }

type Kind = StoreFault['kind'] | null

interface Behaviour {
  readonly confirm?: Kind
  readonly counters?: Kind
  readonly keep?: Kind
  readonly cacheShort?: boolean
  /** Units that the ledger has counted of 10. */
  readonly used?: number
  /** True when the store has been failing for seconds. */
  readonly lasting?: boolean
}

/** Stores that fail as given, and the calls they got, in order. */
function parts({ confirm = null, counters = null, keep = null, cacheShort = false, ...behaviour }: Behaviour = {}) {
  const { lasting = false, used = 10 } = behaviour
  const asked: string[] = []
  const fail = (store: 'cache' | 'ledger', kind: unknown) => {
    if (kind !== null) throw new StoreFault(store, kind as NonNullable<Kind>, { lasting })
  }
  const cache = {
    async claim() {
      asked.push('claim')
      return { kind: 'claimed' }
    },
    release: async () => void asked.push('release'),
    remember: async () => void asked.push('remember'),
    async keep() {
      asked.push('keep')
      fail('cache', keep)
      return { kind: 'kept' }
    },
    reserve: async () => (cacheShort ? { kind: 'short', left: { [counterKey(want)]: 0 } } : { kind: 'reserved' }),
    giveBack: async () => void asked.push('giveBack'),
    forgetCounters: async () => {},
  } as unknown as Cache
  const ledger = {
    calculations: {
      async confirm(): Promise<ConfirmReply> {
        asked.push('confirm')
        fail('ledger', confirm)
        return { kind: 'confirmed' }
      },
    },
    counters: {
      async lookUp() {
        fail('ledger', counters)
        return [{ ...want, used, open: 0 }]
      },
    },
  } as unknown as Ledger
  const journal = {
    add: () => void asked.push('journal'),
    holdCopy: () => void asked.push('copy'),
    track: <T>(call: Promise<T>) => call,
    decides: () => {},
    decided: () => {},
  }
  const vouching = {
    marks: ['vouched'],
    usesCache: true,
    recover: async () => void asked.push('recover'),
    pass: async () => void asked.push('pass'),
  }
  const given = {
    cache,
    posLedger: ledger,
    journal,
    vouching,
    expiryS: 1,
    inBackground: () => {},
  } as unknown as KeepParts
  return { given, asked }
}

for (const kind of ['unreachable', 'timeout', 'full'] as const) {
  t.test(`a ledger out of reach for seconds (${kind}) leaves a basket without limited benefits`, async (t) => {
    const confirming = parts({ confirm: kind, lasting: true })
    t.same(await keepCalculation(confirming.given, limited, how), { kind: 'limits_unknown' })
    t.same(confirming.asked, ['claim', 'confirm', 'release', 'giveBack'])
    const asking = parts({ counters: kind, cacheShort: true, lasting: true })
    t.same(await keepCalculation(asking.given, limited, how), { kind: 'limits_unknown' })
  })

  t.test(`a ledger that could not be reached just now (${kind}) never causes a "no"`, async (t) => {
    const confirming = parts({ confirm: kind })
    t.same(await keepCalculation(confirming.given, limited, how), { kind: 'busy' })
    t.same(confirming.asked, ['claim', 'confirm', 'release', 'giveBack'])
    const asking = parts({ counters: kind, cacheShort: true })
    t.same(await keepCalculation(asking.given, limited, how), { kind: 'busy' })
    const first = parts({ confirm: kind })
    const kept = await keepCalculation(first.given, unlimited, { ...how, ledgerFirst: true })
    t.same(kept, { kind: 'kept', by: 'cache' }, 'a basket that takes nothing limited goes on')
  })
}

t.test('a busy ledger never causes a "no": nothing is stored, held or claimed', async (t) => {
  const confirming = parts({ confirm: 'busy' })
  t.same(await keepCalculation(confirming.given, limited, how), { kind: 'busy' })
  t.same(confirming.asked, ['claim', 'confirm', 'release', 'giveBack'])
  const asking = parts({ counters: 'busy', cacheShort: true })
  t.same(await keepCalculation(asking.given, limited, how), { kind: 'busy' })
  t.same(asking.asked, ['claim', 'release'])
  const first = parts({ confirm: 'busy' })
  await t.rejects(
    keepCalculation(first.given, unlimited, { ...how, ledgerFirst: true }),
    new StoreFault('ledger', 'busy'),
  )
  t.notOk(first.asked.includes('keep'))
})

t.test('a commit in doubt stays claimed, and nothing else is stored in its place', async (t) => {
  const { given, asked } = parts({ confirm: 'in_doubt' })
  await t.rejects(keepCalculation(given, limited, how), new StoreFault('ledger', 'in_doubt'))
  t.same(asked, ['claim', 'confirm'])
  const first = parts({ confirm: 'in_doubt' })
  await t.rejects(
    keepCalculation(first.given, unlimited, { ...how, ledgerFirst: true }),
    new StoreFault('ledger', 'in_doubt'),
  )
  t.same(first.asked, ['claim', 'confirm'], 'also where the cache could keep it')
})

t.test('a "no" of the cache is returned only once the ledger confirms it', async (t) => {
  const { given } = parts({ cacheShort: true })
  t.same(await keepCalculation(given, limited, how), { kind: 'short', left: { [counterKey(want)]: 0 } })
  const wrong = parts({ cacheShort: true, used: 9 })
  t.same(await keepCalculation(wrong.given, limited, how), { kind: 'kept', by: 'ledger' })
})

t.test(
  'a basket without limited benefits takes one step in the cache, or in the ledger where the cache is down',
  async (t) => {
    const hot = parts()
    t.same(await keepCalculation(hot.given, unlimited, how), { kind: 'kept', by: 'cache' })
    t.same(hot.asked, ['keep', 'journal'])
    const away = parts({ keep: 'unreachable' })
    t.same(await keepCalculation(away.given, unlimited, how), { kind: 'kept', by: 'ledger' })
  },
)

t.test('a limit of the member alone is left to the ledger; a shared one is filtered first', async (t) => {
  const own = { ...limited, memberId: 'm1', holds: [{ ...want, subject: 'm1' }] } as unknown as CalculationRecord
  const { given, asked } = parts({ cacheShort: true, confirm: 'busy' })
  t.same(await keepCalculation(given, own, how), { kind: 'busy' })
  t.same(asked, ['claim', 'confirm', 'release'], 'neither reserved nor given back')
  const both = { ...own, holds: [...own.holds, want] } as unknown as CalculationRecord
  t.match(await keepCalculation(parts({ cacheShort: true }).given, both, how), { kind: 'short' })
})

t.test('a counter unknown to the cache is loaded for later calls, and no call waits for it', async (t) => {
  const { given, asked } = parts()
  const cache = {
    ...given.cache!,
    reserve: async () => ({ kind: 'unknown', names: [want] }),
    loadCounters: async () => void asked.push('load'),
  }
  const background: Promise<unknown>[] = []
  const there = { ...given, cache, inBackground: (work: Promise<unknown>) => void background.push(work) } as KeepParts
  t.same(await keepCalculation(there, limited, how), { kind: 'kept', by: 'ledger' })
  await Promise.all(background)
  t.same(asked.toSorted(), ['claim', 'confirm', 'load'])
})

t.test('a superseded basket is in the ledger before its successor', async (t) => {
  const { given, asked } = parts()
  let arrive = () => {}
  const landed = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const there = {
    ...given,
    journal: { ...given.journal, ensureInLedger: () => landed.then(() => 'looked') },
  } as unknown as KeepParts
  const keeping = keepCalculation(there, { ...unlimited, supersedesCalculationId: 'c-0' }, how)
  await new Promise((resolve) => setImmediate(resolve))
  t.same(asked, ['claim'])
  arrive()
  t.same(await keeping, { kind: 'kept', by: 'ledger' })
  t.same(asked, ['claim', 'confirm'])
})

t.test('an answer already in the cache is copied before it is returned', async (t) => {
  const answer = { digest: Buffer.alloc(32), packed: Buffer.from('packed') }
  const known = async () => ({ kind: 'known', answer, record: null }) as const
  const { given, asked } = parts()
  const there = { ...given, cache: { ...given.cache!, claim: known, keep: known } } as KeepParts
  const expected = { kind: 'known', lookup: { kind: 'stored', answer } }
  t.same(await keepCalculation(there, unlimited, how), expected)
  t.same(await keepCalculation(there, limited, how), expected)
  t.same(asked, ['copy', 'copy'])
})

t.test(
  'a call that finds its own answer after a late reply of Redis is no repeat; one with another answer is',
  async (t) => {
    const server = await startRedis()
    t.teardown(() => server.stop())
    /** Holds every reply back once the script has stored an answer. */
    const link = await openLink(server.port, new Dice(1), () => (bytes) => {
      if (bytes.includes('kept')) link.hang()
      return bytes
    })
    t.teardown(() => link.close())
    const cache = createRedisCache({ url: `redis://127.0.0.1:${link.port}`, callMs: 500 })
    t.teardown(() => cache.close())
    await untilAnswering(cache)
    const marks = await vouchForAll(cache)
    const { given } = parts()
    let late = 0
    const track = <T>(call: Promise<T>) =>
      call.catch((error: unknown) => {
        late += 1
        link.heal()
        throw error
      })
    const there = { ...given, cache, journal: { ...given.journal, track } } as KeepParts
    const record = aRecord()
    const options = { ...how, withinMs: 5_000, marks }
    t.same(await keepCalculation(there, record, options), { kind: 'kept', by: 'cache' })
    t.equal(late, 1)
    const { digest, packed } = aRecord()
    const { keep } = parts({ keep: 'timeout' }).given.cache!
    const failing = { ...given, cache: { ...cache, keep } } as KeepParts
    const found = await keepCalculation(failing, { ...record, digest, packed }, options)
    t.match(found, { kind: 'known', lookup: { answer: { packed: record.packed } } })
  },
)

t.test(
  'where Redis may have lost answers, the ledger is asked after everybody has flushed, then Redis once more',
  async (t) => {
    const { given, asked } = parts()
    const replies = ['unvouched', 'kept']
    const cache = {
      ...given.cache!,
      keep: async (_record: CalculationRecord, marks: Marks) => {
        asked.push(`keep ${marks}`)
        return { kind: replies.shift() } as KeepReply
      },
    }
    let lookup: AnswerLookup = { kind: 'unknown' }
    const ledger = {
      ...given.posLedger,
      calculations: {
        async findAnswer() {
          asked.push('look')
          return lookup
        },
      },
    }
    const there = { ...given, cache, posLedger: ledger } as unknown as KeepParts
    t.same(await keepCalculation(there, unlimited, how), { kind: 'kept', by: 'cache' })
    t.same(asked, ['keep ', 'recover', 'look', 'keep vouched', 'journal'])
    lookup = { kind: 'outlived' }
    replies.push('unvouched')
    t.same(await keepCalculation(there, unlimited, how), { kind: 'known', lookup })
  },
)

t.test('a ledger that decides without Redis waits for what others have answered from it', async (t) => {
  const { given, asked } = parts({ keep: 'unreachable' })
  const out = async () => {
    throw new StoreFault('cache', 'unreachable')
  }
  const there = { ...given, cache: { ...given.cache!, claim: out } } as unknown as KeepParts
  t.same(await keepCalculation(there, unlimited, how), { kind: 'kept', by: 'ledger' })
  t.same(asked, ['keep', 'pass', 'confirm'])
})

t.test('a gateway that others do not wait for stores nothing in Redis alone', async (t) => {
  const { given, asked } = parts()
  const there = { ...given, vouching: { ...given.vouching, usesCache: false } } as KeepParts
  t.same(await keepCalculation(there, unlimited, how), { kind: 'kept', by: 'ledger' })
  t.notOk(asked.includes('keep'))
})

t.test('while the ledger decides under a claim that Redis has lost, a call with the claim waits for it', async (t) => {
  const underWay = async (record: CalculationRecord, behaviour: Behaviour, ends = true) => {
    const { given, asked } = parts(behaviour)
    const journal = {
      ...given.journal,
      decides: () => void asked.push('decides'),
      decided: () => void asked.push('decided'),
    }
    await keepCalculation({ ...given, journal } as KeepParts, record, { ...how, ledgerFirst: true }).catch(() => {})
    const times = [asked.indexOf('claim'), asked.indexOf('decides'), asked.indexOf('confirm'), asked.indexOf('decided')]
    t.same(times.slice(0, 3), [0, 1, 2])
    t.equal(times[3] === 3, ends)
  }
  for (const record of [limited, unlimited]) {
    await underWay(record, {})
    await underWay(record, { confirm: 'busy' })
    await underWay(record, { confirm: 'in_doubt' }, false)
  }
})

t.test('a basket that spends is kept by the ledger alone; without it the basket is priced again without', async (t) => {
  const { given, asked } = parts()
  t.same(await keepCalculation(given, spending, how), { kind: 'kept', by: 'ledger' })
  t.same(asked, ['claim', 'confirm'])
  const lost = parts({ confirm: 'unreachable', lasting: true })
  t.same(await keepCalculation(lost.given, spending, how), { kind: 'limits_unknown' })
  t.same(await keepCalculation(parts({ confirm: 'unreachable' }).given, spending, how), { kind: 'busy' })
})
