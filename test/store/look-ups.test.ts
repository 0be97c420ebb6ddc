import t from 'tap'
import { StoreFault } from '../../store/fault.js'
import { underWayMax } from '../../store/postgres/connection/batches.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import type { Sql, Statement } from '../../store/postgres/connection/sql.js'
import { createLookUps } from '../../store/postgres/look-ups.js'
import { until } from '../support/until.js'

interface UnderWay {
  readonly statement: Statement
  reply(rows: readonly object[]): void
  fail(error: Error): void
}

/** A database whose statements end only when the test lets them. Look-ups wait for one in progress for a minute by default. */
function aDatabase(patienceMs = 60_000) {
  const sent: UnderWay[] = []
  const database = {
    run: (statement: Statement) =>
      new Promise((reply, fail) => {
        sent.push({ statement, reply, fail })
      }),
  } as unknown as Sql
  const lookUps = createLookUps(database, completeOptions({ expiryS: 1_800, idempotencyS: 86_400 }), patienceMs)
  return { lookUps, sent }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const member = (id: string) => ({ memberId: id, body: '{}', loyaltyIds: [id] })
/** The row of a look-up by itself. */
const memberRow = (id: string) => ({ isFound: true, ...member(id) })
const nothing = {
  isFound: false,
  kind: null,
  digest: null,
  packed: null,
  memberId: null,
  body: null,
  ids: null,
  hints: null,
}

t.test('look-ups of one turn share a statement, and each gets its own result', async (t) => {
  const { lookUps, sent } = aDatabase()
  const asked = [lookUps.find('answer', 'c-1'), lookUps.find('member', 'm-1'), lookUps.find('member', 'm-2')]
  await turn()
  t.equal(sent.length, 1)
  sent[0]!.reply([
    { ...nothing, isFound: true, what: 'member', place: 2, memberId: 'm-2', body: '{}', ids: ['m-2'] },
    { ...nothing, what: 'member', place: 1 },
    { ...nothing, isFound: true, what: 'answer', place: 0, kind: 'unknown' },
  ])
  t.same(await Promise.all(asked), [{ kind: 'unknown', digest: null, packed: null }, null, member('m-2')])
})

t.test('answers are looked up in the order of their ids, because finding one may lock its calculation', async (t) => {
  const { lookUps, sent } = aDatabase()
  const [b, c, a] = ['b2', 'C3', 'a1'].map((id) => lookUps.find('answer', id))
  await turn()
  const [ids] = sent[0]!.statement.values
  t.same(JSON.parse(String(ids)), [
    { place: 2, id: 'a1' },
    { place: 0, id: 'b2' },
    { place: 1, id: 'C3' },
  ])
  const row = (place: number) => ({ what: 'answer', place, isFound: true, kind: 'unknown', digest: null, packed: null })
  sent[0]!.reply([row(2), row(0), row(1)])
  t.same(
    (await Promise.all([a, b, c])).map((found) => found?.kind),
    ['unknown', 'unknown', 'unknown'],
  )
})

t.test('look-ups that come during a statement wait for it, then leave together', async (t) => {
  const { lookUps, sent } = aDatabase()
  const first = lookUps.find('member', 'm-1')
  await turn()
  const later = [lookUps.find('member', 'm-2'), lookUps.find('answer', 'c-1')]
  await turn()
  t.equal(sent.length, 1)
  sent[0]!.reply([memberRow('m-1')])
  t.same(await first, member('m-1'))
  await turn()
  t.equal(sent.length, 2)
  sent[1]!.reply([
    { what: 'member', place: 0, isFound: true, memberId: 'm-2', body: '{}', ids: ['m-2'] },
    { ...nothing, what: 'answer', place: 1, isFound: true, kind: 'unknown' },
  ])
  t.same(await later[0], member('m-2'))
})

t.test('a delayed statement delays the next one only a little', async (t) => {
  const { lookUps, sent } = aDatabase(1)
  const heldUp = lookUps.find('member', 'm-1')
  await turn()
  const next = lookUps.find('member', 'm-2')
  await until(
    () => sent.length,
    (count) => count === 2,
  )
  sent[1]!.reply([memberRow('m-2')])
  t.same(await next, member('m-2'))
  sent[0]!.reply([memberRow('m-1')])
  t.same(await heldUp, member('m-1'))
})

t.test('in a rush the number of statements is bounded, and later look-ups leave together', async (t) => {
  const { lookUps, sent } = aDatabase(0)
  const first = []
  for (let at = 0; at < underWayMax; at += 1) {
    first.push(lookUps.find('member', `first-${at}`))
    await turn()
  }
  const later = [lookUps.find('member', 'later-1'), lookUps.find('venue', 'later-2')]
  await turn()
  t.equal(sent.length, underWayMax)
  sent[0]!.reply([memberRow('first-0')])
  t.same(await first[0], member('first-0'))
  await turn()
  t.equal(sent.length, underWayMax + 1)
  sent.at(-1)!.reply([
    { ...nothing, what: 'member', place: 0 },
    { ...nothing, what: 'venue', place: 1 },
  ])
  t.same(await Promise.all(later), [null, null])
})

t.test('a failing look-up does not fail those that wait to leave with others', async (t) => {
  const { lookUps, sent } = aDatabase()
  const lost = t.rejects(lookUps.find('answer', 'c-1'), new StoreFault('ledger', 'busy'))
  await turn()
  const next = lookUps.find('member', 'm-1')
  await turn()
  t.equal(sent.length, 1)
  sent[0]!.fail(new StoreFault('ledger', 'busy'))
  await lost
  await turn()
  t.equal(sent.length, 2)
  sent[1]!.reply([memberRow('m-1')])
  t.same(await next, member('m-1'))
})

t.test('a fault reaches all look-ups of a statement, and those that wait behind it', async (t) => {
  const { lookUps, sent } = aDatabase(0)
  const asked: Promise<unknown>[] = []
  for (let at = 0; at <= underWayMax; at += 1) {
    asked.push(lookUps.find('member', `m-${at}`))
    await turn()
  }
  const fault = new StoreFault('ledger', 'timeout')
  const last = t.rejects(asked.at(-1)!, fault)
  const own = t.rejects(asked[0]!, fault)
  sent[0]!.fail(fault)
  await Promise.all([last, own])
  sent[1]!.reply([memberRow('m-1')])
  t.same(await asked[1], member('m-1'), 'others in progress get their own results')
})

t.test('a reply without a requested row is a fault, not an "unknown"', async (t) => {
  const { lookUps, sent } = aDatabase(0)
  const fault = { name: 'StoreFault', kind: 'unreachable' }
  const alone = (['answer', 'member', 'venue'] as const).map((what) => [what] as const)
  for (const asked of [...alone, ['member', 'venue'], ['answer', 'member'], ['member', 'member']] as const) {
    const found = asked.map((what, at) => t.rejects(lookUps.find(what, `id-${at}`), fault))
    await turn()
    sent.at(-1)!.reply(asked.length === 1 ? [] : [{ ...nothing, what: asked[0], place: 0, kind: 'unknown' }])
    await Promise.all(found)
  }
})
