import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createRedisCache } from '../../../store/redis/create-redis-cache.js'
import { fc } from '../../support/seeded.js'
import { startOperatedRedis } from './operated-redis.js'
import { aCounter, aWant, short, untilAnswering } from './records.js'

const server = await startOperatedRedis()
t.teardown(() => server.stop())

const maximum = 20
const calculations = Array.from({ length: 3 }, () => randomUUID())
const calculation = fc.nat({ max: calculations.length - 1 })
const units = fc.integer({ min: 1, max: 9 })

const steps = fc.array(
  fc.record({
    verb: fc.constantFrom('reserve', 'reserve', 'reserve', 'confirm', 'give back', 'load'),
    id: calculation,
    supersedes: fc.option(calculation),
    units,
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
)

/** A counter without a server. */
function aModel() {
  const holds = new Map<number, { units: number; supersedes: number | null }>()
  let used = 0
  return {
    reserve(id: number, supersedes: number | null, units: number) {
      holds.delete(id)
      const held = [...holds.values()].reduce((sum, hold) => sum + hold.units, 0)
      const left = maximum - used - held + (supersedes === null ? 0 : (holds.get(supersedes)?.units ?? 0))
      if (units <= left) holds.set(id, { units, supersedes })
      return units <= left ? null : Math.max(left, 0)
    },
    confirm(id: number) {
      const hold = holds.get(id)
      if (hold?.supersedes != null) holds.delete(hold.supersedes)
      if (hold) hold.supersedes = null
    },
    giveBack: (id: number) => holds.delete(id),
    load(units: number) {
      holds.clear()
      used = units
    },
  }
}

await t.test('a counter agrees with its model on any sequence of calls', async (t) => {
  const cache = createRedisCache({ url: server.url, callMs: 5_000, lifetimes: { holdMs: 60_000 } })
  await untilAnswering(cache)
  const property = fc.asyncProperty(steps, async (steps) => {
    const [counter, model] = [aCounter(), aModel()]
    await cache.loadCounters([{ ...counter, used: 0, open: 0 }])
    for (const { verb, id, supersedes, units } of steps) {
      const name = calculations[id]!
      const other = supersedes === id ? null : supersedes
      if (verb === 'reserve') {
        const left = model.reserve(id, other, units)
        const reply = await cache.reserve(name, other === null ? null : calculations[other]!, [
          aWant(counter, units, maximum),
        ])
        assert.deepEqual(reply, left === null ? { kind: 'reserved' } : short([counter, left]))
      } else if (verb === 'confirm') {
        model.confirm(id)
        await cache.confirmHold(name, [counter], 60_000)
      } else if (verb === 'give back') {
        model.giveBack(id)
        await cache.giveBack(name, [counter])
      } else {
        model.load(units)
        await cache.forgetCounters([counter])
        await cache.loadCounters([{ ...counter, used: units, open: 0 }])
      }
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 500 }))
  await cache.close()
})
