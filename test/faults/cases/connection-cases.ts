import { setTimeout as sleep } from 'node:timers/promises'
import { aBasket } from '../../e2e/basket.js'
import { finalAnswer } from '../history.js'
import { unitPrice } from '../programme-limits.js'
import type { FaultCase, Stage } from '../run-case.js'

/**
 * Postgres is up, but its statements are cancelled and its connections ended. No enrolled member gets `member_not_found`, and none is
 * refused a benefit with a billion units left.
 */
export const connectionCases: readonly FaultCase[] = [
  {
    id: 'F60',
    title: 'statements of Postgres fail behind their first rows',
    cutsReplies: true,
    async run(stage) {
      const { world, dice } = stage
      world.behind.decide = () => (dice.chance(0.03) ? { rows: 1, state: dice.pick(['57014', '53200']) } : null)
      const missed = await servedMeanwhile(stage, sleep(stage.full ? 20_000 : 4_000))
      world.behind.decide = () => null
      return world.behind.count > 0 ? missed : [...missed, 'replies that fail behind rows']
    },
  },
  {
    id: 'F61',
    title: 'statements of the gateways cancelled all the time',
    run: (stage) => servedMeanwhile(stage, onBackends(stage, 'pg_cancel_backend', 5)),
  },
  {
    id: 'F62',
    title: 'all backends terminated twice a second',
    run: (stage) => servedMeanwhile(stage, onBackends(stage, 'pg_terminate_backend', 500)),
  },
  {
    id: 'F63',
    title: 'lock table of Postgres full',
    async run(stage) {
      const { world, full } = stage
      const hog = await world.sql.reserve()
      try {
        const filled = await hog`select count(pg_advisory_lock(n)) from generate_series(1, 10000000) n`.then(
          () => false,
          ({ code }) => code === '53200',
        )
        const missed = await servedMeanwhile(
          stage,
          sleep(full ? 10_000 : 2_500).then(async () => void (await hog`select pg_advisory_unlock_all()`)),
        )
        return filled ? missed : [...missed, 'a lock table that is full']
      } finally {
        hog.release()
      }
    },
  },
]

/** Calls a function of Postgres on every backend of the gateways, repeatedly. */
async function onBackends(
  { world, full }: Stage,
  name: 'pg_cancel_backend' | 'pg_terminate_backend',
  everyMs: number,
): Promise<void> {
  const untilMs = performance.now() + (full ? 20_000 : 4_000)
  while (performance.now() < untilMs) {
    await world.sql.unsafe(`
      select ${name}(pid) from pg_stat_activity where datname = current_database() and application_name = 'loyalty'`)
    await sleep(everyMs)
  }
}

/**
 * Members buy a product of which a billion units are left; resolves to those who were refused. Calls without an answer are the
 * checker's concern.
 */
async function servedMeanwhile({ client, dice }: Stage, meanwhile: Promise<void>): Promise<readonly string[]> {
  const calls: Promise<unknown>[] = []
  const refusals: string[] = []
  let over = false
  const ending = meanwhile.finally(() => {
    over = true
  })
  while (!over) {
    const basket = aBasket(`card-${dice.between(1, membersMax)}`)
      .line({ productId: 'hot', unitPrice })
      .body()
    const call = client.call({ endpoint: 'basket', key: basket['calculationId'], body: JSON.stringify(basket) })
    calls.push(call.then((made) => refusals.push(...refusalsIn(finalAnswer(made)?.text))))
    await sleep(pauseMs)
  }
  await ending
  await Promise.race([Promise.all(calls), sleep(answersMs)])
  return refusals
}

function refusalsIn(text: string | undefined): readonly string[] {
  if (text === undefined) return []
  const { status, reason = '' } = JSON.parse(text)
  return status === 'applied' ? [] : [`a benefit with units left, not ${status} ${reason}`]
}

const membersMax = 24
/** Between two baskets. */
const pauseMs = 40
/** Time for answers after the end of the fault, in milliseconds. */
const answersMs = 10_000
