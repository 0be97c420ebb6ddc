import t from 'tap'
import type { PricingEngine } from '../../../engine/index.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { observedCache, observedEngine, observedLedger } from '../../../gateway/telemetry/observed.js'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { Ledger } from '../../support/open-ledger.js'

/** A sample of the text of /metrics by name and labels; undefined where there is none. */
function sampleOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

t.test('decisions of the ledger are counted, and every call with its outcome', async (t) => {
  const metrics = createMetrics()
  const replies = [{ kind: 'confirmed' }, { kind: 'short', left: {} }, { kind: 'known' }]
  const both = {
    clock: () => 7,
    calculations: {
      confirm: async () => replies.shift(),
      expire: async () => 3,
    },
    sales: {
      record: async () => ({ kind: 'recorded', discrepancies: ['late_event', 'limit_exceeded'], freed: [] }),
    },
    venues: {
      lookUp: async () => Promise.reject(new StoreFault('ledger', 'timeout')),
    },
    members: {
      lookUp: async () => Promise.reject(new Error('a bug')),
    },
    audit: { list: async () => ({ records: [], next: null }) },
  } as unknown as Ledger
  const { posLedger, adminLedger } = observedLedger({ posLedger: both, adminLedger: both }, metrics)
  type Confirmed = Parameters<Ledger['calculations']['confirm']>
  const [limited, free] = [{ holds: [{}] }, { holds: [] }] as unknown as [Confirmed[0], Confirmed[0]]
  t.match(await posLedger.calculations.confirm(limited, 1), { kind: 'confirmed' })
  for (const record of [limited, free]) await posLedger.calculations.confirm(record, 1)
  t.equal(await posLedger.calculations.expire(9), 3)
  await posLedger.sales.record({} as never, Buffer.alloc(0))
  await t.rejects(posLedger.venues.lookUp('v'), /timeout/)
  await t.rejects(posLedger.members.lookUp('m'), { message: 'a bug' })
  await adminLedger.audit.list(null, { after: null, limit: 1 })
  t.equal(posLedger.clock(), 7)
  t.equal(adminLedger.audit.list, adminLedger.audit.list, 'a method stays the same one')

  const text = await metrics.text()
  t.equal(sampleOf(text, 'loyalty_limited_calculations_total{outcome="granted"}'), 1)
  t.equal(sampleOf(text, 'loyalty_limited_calculations_total{outcome="short"}'), 1)
  t.equal(sampleOf(text, 'loyalty_calculations_expired_total'), 3)
  for (const kind of ['late_event', 'limit_exceeded'])
    t.equal(sampleOf(text, `loyalty_discrepancies_total{kind="${kind}"}`), 1)
  t.equal(sampleOf(text, 'loyalty_calls_total{part="ledger",call="calculations.confirm",outcome="ok"}'), 3)
  t.equal(sampleOf(text, 'loyalty_calls_total{part="ledger",call="venues.lookUp",outcome="timeout"}'), 1)
  t.equal(sampleOf(text, 'loyalty_calls_total{part="ledger",call="members.lookUp",outcome="bug"}'), 1)
  t.equal(sampleOf(text, 'loyalty_call_seconds_count{part="ledger"}'), 8)
  t.equal(sampleOf(text, 'loyalty_calls_total{part="ledger",call="audit.list",outcome="ok"}'), 1)
  t.notMatch(text, /call="clock"/)
})

t.test('a search reports its steps', async (t) => {
  const metrics = createMetrics()
  const priced = [
    { steps: 5, optimal: true },
    { steps: 2_000, optimal: false },
  ]
  const engine = observedEngine(
    { priceBasket: async () => priced.shift(), waiting: 4 } as unknown as PricingEngine,
    metrics,
  )
  const ticket = { thread: 0, id: 0 }
  for (let round = 0; round < 2; round++) await engine.priceBasket(ticket, {} as never)
  t.equal(engine.waiting, 4)
  const text = await metrics.text()
  t.equal(sampleOf(text, 'loyalty_search_unproven_total'), 1)
  t.equal(sampleOf(text, 'loyalty_search_steps_sum'), 2_005)
})

t.test('an unreadable number keeps its last value', async (t) => {
  const metrics = createMetrics()
  let depth: () => Promise<number> = async () => 5
  metrics.watch('a_depth', 'how deep', () => depth())
  t.equal(sampleOf(await metrics.text(), 'a_depth'), 5)
  depth = () => Promise.reject(new Error('away'))
  t.equal(sampleOf(await metrics.text(), 'a_depth'), 5)
  const cache = observedCache({ ping: async () => {} } as unknown as Cache, metrics)
  t.equal(cache.ping, cache.ping, 'a method stays the same one')
})
