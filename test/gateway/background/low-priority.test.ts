import t, { type Test } from 'tap'
import { engineVersion, type PricingEngine, type PricingFacts } from '../../../engine/index.js'
import { jsonDifferences } from '../../../engine/programme/diff-programmes.js'
import { versionsMax } from '../../../engine/thread/programme-shelf.js'
import { createSameThreadEngine } from '../../../engine/thread/same-thread.js'
import {
  createLowPriority,
  type LowPriority,
  type LowPriorityProgramme,
} from '../../../gateway/background/low-priority.js'
import { replayCalculation } from '../../../gateway/use-cases/replay-calculation.js'
import type { InspectedCalculation } from '../../../store/ledger/calculations.js'
import { basketBody, bytesOf, calculationId } from '../../engine/wire/basket-body.js'
import type { Ledger } from '../../support/open-ledger.js'

const settings = { linesMax: 200, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 10_000 }
const forever = new AbortController().signal
const facts: PricingFacts = {
  programmeVersion: 1,
  member: { memberId: 'm', tier: null, segments: [] },
  venue: { venueId: 'venue 1', currency: 'EUR', timeZone: 'Europe/Berlin', products: [] },
  available: {},
}

function benefitsOf(percentage: number): string {
  return JSON.stringify([{ benefitId: 'some', text: 'Some', reward: { kind: 'line_percentage', percentage } }])
}

/** An engine that forgets programmes as a pricing thread does, and records which it was given. */
function anEngine(): { readonly engine: PricingEngine; readonly loaded: number[] } {
  const loaded: number[] = []
  const inner = createSameThreadEngine(settings)
  const kept = new Set<number>()
  const engine: PricingEngine = {
    ...inner,
    async loadProgramme(version, benefits) {
      loaded.push(version)
      kept.delete(version)
      kept.add(version)
      for (const gone of [...kept].slice(0, Math.max(0, kept.size - versionsMax))) kept.delete(gone)
      return await inner.loadProgramme(version, benefits)
    },
    async priceBasket(ticket, given) {
      if (!kept.has(given.programmeVersion)) throw new Error(`version ${given.programmeVersion} is not loaded`)
      kept.delete(given.programmeVersion)
      kept.add(given.programmeVersion)
      return await inner.priceBasket(ticket, given)
    },
  }
  return { engine, loaded }
}

/** The net of a basket of 300 with this programme. */
function netWith(lowPriority: LowPriority, programme: LowPriorityProgramme, signal = forever): Promise<number> {
  return lowPriority.run(signal, async (engine) => {
    const read = await engine.readBasket(bytesOf(basketBody()), calculationId)
    if (read.kind === 'refused') throw new Error(read.refusal.message)
    const { netAfter } = await engine.priceBasket(read.ticket, programme, facts)
    engine.forget(read.ticket)
    return netAfter
  })
}

t.test('the thread is started once, before the first task if that is asked', async (t) => {
  let starts = 0
  const start = async () => {
    starts += 1
    return anEngine().engine
  }
  const lowPriority = createLowPriority({ live: { waiting: 0 }, start })
  await lowPriority.warmUp()
  t.equal(starts, 1)
  await netWith(lowPriority, { version: 1, isDraft: false, benefits: async () => benefitsOf(10) })
  t.equal(starts, 1)
  await lowPriority.close()
  const closed = createLowPriority({ live: { waiting: 0 }, start })
  await closed.close()
  await closed.warmUp()
  t.equal(starts, 1)
})

