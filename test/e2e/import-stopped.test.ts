import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import t from 'tap'
import { openReconciler } from '../../store/open-reconciler.js'
import { e2eProgramme } from '../gateway/internal/served.js'
import { astrayOf } from '../store/ledger-checker.js'
import { Dice } from '../support/dice.js'
import { digestOf } from '../support/ledger-builders.js'
import { createPostgresLedger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { firstSeed, sized } from '../support/sized.js'
import { startService } from './service.js'

const main = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
/** `BALANCES=1000000` takes a quarter of an hour. */
const balances = Number(process.env['BALANCES'] ?? sized(5_000, 250_000))
/** Each has ten of the balances, in several currencies and lots. */
const memberCount = balances / 10
/** Clients that are killed, one after another or two at once, before one may end by itself. */
const rounds = sized(3, 12)
/** Most movements of a killed client: no import is complete before the last one. */
const killedAfter = balances / (rounds + 2)
const batchMax = 1_000

t.setTimeout(7_200_000)

const folder = mkdtempSync(join(tmpdir(), 'lps-import-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Amounts and dates follow from the place: the control totals are known before. */
const rows = Array.from({ length: balances }, (_, at) => ({
  memberId: `import-${at % memberCount}`,
  currencyId: Math.floor(at / memberCount) % 3 === 0 ? 'kroner' : 'stamps',
  amount: 1 + ((at * 7919) % 997),
  expiresAt: at % 2 === 0 ? '' : `20${30 + (at % 5)}-12-31T23:00:00Z`,
  reference: `old-${at}`,
}))

function totalOf(currencyId: string): number {
  return rows.reduce((sum, row) => sum + (row.currencyId === currencyId ? row.amount : 0), 0)
}

async function enrolMembers(url: string): Promise<void> {
  const ledger = await createPostgresLedger({ url, expiryS: 5, idempotencyS: 86_400, connections: 1 })
  for (let first = 0; first < memberCount; first += batchMax) {
    const ids = Array.from({ length: Math.min(batchMax, memberCount - first) }, (_, at) => `import-${first + at}`)
    const by = { requestId: randomUUID(), digest: digestOf('x'), call: 'MemberService/UpsertMembers', actor: 'test' }
    await ledger.members.store(
      by,
      ids.map((memberId) => ({ memberId, loyaltyIds: [], tier: null, segments: [], blocked: false })),
    )
  }
  await ledger.close()
}

await t.test(
  `${balances} balances, whose import is killed again and again, add up to the control totals`,
  async (t) => {
    const server = await startPostgres()
    t.teardown(() => server.stop())
    const databaseUrl = await server.createDatabase()
    const service = await startService({
      env: { DATABASE_URL: databaseUrl, LOYALTY_PROGRAM: e2eProgramme, LOYALTY_TOKENS: 'admin:a-token' },
    })
    t.teardown(() => service.stop())
    await enrolMembers(databaseUrl)
    writeFileSync(join(folder, 'tokens'), 'admin:a-token\n')
    const head = 'memberId,currencyId,amount,expiresAt,reference'
    writeFileSync(
      join(folder, 'balances.csv'),
      `${head}\n${rows.map((row) => Object.values(row).join(',')).join('\n')}\n`,
    )

    function importBalances(): ChildProcess {
      const totals = ['stamps', 'kroner'].flatMap((id) => ['--total', `${id}=${totalOf(id)}`])
      const place = ['--internal', service.internalUrl, '--token-file', 'tokens']
      return spawn(process.execPath, [main, 'import', 'balances', 'balances.csv', ...totals, ...place], { cwd: folder })
    }

    const sql = postgres(databaseUrl, { max: 1 })
    t.teardown(() => sql.end())
    /** Each movement has a number, also one that was rolled back. */
    const numbered = async () => Number((await sql`select last_value from value_id`)[0]!['last_value'])
    const dice = new Dice(firstSeed)
    for (let round = 0; round < rounds; round += 1) {
      const clients = Array.from({ length: 1 + (round % 2) }, importBalances)
      const ended = clients.map((client) => once(client, 'exit'))
      const until = (await numbered()) + dice.between(1, killedAfter)
      while ((await numbered()) < until && clients.every(({ exitCode }) => exitCode === null)) await sleep(5)
      await sleep(dice.between(0, 100))
      for (const client of clients) client.kill('SIGKILL')
      t.same(
        await Promise.all(ended),
        clients.map(() => [null, 'SIGKILL']),
        'killed before its end',
      )
    }
    const imported = async () =>
      await sql`
      select a.currency_id as id, count(*)::int4 as rows, sum(n.amount)::float8 as total
      from movement m join entry n on n.movement_id = m.movement_id join account a on a.account_id = n.account_id
      where m.kind = 'imported' group by a.currency_id order by a.currency_id`
    const partly = (await imported()).reduce((sum, each) => sum + each['rows'], 0)
    t.ok(partly > 0 && partly < balances, `after ${rounds} rounds ${partly} balances are there`)

    const began = performance.now()
    const last = importBalances()
    let out = ''
    last.stdout?.on('data', (chunk) => {
      out += chunk
    })
    // Not `exit`: its last output may still arrive.
    t.same(await once(last, 'close'), [0, null])
    t.match(out, `${balances} rows are imported`)
    t.comment(`the last one took ${((performance.now() - began) / 1000).toFixed(1)} s: ${out.trim()}`)
    const due = (id: string) => ({
      id,
      rows: rows.filter(({ currencyId }) => currencyId === id).length,
      total: totalOf(id),
    })
    t.same([...(await imported())], [due('kroner'), due('stamps')])
    const [lots] = await sql`select sum(amount)::float8 as total from lot`
    t.equal(lots!['total'], totalOf('kroner') + totalOf('stamps'))
    const reconciler = await openReconciler({ databaseUrl, dataFolder: '' })
    t.same(astrayOf(await reconciler.reconcile({ since: '2000-01-01', until: null }, () => {})), [])
    await reconciler.close()
  },
)
