import t from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { createSameThreadEngine } from '../../../engine/thread/same-thread.js'
import { madeUpBasket, shelfOf } from '../../../gateway/background/made-up-baskets.js'
import { createWarmUp, warmLookUps } from '../../../gateway/background/warm-up.js'
import { until } from '../../until.js'

const onDrinks = { kind: 'line_percentage', select: { productGroupIds: ['drinks', 'bread'] }, percentage: 10 }
const audience = { tiers: ['gold'], segments: ['newsletter'] }
const benefitsOf = (benefitId: string) => JSON.stringify([{ benefitId, text: 'Gold', audience, reward: onDrinks }])
const programmes = [1, 2].map((version) => ({ version, benefits: benefitsOf(`gold-${version}`) }))
const longMs = 60_000
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** An engine with both programmes, and what it has priced. */
async function anEngine() {
  const inner = createSameThreadEngine({ linesMax: 200, discountCode: 'CODE', stepsMax: 2_000 })
  for (const { version, benefits } of programmes) await inner.loadProgramme(version, benefits)
  const seen = {
    versions: [] as number[],
    applied: 0,
    ordinary: [] as boolean[],
    waiting: 0,
    forgotten: 0,
    lost: null as Error | null,
  }
  const engine = {
    ...inner,
    get waiting() {
      return seen.waiting
    },
    readBasket(...given: Parameters<typeof inner.readBasket>) {
      const { lines, orderDiscounts } = JSON.parse(Buffer.from(given[0]).toString())
      const isSingle = lines.every(({ quantity }: { readonly quantity: number }) => quantity === 1)
      seen.ordinary.push(isSingle && orderDiscounts === undefined)
      return inner.readBasket(...given)
    },
    async priceBasket(...given: Parameters<typeof inner.priceBasket>) {
      await nextTurn()
      seen.versions.push(given[1].programmeVersion)
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
  return { seen, bugs, warmUp: createWarmUp(engine, 2, (error) => bugs.push(error)) }
}

t.test('baskets of the programme are priced, so that its benefits are warm', async (t) => {
  const { warmUp, seen, bugs } = await anEngine()
  await warmUp.warmUp(programmes[0]!, 50)
  await warmUp.stop()
  t.ok(seen.versions.length > 0)
  t.equal(seen.applied, seen.versions.length, 'every basket stands on the benefits')
  t.equal(seen.forgotten, seen.versions.length)
  t.same(bugs, [])
})

t.test('products cost the amounts that benefits name, where sums of them can be written', async (t) => {
  const netOf = (amount: number) => {
    const shelf = shelfOf(JSON.stringify([{ conditions: { minimumSpend: { amount } }, reward: { price: 5 } }]))
    const baskets = Array.from({ length: 40 }, (_, at) =>
      madeUpBasket(shelf, { venueId: 'v', currency: 'EUR' }, { at, ordinary: at % 2 === 0 }),
    )
    return baskets.map(({ totals }) => totals.net)
  }
  t.ok(netOf(50_000).some((net) => net < 50_000))
  t.ok(netOf(50_000).some((net) => net > 50_000))
  t.ok(netOf(Number.MAX_SAFE_INTEGER).every((net) => Number.isSafeInteger(net)))
})

t.test('the warm-up continues after its time, until another programme is warmed up', async (t) => {
  const { warmUp, seen } = await anEngine()
  await warmUp.warmUp(programmes[0]!, 0)
  await until(
    () => seen.versions.length,
    (priced) => priced > 4,
  )
  await warmUp.warmUp(programmes[1]!, 0)
  await until(
    () => seen.versions.at(-1),
    (version) => version === 2,
  )
  await warmUp.stop()
  const then = seen.versions.length
  await nextTurn()
  t.equal(seen.versions.length, then, 'nothing is priced after the stop')
  t.same(seen.versions, [...seen.versions].sort(), 'one programme after the other')
})

t.test(
  'while POS callers use every thread nothing is warmed up, and the programme still comes into force',
  async (t) => {
    const { warmUp, seen } = await anEngine()
    seen.waiting = 2
    await warmUp.warmUp(programmes[0]!, 20)
    t.same(seen.versions, [])
    seen.waiting = 1
    await until(
      () => seen.versions.length,
      (priced) => priced > 0,
    )
    await warmUp.stop()
  },
)

t.test('during POS traffic only ordinary baskets are priced, as the others take as long as hostile ones', async (t) => {
  const { warmUp, seen } = await anEngine()
  for (const programme of programmes) await warmUp.warmUp(programme, 20)
  await until(
    () => seen.ordinary.slice(-4),
    (last) => last.every((each) => each),
  )
  seen.ordinary = []
  await until(
    () => seen.ordinary.length,
    (priced) => priced > 4,
  )
  await warmUp.stop()
  t.ok(seen.ordinary.every((each) => each))
})

t.test('a lost thread blocks no programme, and a bug is reported', async (t) => {
  const { warmUp, seen, bugs } = await anEngine()
  seen.lost = new EngineFault('thread_lost')
  await warmUp.warmUp(programmes[0]!, 10)
  await warmUp.stop()
  t.same(bugs, [])
  seen.lost = new Error('a bug')
  await warmUp.warmUp(programmes[0]!, longMs)
  t.same(bugs, [seen.lost])
})

t.test('the ledger gets the calls that baskets make', async (t) => {
  const asked: string[] = []
  const ask = (what: string) => async () => void asked.push(what)
  await warmLookUps({ findAnswer: ask('answer'), findMember: ask('member'), findVenue: ask('venue') })
  t.same([...new Set(asked)].sort(), ['answer', 'member', 'venue'])
})