t.test('programmes are loaded when they are needed, and again when the thread has dropped them', async (t) => {
  const { engine, loaded } = anEngine()
  const lowPriority = createLowPriority({ live: { waiting: 0 }, start: async () => engine })
  const versions = Array.from({ length: versionsMax + 1 }, (_, at) => at + 1)
  const programmeOf = (version: number) => ({
    version,
    isDraft: false,
    benefits: async () => benefitsOf(version * 10),
  })
  for (const version of versions) t.equal(await netWith(lowPriority, programmeOf(version)), 300 - version * 30)
  t.equal(await netWith(lowPriority, programmeOf(1)), 270)
  t.equal(await netWith(lowPriority, programmeOf(versionsMax + 1)), 300 - 30 * (versionsMax + 1))
  t.same(loaded, [...versions, 1])
  const drafts = [lowPriority.draft(benefitsOf(50)), lowPriority.draft(benefitsOf(100))]
  t.same(await Promise.all(drafts.map((draft) => netWith(lowPriority, draft))), [150, 0])
  await lowPriority.close()
  await t.rejects(netWith(lowPriority, drafts[0]!), { name: 'EngineFault', kind: 'closed' })
})

t.test('a task waits while POS callers wait, and continues when they do not', async (t) => {
  const live = { waiting: 1 }
  let began = false
  const lowPriority = createLowPriority({
    live,
    start: async () => {
      began = true
      t.equal(live.waiting, 0, 'it began when no POS waited')
      return anEngine().engine
    },
  })
  const running = netWith(lowPriority, lowPriority.draft(benefitsOf(10)))
  t.equal(began, false)
  live.waiting = 0
  t.equal(await running, 270)
})

t.test('POS callers that never stop waiting do not delay a task forever', async (t) => {
  const lowPriority = createLowPriority({ live: { waiting: 1 }, start: async () => anEngine().engine })
  t.equal(await netWith(lowPriority, lowPriority.draft(benefitsOf(10))), 270)
})

t.test('a task whose caller has gone is never begun, and later ones are', async (t) => {
  const lowPriority = createLowPriority({ live: { waiting: 0 }, start: async () => anEngine().engine })
  const gone = AbortSignal.abort(new Error('gone'))
  const draft = lowPriority.draft(benefitsOf(10))
  const [first, second] = await Promise.allSettled([netWith(lowPriority, draft, gone), netWith(lowPriority, draft)])
  t.match(first, { status: 'rejected', reason: { message: 'gone' } })
  t.match(second, { status: 'fulfilled', value: 270 })
})

t.test('a full queue refuses tasks, and a failed start of the engine is repeated', async (t) => {
  let starts = 0
  const lowPriority = createLowPriority({
    live: { waiting: 0 },
    start: async () => {
      starts += 1
      if (starts === 1) throw new Error('no thread')
      return anEngine().engine
    },
  })
  const draft = lowPriority.draft(benefitsOf(10))
  const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => netWith(lowPriority, draft)))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 63)
  t.match(outcomes[0], { reason: { message: 'no thread' } })
  t.match(outcomes[69], { reason: { kind: 'queue_full' } })
})

async function aReplay(t: Test, { benefits, pricing } = { benefits: benefitsOf(10), pricing: facts }) {
  const lowPriority = createLowPriority({ live: { waiting: 0 }, start: async () => createSameThreadEngine(settings) })
  const engine = createSameThreadEngine({ ...settings, discountCode: 'THEN' })
  await engine.loadProgramme(1, benefits)
  const read = await engine.readBasket(bytesOf(basketBody()), calculationId)
  if (read.kind === 'refused') throw new Error(read.refusal.message)
  const { packed, explanation, answer, netAfter } = await engine.priceBasket(read.ticket, pricing)
  const stored = (kept: Partial<StoredFacts>): InspectedCalculation => ({
    summary: { calculationId, netAfter } as InspectedCalculation['summary'],
    body: { packed, explanation, inputs: JSON.stringify({ ...pricing, ...kept }) },
    reservations: [],
    spending: null,
    holds: [],
    earning: null,
    given: {},
    due: {},
    soldAt: null,
    superseder: null,
  })
  const ledger = {
    programmes: {
      lookUp: async (version: number) => (version === 1 ? { version, benefits } : null),
    },
  } as unknown as Ledger
  const replay = async (calculation: InspectedCalculation) => {
    const outcome = await replayCalculation({ adminLedger: ledger, lowPriority }, calculation, forever)
    if (outcome.kind !== 'replayed') return outcome.kind
    t.same(outcome.stored, answer)
    const { isSame, storedEngineVersion } = outcome
    const [then, now] = [outcome.stored, outcome.replayed].map((bytes) => JSON.parse(Buffer.from(bytes).toString()))
    const differences = jsonDifferences(then, now, 100).map(({ path, left, right }) => `${path}: ${left} ${right}`)
    return { isSame, storedEngineVersion, differences }
  }
  return { stored, replay }
}

