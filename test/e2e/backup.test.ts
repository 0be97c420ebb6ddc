import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { findBinary } from '../support/servers/find-binary.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { aBasket, aSale } from './basket.js'
import { startService, unhurried } from './service.js'

const run = promisify(execFile)
const programme = join(import.meta.dirname, 'programme.json')
const lps = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const secret = 'secret-of-the-tests-0123456789abcdef'

t.setTimeout(600_000)

t.test('answers and sales survive a dump and a restore, and every counter agrees', async (t) => {
  const pg = await startPostgres()
  t.teardown(() => pg.stop())
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-backup-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [before, after] = [await pg.createDatabase(true), await pg.createDatabase(true)]
  const serve = (DATABASE_URL: string) =>
    startService({ env: { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_SECRETS: secret, DATABASE_URL } })

  const first = await serve(before)
  const baskets = Array.from({ length: 8 }, () => aBasket('ben').line({ productId: 'bun', unitPrice: 120 }).text())
  const answers = await Promise.all(baskets.map((text) => first.send('/v1/pos/basket', text)))
  t.same(new Set(answers.map(({ json }) => json.status)), new Set(['applied']))
  const [sold] = baskets
  const sale = JSON.stringify(aSale(JSON.parse(sold!), { paidTotal: answers[0]!.json.basket.totals.net }))
  t.equal((await first.send('/v1/pos/sale', sale)).json.result, 'recorded')
  await first.stop()

  const dump = join(folder, 'loyalty.dump')
  const [pgDump, pgRestore] = await Promise.all(['pg_dump', 'pg_restore'].map((name) => findBinary(name, 'postgresql')))
  await run(pgDump!, ['--format=custom', `--file=${dump}`, before])
  await run(pgRestore!, [`--dbname=${after}`, '--no-owner', '--exit-on-error', dump])
  const { stdout } = await run(process.execPath, [lps, 'reconcile', '--since', '2026-01-01', '--json'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: after },
  })
  t.match(JSON.parse(stdout), { differenceCount: 0, reservations: 8, reservationsAstray: 0 })

  const second = await serve(after)
  t.teardown(() => second.stop())
  for (const [at, text] of baskets.entries()) {
    const again = await second.send('/v1/pos/basket', text)
    t.same([again.text, again.headers['idempotent-replayed']], [answers[at]!.text, 'true'])
  }
  t.equal((await second.send('/v1/pos/sale', sale)).headers['idempotent-replayed'], 'true')
  const more = await Promise.all(
    Array.from({ length: 4 }, () =>
      second.send('/v1/pos/basket', aBasket('ben').line({ productId: 'bun', unitPrice: 120 }).text()),
    ),
  )
  t.equal(more.filter(({ json }) => json.status === 'applied').length, 2, 'two of the ten units were left')
})
