import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createPgliteSql } from '../../store/embedded/pglite-sql.js'
import { StoreFault } from '../../store/fault.js'
import type { Sql } from '../../store/postgres/connection/sql.js'
import { plenty } from '../support/ledger-builders.js'
import { createLedger } from '../support/open-ledger.js'

/** The same database, which is out of reach while `out` is set. */
function failing(database: Sql) {
  const state = { out: false }
  const sql: Sql = {
    ...database,
    async run(statement, terms) {
      if (state.out) throw new StoreFault('ledger', 'unreachable', { lasting: true })
      return await database.run(statement, terms)
    },
    close: async () => {},
  }
  return { state, sql }
}

async function openLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-breaker-'))
  const database = await createPgliteSql(folder)
  const [pos, admin] = [failing(database), failing(database)]
  const changes: boolean[] = []
  const ledger = await createLedger(
    pos.sql,
    { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty },
    { adminPool: admin.sql, breaker: { probeMs: 60_000, onChange: (open) => changes.push(open) } },
  )
  t.teardown(async () => {
    await ledger.close()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { ledger, pos: pos.state, admin: admin.state, changes }
}

const allVenues = { after: null, limit: 10 }

t.test('admin calls that fail open no circuit, and an open circuit stops no admin call', async (t) => {
  const { ledger, pos, admin, changes } = await openLedger()
  admin.out = true
  for (let call = 0; call < 10; call++) await t.rejects(ledger.venues.list(allVenues), { name: 'StoreFault' })
  t.same(changes, [])
  t.equal(await ledger.venues.lookUp('venue-1'), null)
  admin.out = false

  pos.out = true
  await t.rejects(ledger.venues.lookUp('venue-1'), { name: 'StoreFault', kind: 'unreachable' })
  t.same(changes, [true])
  pos.out = false
  await t.rejects(ledger.members.lookUp('card-1'), { name: 'StoreFault', lasting: true }, 'every POS call is behind it')
  t.same(await ledger.venues.list(allVenues), [])
  t.equal(typeof ledger.clock(), 'number', 'the clock asks nobody')
})
