import t, { type Test } from 'tap'
import { startService, unhurried } from '../e2e/service.js'
import { Dice } from '../support/dice.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { isFull, sized } from '../support/sized.js'
import { type Rush, rushForLastUnits } from './last-of-many.js'
import { programmeFile } from './programmes.js'
import { openWorld } from './world.js'

const posCallers = sized(200, 1_000)
const seeds = isFull ? [1, 2] : [1]
/** A machine that is busy with something else answers many of them 503 at first. */
const withinMs = 300_000

/** Longer than the deadline. */
const waitsMs = 6_000

t.setTimeout(1_800_000)

t.test(`${posCallers} POS callers at once on the last ten units, over two gateways, get ten`, async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  for (const seed of seeds) {
    await t.test(`seed ${seed}`, async (t) => {
      const world = await openWorld({
        postgres,
        dice: new Dice(seed),
        env: { ...unhurried, LOYALTY_EXPIRY_S: '1800' },
      })
      t.teardown(() => world.close())
      exactlyTen(t, await rushForLastUnits({ ...world.doors, waitsMs }, posCallers, seed, withinMs))
    })
  }
})

t.test(`${posCallers} POS callers at once on the last ten units get ten on the embedded store too`, async (t) => {
  const service = await startService({ env: { ...unhurried, LOYALTY_PROGRAM: programmeFile, LOYALTY_LOG: 'error' } })
  t.teardown(() => service.stop())
  const doors = { count: 1, url: () => service.url, secret: service.secret, waitsMs }
  exactlyTen(t, await rushForLastUnits(doors, posCallers, 1, withinMs))
})

/** A queue that is too much for the machine gets 503 and comes again; no POS gets a wrong "no" for it (wire decisions 6). */
function exactlyTen(t: Test, { granted, grantedInTheEnd, answered, attempts }: Rush): void {
  t.equal(answered, posCallers, `every POS has its answer, in ${attempts} attempts`)
  t.equal(granted, 10)
  t.equal(grantedInTheEnd, 10)
}
