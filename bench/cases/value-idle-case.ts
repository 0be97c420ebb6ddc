import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startRedis } from '../../test/support/servers/start-redis.js'
import { createCatalogue } from '../load/catalogue.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, resultOf, target } from './bench-case.js'
import { loadTurn, loadTurns, turnsNote } from './take-turns.js'
import { fillAccounts, lotsEach } from './value-accounts.js'

/** Largest time of a basket, against one of a programme without value. */
const ratioMax = 1.05
/** A fresh service compiles its code. */
const warmSeconds = 6

/** A basket of a member who has value and spends nothing, against the same one in a programme without value. */
export const valueIdleCase: BenchCase = { name: 'value/idle', run: idleCase }

async function* idleCase(bench: Bench): AsyncGenerator<Result> {
  // A Redis of its own: the same baskets would find the answers of the other service.
  const redis = await startRedis({ durable: true })
  try {
    yield await compare(bench, redis.url)
  } finally {
    await redis.stop()
  }
}

async function compare(bench: Bench, REDIS_URL: string): Promise<Result> {
  const { members } = bench.catalogue
  const without = await bench.start({ stores: 'real', catalogue: bench.catalogue })
  const DATABASE_URL = await (await bench.postgres()).createDatabase()
  const settings = { DATABASE_URL, REDIS_URL, LOYALTY_PROGRAM: programmeWithValue(bench) }
  const withValue = await bench.start({ stores: 'real', catalogue: bench.catalogue, settings })
  await fillAccounts(DATABASE_URL, members)
  const turn = (server: StartedServer, at: number | string, seconds = bench.settings.seconds) =>
    loadTurn(bench, server, { name: `value/idle/${at}`, seconds })
  for (const server of [without, withValue]) await turn(server, 'warm', warmSeconds)
  // The two services get the same baskets at the same moments.
  const { p50, p99, last } = await loadTurns(
    (at) => turn(without, at),
    (at) => turn(withValue, at),
  )
  await bench.release(without)
  await bench.release(withValue)
  return resultOf('value/idle', last.stream, {
    report: last.report,
    note: `${members} members with ${lotsEach} lots of each currency, against none; ${turnsNote}`,
    figures: [figure('p50 against without', p50, 'x'), figure('p99 against without', p99, 'x')],
    targets: [
      target(`p50 at most ${ratioMax} of that without value`, p50 <= ratioMax),
      target(`p99 at most ${ratioMax} of that without value`, p99 <= ratioMax),
    ],
  })
}

/** The bench's programme with two currencies, three rules, and a benefit that costs more than any member has. */
function programmeWithValue(bench: Bench): string {
  const document = JSON.parse(createCatalogue(bench.catalogue).document())
  const expires = { afterMonths: 12, atEndOf: 'month' }
  const file = join(bench.folder('value-idle'), 'programme.json')
  writeFileSync(
    file,
    JSON.stringify({
      ...document,
      currencies: [
        { currencyId: 'points', name: 'Points', expires },
        { currencyId: 'stamps', name: 'Stamps', expires },
      ],
      earning: [
        { ruleId: 'by-amount', currencyId: 'points', give: 1, per: { amount: 100 } },
        { ruleId: 'by-unit', currencyId: 'stamps', give: 1, per: { units: 1 } },
        { ruleId: 'by-visit', currencyId: 'points', give: 1, per: 'visit' },
      ],
      benefits: [
        ...document.benefits,
        {
          benefitId: 'costly',
          text: 'Costly',
          reward: { kind: 'order_amount', amount: 100 },
          costs: { currencyId: 'points', amount: 1_000_000, per: 'basket', worth: 1 },
        },
      ],
    }),
  )
  return file
}
