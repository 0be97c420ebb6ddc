import t from 'tap'
import { unhurried } from '../e2e/service.js'
import { Dice } from '../support/dice.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { isFull, sized } from '../support/sized.js'
import { rushForLastStamps } from './last-of-many.js'
import { importOpening, readValueRows, recountValue } from './ledger-rows.js'
import { openWorld } from './world.js'

const posCallers = sized(200, 1_000)
/** One card each. */
const seeds = isFull ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1]
/** The cost of a tea, and the whole balance of a card. */
const stamps = 10
/** A machine that is busy with something else answers many of them 503 at first. */
const withinMs = 300_000
/** Longer than the deadline. */
const waitsMs = 6_000

t.setTimeout(1_800_000)

await t.test(`${posCallers} POS callers at once with one card of ten stamps, over two gateways`, async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const world = await openWorld({ postgres, dice: new Dice(1), env: { ...unhurried, LOYALTY_EXPIRY_S: '1800' } })
  t.teardown(() => world.close())
  await importOpening(world.databaseUrl, { stamps })

  /** Held and used stamps of the card's baskets; each account is recounted, and none is in debt. */
  async function cardOf(seed: number) {
    const { holds, used, accounts } = await readValueRows(world.sql)
    const mine = await world.sql<{ id: string }[]>`
      select calculation_id::text as id from calculation where member_id = ${`member-${seed}`}`
    const own = new Set(mine.map(({ id }) => id))
    const sum = (rows: readonly { readonly calculationId: string; readonly amount: number }[]) =>
      rows.filter(({ calculationId }) => own.has(calculationId)).reduce((total, { amount }) => total + amount, 0)
    return {
      held: sum(holds.filter(({ state }) => state === 'open')),
      used: sum(used),
      debt: accounts.reduce((total, { debt }) => total + debt, 0),
      astray: await recountValue(world.databaseUrl),
    }
  }

  for (const seed of seeds) {
    await t.test(`exactly one gets the tea, and the stamps are used once: seed ${seed}`, async (t) => {
      const look = async () => void t.same(await cardOf(seed), { held: stamps, used: 0, debt: 0, astray: [] })
      const doors = { ...world.doors, waitsMs }
      const rush = await rushForLastStamps({ doors, posCallers, card: `card-${seed}`, seed, withinMs, look })
      t.equal(rush.answered, posCallers, `every POS has its answer, in ${rush.attempts} attempts`)
      t.equal(rush.spent, stamps)
      t.equal(rush.spentAfterSale, 0)
      t.same(await cardOf(seed), { held: 0, used: stamps, debt: 0, astray: [] })
    })
  }
})