type StoredFacts = PricingFacts & { readonly engineVersion: number }

/** A fact of the answer that is not stored, so that the result differs: the code of its two discounts. */
const otherCode = [0, 1].map(
  (line) => `basket.lines[${line}].discounts[0].lineDiscountCode: "THEN" "THIRD_PARTY_LOYALTY"`,
)

t.test('a replay by the same engine is the same byte for byte, or not the same', async (t) => {
  const { stored, replay } = await aReplay(t)
  const byThis = { isSame: true, storedEngineVersion: engineVersion }
  t.same(
    await replay(stored({ engineVersion, discountCode: 'THEN', stepsMax: 10_000 })),
    { ...byThis, differences: [] },
    'with all it was priced with',
  )
  t.same(await replay(stored({ engineVersion })), { ...byThis, isSame: false, differences: otherCode })
})

t.test('a replay of what an earlier engine priced is the same if it is worth as much, and says which', async (t) => {
  const { stored, replay } = await aReplay(t)
  const byEarlier = { isSame: true, storedEngineVersion: 1 }
  t.same(await replay(stored({ engineVersion: 1 })), { ...byEarlier, differences: otherCode })
  const other = stored({ engineVersion: 1 })
  const dearer = { ...other, summary: { ...other.summary, netAfter: other.summary.netAfter + 1 } }
  t.same(await replay(dearer), { ...byEarlier, isSame: false, differences: otherCode })
})

t.test('a replay that no longer adds the free product of an earlier engine is not the same', async (t) => {
  const benefits = JSON.stringify([
    { benefitId: 'free', text: 'Free', reward: { kind: 'free_product', productId: 'cup', quantity: 1 } },
  ])
  const cup = { productId: 'cup', name: 'Cup', unitPrice: 500, noDiscount: false, noPercentageDiscount: false }
  const products = [{ ...cup, productGroupId: null, productMasterId: null, ean: null }]
  const withCup = { ...facts, venue: { ...facts.venue, products } }
  const { stored, replay } = await aReplay(t, { benefits, pricing: withCup })
  t.match(await replay(stored({ engineVersion: 1 })), { isSame: true })
  t.match(await replay(stored({ engineVersion: 1, venue: facts.venue })), { isSame: false })
})

t.test('a replay names what is missing', async (t) => {
  const { stored, replay } = await aReplay(t)
  t.equal(await replay(stored({ programmeVersion: 2 })), 'programme_not_found')
  t.equal(await replay({ ...stored({}), body: null }), 'body_gone')
})

t.test('differences of JSON are named by their path, missing values included', async (t) => {
  const left = { same: [1, { a: null }], list: [1, 2, 3], object: { gone: true }, kind: [] }
  const right = { same: [1, { a: null }], list: [1, 4], object: { come: 'x' }, kind: {} }
  t.same(jsonDifferences(left, right, 100), [
    { path: 'list[1]', left: '2', right: '4' },
    { path: 'list[2]', left: '3', right: null },
    { path: 'object.gone', left: 'true', right: null },
    { path: 'object.come', left: null, right: '"x"' },
    { path: 'kind', left: '[]', right: '{}' },
  ])
  t.equal(jsonDifferences(left, right, 2).length, 2)
  t.same(jsonDifferences('a', 'a', 1), [])
})
