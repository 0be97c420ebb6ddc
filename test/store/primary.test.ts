import t from 'tap'
import { createPrimary, type Lookout, type Move, type ServerState } from '../../store/postgres/connection/primary.js'

/** Servers with the given states; null: refuses connections. */
function servers(states: Record<string, ServerState | null>): (url: string) => Lookout {
  return (url) => ({
    async look() {
      const state = states[new URL(url).host]
      if (!state) throw new Error('refused')
      return state
    },
    async close() {},
  })
}

const url = 'postgres://u@a:1,b:1,c:1/db'
const writing = (timeline: number): ServerState => ({ follows: false, timeline, system: 'ours' })
const following: ServerState = { follows: true, timeline: 0, system: 'ours' }

/** Waits until it holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

t.test('the server that takes writes is found anywhere in the list', async (t) => {
  const primary = createPrimary(url, servers({ 'a:1': null, 'b:1': following, 'c:1': writing(1) }))
  t.teardown(() => primary.close())
  t.match(primary.url(), /@a:1/, 'the first, as long as nobody has answered')
  await primary.found()
  t.equal(primary.url(), 'postgres://u@c:1/db')
  t.equal(primary.timeline(), 1)
})

t.test('a promoted server replaces the primary, a returning one on an older or equal timeline does not', async (t) => {
  const states: Record<string, ServerState | null> = { 'a:1': writing(1), 'b:1': following, 'c:1': following }
  const primary = createPrimary(url, servers(states))
  t.teardown(() => primary.close())
  const moves: Move[] = []
  primary.onMove((move) => moves.push(move))
  await primary.found()
  Object.assign(states, { 'a:1': null, 'b:1': writing(2) })
  await until(() => moves.length === 2)
  Object.assign(states, { 'a:1': writing(1), 'c:1': writing(3) })
  await until(() => moves.length === 3)
  t.same(
    moves.map(({ url, from, timeline }) => [new URL(url).host, from, timeline]),
    [
      ['a:1', 0, 1],
      ['b:1', 1, 2],
      ['c:1', 2, 3],
    ],
  )
})

t.test('a server of another cluster is ignored, whatever its timeline', async (t) => {
  const states: Record<string, ServerState | null> = { 'a:1': writing(1), 'b:1': following, 'c:1': null }
  const primary = createPrimary(url, servers(states))
  t.teardown(() => primary.close())
  await primary.found()
  const moves: Move[] = []
  primary.onMove((move) => moves.push(move))
  let looks = 0
  const foreign = () => {
    looks += 1
    return { ...writing(7), system: 'foreign' }
  }
  Object.defineProperty(states, 'c:1', { get: foreign })
  await until(() => looks === 2)
  // A promotion of ours counts once it is noticed.
  states['b:1'] = writing(2)
  await until(() => moves.length > 0)
  t.match(moves, [{ url: 'postgres://u@b:1/db', timeline: 2 }])
})

t.test('a single server is the primary, and is not asked', async (t) => {
  const primary = createPrimary('postgres://u@a:1/db', () => t.fail('it was looked at') as never)
  await primary.found()
  t.equal(primary.url(), 'postgres://u@a:1/db')
  t.equal(primary.several, false)
})
