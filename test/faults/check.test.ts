import t from 'tap'
import { check } from './check.js'
import { type Invariant, invariants } from './evidence.js'
import { type Draft, freeTea, grantedBasket, ok, soundEvidence, unavailable } from './sound-evidence.js'

const emptyBasket = '{"status":"applied","basket":{"lines":[]}}'

/** One fault each, planted in the rows, the history or the aftermath; the checker must name the invariant it breaks. */
const plants: readonly (readonly [Invariant, string, (draft: Draft) => void])[] = [
  ['I1', 'one unit too many is open', ({ rows }) => replace(rows.counters, 0, { open: 6 })],
  ['I1', 'a counter is negative', ({ rows }) => replace(rows.counters, 0, { open: -1 })],
  ['I1', 'the watcher saw a limit passed for a moment', (draft) => Object.assign(draft, { sightings: ['bun: 101'] })],
  ['I1', 'a counter counts for no limit', ({ rows }) => replace(rows.counters, 0, { limitId: 'nobody' })],
  ['I2', 'a counter has lost a used unit', ({ rows }) => replace(rows.counters, 0, { used: 4 })],
  ['I2', 'a reservation is lost', ({ rows }) => void rows.reservations.pop()],
  ['I2', 'a superseded calculation still holds', ({ rows }) => replace(rows.calculations, 1, { state: 'superseded' })],
  ['I2', 'units are used without a sale', ({ rows }) => void rows.sales.shift()],
  ['I3', 'two POS callers hold the same units at once', ({ history }) => void history.push(grantedBasket(600))],
  [
    'I3',
    'units used by a sale are granted again',
    ({ history }) => void history.push(grantedBasket(5_500), grantedBasket(5_600)),
  ],
  ['I4', 'a sale is there twice', ({ rows }) => void rows.sales.push(rows.sales[0]!)],
  ['I4', 'a calculation is there twice', ({ rows }) => void rows.calculations.push(rows.calculations[0]!)],
  ['I4', 'a sale has not settled its calculation', ({ rows }) => replace(rows.calculations, 0, { state: 'open' })],
  ['I4', 'a late sale does not say so', ({ rows }) => replace(rows.calculations, 0, { state: 'expired' })],
  ['I4', 'a sale was never joined', ({ rows }) => replace(rows.sales, 0, { discrepancies: ['unknown_calculation'] })],
  ['I5', 'an acknowledged sale is lost', ({ rows }) => void rows.sales.pop()],
  ['I5', 'a sale is stored with another body', ({ rows }) => replace(rows.sales, 0, { body: '{"status":"applied"}' })],
  ['I5', 'a sale was answered with another result', ({ rows }) => replace(rows.sales, 1, { result: 'recorded' })],
  ['I6', 'an answered calculation is lost', ({ rows }) => void rows.calculations.pop()],
  ['I6', 'another answer is stored', ({ rows }) => replace(rows.calculations, 2, { answer: emptyBasket })],
  ['I6', 'no answer is stored', ({ rows }) => replace(rows.calculations, 2, { answer: null })],
  [
    'I7',
    'a repeat got another answer',
    (draft) => answerAgain(draft, 2, '{"status":"applied","basket":{"lines":[],"totals":{}}}'),
  ],
  [
    'I7',
    'a repeat got the same answer in other bytes',
    (draft) => answerAgain(draft, 2, ` ${draft.rows.calculations[2]!.answer}`),
  ],
  [
    'I8',
    'another value under a key got a 200',
    (draft) => repeatWith(draft, ok(draft.rows.calculations[2]!.answer!), '{"other":1}'),
  ],
  ['I8', 'a key conflicts with itself', (draft) => repeatWith(draft, conflict(), draft.history[2]!.body)],
  ['I9', 'a 500', (draft) => answerFirst(draft, { ...unavailable(), status: 500, text: error('internal_error') })],
  ['I9', 'a 503 without Retry-After', (draft) => answerFirst(draft, { ...unavailable(), retryAfter: null })],
  ['I9', 'an error with another request id', (draft) => answerFirst(draft, { ...unavailable(), requestId: 'other' })],
  ['I9', 'an error without a body', (draft) => answerFirst(draft, { ...unavailable(), text: '' })],
  ['I10', 'free units are refused', (draft) => Object.assign(draft.probes[0]!, { granted: 99 })],
  ['I11', 'a key that is never answered', ({ history }) => void history[2]!.attempts.pop()],
  ['I12', 'a line that does not add up', (draft) => answerInstead(draft, 0, '"quantity":5', '"quantity":4')],
  ['I12', 'a basket that does not add up', (draft) => answerInstead(draft, 0, /("net":)450(\}\}\})$/, '$1451$2')],
  ['I13', 'an error in a log', ({ aftermath }) => void Object.assign(aftermath, { complaints: ['unhandled'] })],
  ['I13', 'a transaction left open', ({ aftermath }) => void Object.assign(aftermath, { openTransactions: 1 })],
  ['I13', 'connections past the cap', ({ aftermath }) => void Object.assign(aftermath, { connections: 17 })],
  [
    'I13',
    'descriptors that leak',
    ({ aftermath }) => void Object.assign(aftermath.usage[0]!.now, { descriptors: 400 }),
  ],
  ['I13', 'memory that leaks', ({ aftermath }) => void Object.assign(aftermath.usage[0]!.now, { memoryMb: 900 })],
  ['I14', 'an entry that stays in the journal', ({ aftermath }) => void Object.assign(aftermath, { journalled: 1 })],
  ['I14', 'a copy that no ledger gets', ({ aftermath }) => void Object.assign(aftermath, { copies: 1 })],
  ['I3', 'two POS callers spend the same stamps at once', ({ history }) => void history.push(freeTea(515))],
  ['I15', 'a sale used too little', ({ rows }) => replace(rows.value.used, 0, { amount: 9 })],
  ['I15', 'a sale used twice', ({ rows }) => void rows.value.used.push(rows.value.used[0]!)],
  ['I15', 'what was answered as paid is not held', ({ rows }) => void rows.value.holds.pop()],
  ['I15', 'what was sold is still held', ({ rows }) => replace(rows.value.holds, 0, { state: 'open' })],
  ['I15', 'what was not sold is used', ({ rows }) => replace(rows.sales, 2, { status: 'failed' })],
  ['I15', 'value used for no calculation', ({ rows }) => replace(rows.value.used, 0, { calculationId: 'nobody' })],
  ['I16', 'a sale earned twice', ({ rows }) => replace(rows.value.counted, 0, { given: 2 })],
  ['I16', 'a sale counted too much', ({ rows }) => replace(rows.value.counted, 0, { counted: 2, given: 2 })],
  ['I16', 'a sale earned nothing', ({ rows }) => void rows.value.counted.pop()],
  ['I16', 'a cancelled sale earned', ({ rows }) => replace(rows.sales, 0, { status: 'cancelled' })],
  ['I17', 'the recount differs', (draft) => Object.assign(draft, { recount: ['reconcile finds 1'] })],
  ['I17', 'a basket made debt', ({ rows }) => replace(rows.value.accounts, 0, { debt: 1 })],
  ['I17', 'a sale in time made debt', ({ rows }) => replace(rows.sales, 2, { discrepancies: ['value_overdrawn'] })],
]

