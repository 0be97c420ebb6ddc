import t from 'tap'
import { createTrafficCounter, trafficOf } from '../../../gateway/telemetry/traffic.js'

const basket = { endpoint: 'basket', status: 200, outcome: 'applied', code: '', durationMs: 4 }
const refused = { ...basket, status: 401, outcome: 'refused', code: 'invalid_signature' }
const unavailable = { ...basket, status: 503, outcome: 'unavailable', code: 'unavailable' }

/** The traffic of these answers: how many of each. */
function trafficFrom(...answers: readonly (readonly [count: number, answer: typeof basket & { venue?: string }])[]) {
  const counter = createTrafficCounter()
  for (const [count, answer] of answers) for (let at = 0; at < count; at += 1) counter.answered(answer)
  return trafficOf([counter.take()], 60)
}

t.test('baskets are counted by outcome, with their times', async (t) => {
  const traffic = trafficFrom(
    [98, basket],
    [1, { ...unavailable, durationMs: 200 }],
    [1, { ...basket, endpoint: 'PosService/CalculateBasket', outcome: 'served', durationMs: 5_000 }],
    [1, { ...basket, endpoint: 'sale', outcome: 'recorded', durationMs: 5_000 }],
    [1, { ...basket, endpoint: 'LimitService/GetLimit', outcome: 'served' }],
  )
  t.match(traffic, { seconds: 60, baskets: 100, calls: 101 })
  t.same(traffic.outcomes, [
    { outcome: 'applied', baskets: 98 },
    { outcome: 'served', baskets: 1 },
    { outcome: 'unavailable', baskets: 1 },
  ])
  const [half, most, slowest] = [50, 99, 100].map((each) => traffic.percentile(each)!)
  t.ok(half! > 2.5 && half! <= 5, `${half}`)
  t.ok(most! > 150 && most! <= 250, `${most}`)
  t.equal(slowest, 1_000, 'beyond the last bucket its bound is all that is known')
})

t.test('errors and late answers are counted by register, the worst first', async (t) => {
  const at = (venue: string, register: string) => ({ venue, register })
  const { errors, places } = trafficFrom(
    [90, { ...basket, ...at('oslo', '1') }],
    [2, { ...basket, ...at('oslo', '2'), durationMs: 251 }],
    [3, { ...refused, ...at('bergen', '7') }],
    [1, { ...unavailable, ...at('bergen', '7') }],
    [1, { ...refused, endpoint: 'sale', ...at('bergen', '7') }],
    [1, refused],
  )
  t.same(errors, [
    { code: 'invalid_signature', calls: 5 },
    { code: 'unavailable', calls: 1 },
  ])
  const [one, two] = [4, 1].map((calls) => ({ code: 'invalid_signature', calls }))
  t.same(
    places.map((place) => place.percentile(50)),
    [3.75, 3.75, 300],
    'with the times of its own baskets',
  )
  t.match(places, [
    {
      ...{ venueId: 'bergen', cashRegisterId: '7', calls: 5, slow: 0 },
      errors: [one, { code: 'unavailable', calls: 1 }],
    },
    { venueId: '', cashRegisterId: '', calls: 1, slow: 0, errors: [two] },
    { venueId: 'oslo', cashRegisterId: '2', calls: 2, slow: 2, errors: [] },
  ])
})

t.test('nothing is well with 1 % of errors, a late p99, or a register that is refused', async (t) => {
  t.ok(trafficFrom().isWell)
  t.ok(trafficFrom([990, basket], [10, unavailable]).isWell)
  t.notOk(trafficFrom([989, basket], [11, unavailable]).isWell)
  const late = { ...basket, durationMs: 300 }
  t.ok(trafficFrom([99, basket], [1, late]).isWell)
  t.notOk(trafficFrom([98, basket], [2, late]).isWell)
  const broken = { ...refused, venue: 'oslo', register: '2' }
  t.ok(trafficFrom([1_000, basket], [2, broken]).isWell)
  t.notOk(trafficFrom([1_000, basket], [3, broken]).isWell)
})

t.test('of very many registers the rest is one place without ids', async (t) => {
  const counter = createTrafficCounter()
  for (let at = 0; at < 3_000; at += 1) counter.answered({ ...refused, venue: 'oslo', register: String(at) })
  const { places } = trafficOf([counter.take()], 60)
  t.match(places[0], { venueId: '', cashRegisterId: '', calls: 2_951 })
  t.equal(places.length, 50)
})

t.test('the last minute has no answers from before it, and no others are taken twice', async (t) => {
  let nowMs = 0
  const counter = createTrafficCounter(() => nowMs)
  counter.answered(basket)
  nowMs = 30_000
  counter.answered(unavailable)
  t.equal(counter.latest().calls['all'], 2)
  t.equal(counter.take().calls['all'], 2)
  t.equal(counter.take().calls['all'], 0)
  nowMs = 61_000
  t.equal(counter.latest().calls['all'], 1)
  nowMs = 91_000
  t.equal(counter.latest().calls['all'], 0)
})
