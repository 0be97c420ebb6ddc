import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createRecordReturn, type RecordReturnParts } from '../../../gateway/use-cases/record-pos-return.js'
import { StoreFault } from '../../../store/fault.js'
import type { StoredPosReturn } from '../../../store/ledger/returns.js'
import { aLadder } from '../../store/return-builders.js'

const context = { venueId: 'venue-1', baxId: 'bax-1', cashRegisterId: 'register-1', channel: 'pos' }
const made = {
  ...{ refund: 700, lineRefunds: [700], lines: [['line-0', 1_000]] },
  takenBack: [{ amount: 3 }, { amount: 4 }],
  givenBack: [{ amount: 10 }],
}
const answer = { refund: 700, lines: [{ lineId: 'line-0', refund: 700 }], takenBack: 7, givenBack: 10 }

interface Ledger {
  readonly stored?: (body: Buffer) => Partial<StoredPosReturn> | null
  readonly anew?: boolean
  readonly record?: () => Promise<unknown>
}

/** Asks for a return of a ledger whose one sale has a line of two units for 1,400. */
async function asking({ stored = () => null, anew = false, record = async () => ({ kind: 'done', ...made }) }: Ledger) {
  const returnId = randomUUID()
  const lines = [{ lineId: 'line-0', quantity: 1 }]
  const sent = { returnId, calculationId: randomUUID(), lines, occurredAt: '2026-11-23T12:00:00Z', context }
  const body = Buffer.from(JSON.stringify(sent))
  const ladder = { ...aLadder([[2_000, 1_400]], []), anew }
  const basis = { ladder, returns: [], earned: [], used: [] }
  const recorded: unknown[] = []
  const parts = {
    engine: { sameValue: async () => false },
    posLedger: {
      returns: {
        findStored: async () => stored(body),
        findSales: async () => [sent.calculationId],
        find: async () => ({ kind: 'laddered', basis, seen: 'x' }),
        findBasket: async () => ({ packed: Buffer.from(''), facts: '{"programmeVersion":1}' }),
        async recordSent(...of: unknown[]) {
          recorded.push(...of)
          return await record()
        },
      },
      programmes: { lookUp: async () => ({ benefits: '[]' }) },
    },
    lowPriority: {
      // The signal's own timer keeps no process alive.
      run: (signal: AbortSignal) => sleep(60_000, undefined, { signal }),
    },
    deadlineMs: 300,
  } as unknown as RecordReturnParts
  const reply = await createRecordReturn(parts)({ body, idempotencyKey: returnId, arrivedAtMs: performance.now() })
  const json = reply.kind === 'answered' ? JSON.parse(Buffer.from(reply.body).toString()) : null
  return { returnId, reply, json, recorded }
}

t.test('a return is answered with numbers only, once the ledger has it', async (t) => {
  const { returnId, json, recorded } = await asking({})
  t.same(json, { returnId, result: 'recorded', ...answer })
  t.match(recorded, [
    { returnId, actor: 'venue-1/register-1' },
    { lines: [[0, 1_000]], plan: { refund: 700 } },
  ])
})

t.test('a repeat gets the first answer for a day, and later duplicate for the same sale', async (t) => {
  const digest = (body: Buffer) => createHash('sha256').update(body).digest()
  const fresh = (other: string) => (body: Buffer) =>
    ({ digest: digest(Buffer.concat([body, Buffer.from(other)])), body, isFresh: true, made }) as never
  const replayed = await asking({ stored: fresh('') })
  t.same(replayed.json, { returnId: replayed.returnId, result: 'recorded', ...answer })
  t.match(replayed.reply, { replayed: true })
  t.match((await asking({ stored: fresh('x') })).reply, { kind: 'refused', code: 'idempotency_conflict' })
  const aged = (more: object) => (body: Buffer) => {
    const { calculationId } = JSON.parse(body.toString())
    return { digest: digest(Buffer.from('x')), isFresh: false, made: { ...made, calculationId, ...more } } as never
  }
  const old = await asking({ stored: aged({}) })
  t.same(old.json, { returnId: old.returnId, result: 'duplicate', ...answer })
  t.match(old.reply, { replayed: false })
  const other = await asking({ stored: aged({ calculationId: randomUUID() }) })
  t.match(
    other.reply,
    { kind: 'refused', code: 'idempotency_conflict' },
    'that of another sale, or venue, shows nothing',
  )
  t.same(
    [replayed, old].flatMap(({ recorded }) => recorded),
    [],
  )
})

t.test('one that another gateway records meanwhile is answered by what it stored', async (t) => {
  let looks = 0
  const stored = (body: Buffer) =>
    looks++ === 0 ? null : ({ digest: createHash('sha256').update(body).digest(), body, isFresh: true, made } as never)
  const { json, reply } = await asking({ stored, record: async () => ({ kind: 'stored' }) })
  t.match(json, { result: 'recorded', refund: 700 })
  t.match(reply, { replayed: true })
})

t.test('a return that may not be in the ledger, or cannot be priced in time, is a 503', async (t) => {
  for (const kind of ['in_doubt', 'busy', 'unreachable'] as const) {
    const { reply } = await asking({ record: () => Promise.reject(new StoreFault('ledger', kind)) })
    t.match(reply, { kind: 'unavailable', cause: `ledger ${kind}` })
  }
  t.match((await asking({ anew: true })).reply, { kind: 'unavailable', cause: 'engine too_late' })
})

t.test('a return for which the accounts have no room is refused', async (t) => {
  t.match((await asking({ record: async () => ({ kind: 'out_of_range' }) })).reply, {
    kind: 'refused',
    code: 'invalid_request',
    details: { field: 'lines' },
  })
  t.match((await asking({ record: async () => ({ kind: 'reference_conflict' }) })).reply, {
    code: 'idempotency_conflict',
  })
})
