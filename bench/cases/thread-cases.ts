import { searchStepsMax } from '../../engine/core/base/costs.js'
import type { PricingEngine } from '../../engine/index.js'
import { createPricingPool } from '../../engine/thread/pool.js'
import { Dice } from '../../test/support/dice.js'
import { createCatalogue } from '../load/catalogue.js'
import { drawBasket } from '../load/draw-baskets.js'
import { seedOf } from '../load/plan-load.js'
import { mainThreadMs } from '../probe/main-thread-ms.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, plainBaskets, target } from './bench-case.js'
import { runClosedLoop } from './closed-loop.js'
import { partResult } from './part-result.js'

const programmeVersion = 1
const basketsDrawn = 64
const inFlight = 32
const poolOptions = {
  workers: 1,
  linesMax: 200,
  discountCode: 'THIRD_PARTY_LOYALTY',
  stepsMax: searchStepsMax,
  queueMax: 2_048,
  taskMaxMs: 10_000,
}
/** Main-thread time for handing over a 200-line basket, in milliseconds (the target of the whole request). */
const mainThreadMaxMs = 0.25

export const threadCases: readonly BenchCase[] = [20, 200].map((lines) => ({
  name: `thread/price/${lines}`,
  run: (bench) => threadCase(bench, lines),
}))

async function* threadCase(bench: Bench, lines: number): AsyncGenerator<Result> {
  const name = `thread/price/${lines}`
  const catalogue = createCatalogue(bench.catalogue)
  const { benefits } = JSON.parse(catalogue.document()) as { readonly benefits: unknown }
  const dice = new Dice(seedOf(bench.settings.seed, name))
  const drawn = Array.from({ length: basketsDrawn }, () => drawBasket(dice, catalogue, plainBaskets([lines])))
  const key = '00000000-0000-4000-8000-000000000000'
  const bodies = drawn.map(({ basket }) => Buffer.from(JSON.stringify({ ...basket, calculationId: key })))
  const [first] = catalogue.venues
  const venue = { venueId: first!.venueId, currency: first!.currency, timeZone: first!.timeZone, products: [] }
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'] }
  const engine = await createPricingPool(poolOptions)
  try {
    await engine.loadProgramme(programmeVersion, JSON.stringify(benefits))
    const facts = { programmeVersion, member, venue, available: {} }
    const loop = { seconds: bench.settings.seconds / 2, inFlight }
    const before = mainThreadMs()
    const began = { calls: 0 }
    const report = await runClosedLoop(loop, (at) => {
      began.calls += 1
      return priceOne(engine, bodies[at % basketsDrawn]!, { key, facts })
    })
    const mainMs = before === null ? null : (mainThreadMs()! - before) / began.calls
    const note = 'read, priced and written on one thread, 1,000 benefits'
    yield partResult(name, report, {
      loop,
      note,
      figures: mainMs === null ? [] : [figure('main thread per basket', mainMs, 'ms')],
      targets:
        lines === 200 && mainMs !== null
          ? [target(`main thread < ${mainThreadMaxMs} ms per basket`, mainMs < mainThreadMaxMs)]
          : [],
    })
  } finally {
    await engine.close()
  }
}

type Facts = Parameters<PricingEngine['priceBasket']>[1]

async function priceOne(
  engine: PricingEngine,
  body: Buffer,
  { key, facts }: { readonly key: string; readonly facts: Facts },
): Promise<void> {
  const read = await engine.readBasket(body, key)
  if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.message}`)
  await engine.priceBasket(read.ticket, facts)
  engine.forget(read.ticket)
}