t.test('a sound run has no violation', (t) => {
  t.same(check(soundEvidence()), [])
  t.end()
})

for (const [invariant, title, plant] of plants) {
  t.test(`${invariant} is broken by this: ${title}`, (t) => {
    const draft = soundEvidence()
    plant(draft)
    const broken = check(draft).map((violation) => violation.invariant)
    t.ok(broken.includes(invariant), `found: ${broken}`)
    t.end()
  })
}

t.test('every invariant has a planted fault', (t) => {
  t.same([...new Set(plants.map(([invariant]) => invariant))], [...invariants])
  t.end()
})

function replace<Row extends object>(rows: Row[], at: number, changed: Partial<Row>): void {
  rows[at] = { ...rows[at]!, ...changed }
}

function answerAgain({ history }: Draft, at: number, text: string): void {
  history[at]!.attempts.push({ gateway: 1, sentAt: 800, endedAt: 810, answer: ok(text) })
}

function repeatWith({ history }: Draft, answer: ReturnType<typeof ok>, body: string): void {
  history.push({ ...history[2]!, body, attempts: [{ gateway: 0, sentAt: 700, endedAt: 710, answer }] })
}

function answerFirst({ history }: Draft, answer: ReturnType<typeof ok>): void {
  history[2]!.attempts[0]!.answer = answer
}

function answerInstead({ history }: Draft, at: number, what: string | RegExp, instead: string): void {
  const [attempt] = history[at]!.attempts
  attempt!.answer = { ...attempt!.answer!, text: attempt!.answer!.text.replace(what, instead) }
}

function conflict(): ReturnType<typeof ok> {
  const requestId = 'request'
  return { status: 409, text: error('idempotency_conflict', requestId), requestId, retryAfter: null, replayed: false }
}

function error(code: string, requestId = 'request'): string {
  return JSON.stringify({ error: { code, message: '', requestId } })
}
