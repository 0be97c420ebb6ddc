import t from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { createSameThreadEngine } from '../../../engine/thread/same-thread.js'
import { createWarmUp, warmLookUps } from '../../../gateway/background/warm-up.js'
import { shelfOf, warmUpBasket } from '../../../gateway/background/warm-up-baskets.js'

const onDrinks = { kind: 'line_percentage', select: { productGroupIds: ['drinks', 'bread'] }, percentage: 10 }
const audience = { tiers: ['gold'], segments: ['newsletter'] }
const benefitsOf = (benefitId: string) => JSON.stringify([{ benefitId, text: 'Gold', audience, reward: onDrinks }])
const programme = { version: 1, benefits: benefitsOf('gold') }
const threads = 2
const maxMs = 200

/** An engine that holds the programme, and the baskets it has priced. */
async function anEngine() {
  const inner = createSameThreadEngine({ linesMax: 200, discountCode: 'CODE', stepsMax: 2_000 })
  await inner.loadProgramme(programme.version, programme.benefits)
  const seen = { priced: 0, applied: 0, waiting: 0, forgotten: 0, lost: null as Error | null }
  const engine = {
    ...inner,
    get waiting() {
      return seen.waiting
    },
    async priceBasket(...given: Parameters<typeof inner.priceBasket>) {
      seen.priced += 1
      if (seen.lost !== null) throw seen.lost
      const priced = await inner.priceBasket(...given)
      if (priced.status === 'applied') seen.applied += 1
      return priced
    },
    forget(...given: Parameters<typeof inner.forget>) {
      seen.forgotten += 1
      inner.forget(...given)
    },
  }
  const bugs: unknown[] = []
  return { seen, bugs, warmUp: createWarmUp(engine, threads, (error) => bugs.push(error)) }
}

t.test('a fixed number of baskets that get the programme’s benefits is priced, and none after that', async (t) => {
  const { warmUp, seen, bugs } = await anEngine()
  await warmUp(programme, maxMs)
  const { priced } = seen
  t.ok(priced > 0)
  t.ok(priced <= 200 * threads, `${priced}`)
  t.equal(seen.applied, priced, 'every basket gets a benefit')
  t.equal(seen.forgotten, priced)
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(seen.priced, priced, 'nothing goes on beside POS callers')
  t.same(bugs, [])
})

t.test('amounts that benefits name matter: products cost as much, where sums of them can be written', async (t) => {
  const netOf = (amount: number) => {
    const shelf = shelfOf(JSON.stringify([{ conditions: { minimumSpend: { amount } }, reward: { price: 5 } }]))
    const baskets = Array.from({ length: 40 }, (_, at) => warmUpBasket(shelf, { venueId: 'v', currency: 'EUR' }, at))
    return baskets.map(({ totals }) => totals.net)
  }
  t.ok(netOf(50_000).some((net) => net < 50_000))
  t.ok(netOf(50_000).some((net) => net > 50_000))
  t.ok(netOf(Number.MAX_SAFE_INTEGER).every((net) => Number.isSafeInteger(net)))
})

t.test('while POS callers take every thread nothing is priced, and the warm-up ends all the same', async (t) => {
  const { warmUp, seen } = await anEngine()
  seen.waiting = threads
  await warmUp(programme, maxMs)
  t.equal(seen.priced, 0)
})

t.test('a lost thread does not stop the warm-up, and a bug is reported', async (t) => {
  const { warmUp, seen, bugs } = await anEngine()
  seen.lost = new EngineFault('thread_lost')
  await warmUp(programme, maxMs)
  t.same(bugs, [])
  seen.lost = new Error('a bug')
  await warmUp(programme, maxMs)
  t.same(bugs, [seen.lost])
})

t.test('the ledger is asked for what baskets ask it for', async (t) => {
  const asked: string[] = []
  const ask = (what: string) => async () => void asked.push(what)
  await warmLookUps({
    calculations: { findAnswer: ask('answer') },
    members: { lookUp: ask('member'), lookUpWithHints: ask('hints') },
    venues: { lookUp: ask('venue') },
  })
  t.same([...new Set(asked)].sort(), ['answer', 'hints', 'member', 'venue'])
})
