import t from 'tap'
import { createSameThreadEngine } from '../../engine/thread/same-thread.js'
import { testBenefits, testProgrammeVersion } from '../../gateway/test-members.js'
import { keepWarmingUp, warmUp } from '../../gateway/warm-up.js'
import type { Ledger } from '../../store/index.js'
import { until } from '../until.js'

const benefits = JSON.stringify([
  {
    benefitId: 'gold',
    text: 'Gold',
    audience: { tiers: ['gold'], segments: ['newsletter'] },
    reward: { kind: 'line_percentage', select: { productGroupIds: ['drinks', 'bread'] }, percentage: 10 },
  },
])

/** An engine that holds the programme as version 1, and how often it has granted something. */
async function anEngine() {
  const inner = createSameThreadEngine({ linesMax: 200, discountCode: 'CODE', stepsMax: 2_000 })
  await inner.loadProgramme(testProgrammeVersion, testBenefits)
  await inner.loadProgramme(1, benefits)
  const seen = { priced: 0, applied: 0, waiting: 0 }
  const engine = {
    ...inner,
    get waiting() {
      return seen.waiting
    },
    async priceBasket(...given: Parameters<typeof inner.priceBasket>) {
      const priced = await inner.priceBasket(...given)
      seen.priced += 1
      if (priced.status === 'applied') seen.applied += 1
      return priced
    },
  }
  return { engine, seen }
}

function aLedger(programme: { version: number; benefits: string } | null) {
  const lookedUp: string[] = []
  const ledger = {
    newestProgramme: async () => programme,
    findAnswer: async () => void lookedUp.push('answer'),
    findMember: async () => void lookedUp.push('member'),
    findVenue: async () => void lookedUp.push('venue'),
  } as unknown as Ledger
  return { ledger, lookedUp }
}

t.test('baskets of the programme in force are priced, so that what its benefits do is warm', async (t) => {
  const { engine, seen } = await anEngine()
  const { ledger, lookedUp } = aLedger({ version: 1, benefits })
  await warmUp({ engine, ledger, threads: 1 })
  t.ok(seen.priced > 0)
  t.equal(seen.applied, seen.priced, 'every basket stands on the benefits')
  t.same([...new Set(lookedUp)], ['answer', 'member', 'venue'])
})

t.test('without a programme the test members warm it up', async (t) => {
  const { engine, seen } = await anEngine()
  await warmUp({ engine, ledger: aLedger(null).ledger, threads: 1 })
  t.ok(seen.priced > 0)
})

t.test('after the start it goes on while no till waits, and ends when it is told to', async (t) => {
  const { engine, seen } = await anEngine()
  const warm = await warmUp({ engine, ledger: aLedger({ version: 1, benefits }).ledger, threads: 1 })
  seen.waiting = 1
  seen.priced = 0
  const stop = keepWarmingUp(engine, warm, 1)
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(seen.priced, 0, 'a till waits')
  seen.waiting = 0
  await until(
    () => seen.priced,
    (priced) => priced > 0,
  )
  await stop()
  const then = seen.priced
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(seen.priced, then)
})
