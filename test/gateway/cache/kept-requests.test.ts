import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { createKeptRequests, type KeptRequest, textBytesMax } from '../../../gateway/cache/kept-requests.js'
import { StoreFault } from '../../../store/fault.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'

const dayMs = 86_400_000

function open(cache: Parameters<typeof createKeptRequests>[0]['cache'] = null) {
  const clock = { nowMs: 10 * dayMs }
  const background: Promise<unknown>[] = []
  const asked: string[] = []
  const kept = createKeptRequests({
    cache,
    facts: {
      async findVenue(venueId) {
        asked.push(venueId)
        const environment = venueId === 'live' ? 'production' : 'staging'
        return venueId.startsWith('unknown') ? null : ({ venueId, environment } as StoredVenue)
      },
    },
    venues: {
      async list({ after, limit }) {
        const all = Array.from({ length: 600 }, (_, at) => `venue-${at + 100}`)
        const rest = all.filter((venueId) => after === null || venueId > after[0])
        return rest.slice(0, limit).map((venueId) => ({ venueId }) as StoredVenue)
      },
    },
    environment: 'staging',
    nowMs: () => clock.nowMs,
    inBackground: (work) => void background.push(work.catch(() => {})),
  })
  return {
    ...{ clock, asked, list: kept.list, dropAll: kept.dropAll },
    async keep(venueId: string, more: Partial<KeptRequest> = {}) {
      kept.keep(venueId, { ...request, id: randomUUID(), atMs: clock.nowMs, ...more })
      await Promise.all(background)
    },
    keepAtOnce: (venueId: string) => kept.keep(venueId, { ...request, id: randomUUID(), atMs: clock.nowMs }),
    bodies: async (venueId: string) => (await kept.list(venueId)).map(({ body }) => body),
  }
}

const request: KeptRequest = {
  ...{ id: '', atMs: 0, endpoint: 'basket', isSigned: true, requestId: randomUUID(), durationMs: 1 },
  ...{ status: 200, outcome: 'applied', body: '{}', answer: '{}', isCut: false },
}

t.test('a venue has its own requests of the last day, newest first', async (t) => {
  const { clock, keep, bodies } = open()
  await keep('one', { body: 'old' })
  clock.nowMs += dayMs - 1_000
  await keep('one', { body: 'new' })
  await keep('other', { body: 'of another' })
  t.same(await bodies('one'), ['new', 'old'])
  clock.nowMs += 1_000
  t.same(await bodies('one'), ['new'])
  t.same(await bodies('other'), ['of another'])
})

t.test('the latest 200 requests and 1 MiB of a venue are kept', async (t) => {
  const { keep, bodies } = open()
  for (let at = 0; at < 210; at += 1) await keep('small', { body: String(at) })
  const small = await bodies('small')
  t.equal(small.length, 200)
  t.equal(small[0], '209')
  for (let at = 0; at < 20; at += 1) await keep('large', { body: 'x'.repeat(textBytesMax) })
  t.equal((await bodies('large')).length, 15)
})

t.test('requests without a good signature push out no signed one, and are few', async (t) => {
  const { clock, keep, list } = open()
  await keep('one', { body: 'signed' })
  for (let at = 0; at < 30; at += 1) {
    clock.nowMs += 1_000
    await keep('one', { isSigned: false })
  }
  t.equal((await list('one')).filter(({ isSigned }) => !isSigned).length, 20)
  for (let at = 0; at < 40; at += 1) {
    clock.nowMs += 1_000
    await keep(`venue-${at}`, { isSigned: false })
  }
  await keep('one', { isSigned: false })
  const kept = await list('one')
  t.equal(kept.filter(({ isSigned }) => !isSigned).length, 1, 'those of 40 other venues came between')
  t.equal(kept.at(-1)?.body, 'signed')
})

t.test('unsigned requests ask the ledger for at most five venues a second', async (t) => {
  const { clock, keep, asked } = open()
  for (let at = 0; at < 100; at += 1) await keep(`unknown-${at}`, { isSigned: false })
  t.equal(asked.length, 5)
  clock.nowMs += 1_000
  await keep('unknown', { isSigned: false })
  t.equal(asked.length, 6)
})

t.test('nothing is kept for a venue that is unknown or of the other environment', async (t) => {
  const { keep, bodies } = open()
  await keep('unknown')
  await keep('live')
  t.same([await bodies('unknown'), await bodies('live')], [[], []])
})

t.test('a store that does not answer drops them, and at most 64 wait for it', async (t) => {
  let asked = 0
  let end = () => {}
  const hanging = new Promise<void>((_, reject) => {
    end = () => reject(new StoreFault('cache', 'unreachable'))
  })
  const { keepAtOnce } = open({
    keepRequest: () => {
      asked += 1
      return hanging
    },
    readRequests: async () => [],
    dropRequests: async () => {},
  })
  for (let at = 0; at < 100; at += 1) keepAtOnce('one')
  await setImmediate()
  t.equal(asked, 64)
  end()
  await setImmediate()
  keepAtOnce('one')
  await setImmediate()
  t.equal(asked, 65)
})

t.test('those of all venues go at once, signed or not', async (t) => {
  const { keep, bodies, dropAll } = open()
  for (const isSigned of [true, false]) {
    await keep('venue-100', { isSigned })
    await keep('venue-699', { isSigned })
  }
  t.equal((await bodies('venue-699')).length, 2)
  await dropAll()
  t.same([await bodies('venue-100'), await bodies('venue-699')], [[], []])
})

t.test('foreign texts in the store are left out', async (t) => {
  const readRequests = async () => ['no JSON', '{"id":1}', 'null']
  const { list } = open({ keepRequest: async () => {}, readRequests, dropRequests: async () => {} })
  t.same(await list('one'), [])
})
