import t from 'tap'
import { everydayVisits, type Load, planLoad } from '../../bench/load/plan-load.js'
import { createPosCallers } from '../../bench/load/pos-caller.js'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import type { PosSale } from '../../clients/pos-js/build-sale.js'
import { aLoad, goodAnswer } from './a-load.js'

const service = { url: 'http://pos.test', secret: 's' }
const load: Load = {
  ...aLoad,
  visits: { ...everydayVisits, cancelledShare: 0.2, failedShare: 0.2, repeatedShare: 0.3 },
  mix: { ...aLoad.mix, memberShare: 0.7 },
  stages: [{ rate: 100, seconds: 1, counted: true }],
}

interface Sent {
  readonly path: string
  readonly body: string
}

/** Plays a load without a network: every request is answered before the next is written, baskets only where `answers` allows. */
function played(load: Load, answers = true): Sent[] {
  const plan = planLoad(load)
  const posCallers = createPosCallers(load, plan, service)
  return plan.shots.map((shot) => {
    const { head, tail } = posCallers.request(shot)
    const [start = '', ...rest] = Buffer.concat([head, tail]).toString().split('\r\n\r\n')
    const sent = { path: start.split(' ')[1]!, body: rest.join('\r\n\r\n') }
    t.match(start, new RegExp(`Content-Length: ${Buffer.byteLength(sent.body)}\\r`))
    if (!answers && shot.kind === 'basket') return sent
    const body = Buffer.from(JSON.stringify(goodAnswer(sent)))
    t.equal(posCallers.land(shot, { kind: 'answered', status: 200, head: '', body }, true).problem, null)
    return sent
  })
}

function salesOf(sent: readonly Sent[]): PosSale[] {
  return sent.filter(({ path }) => path === '/v1/pos/sale').map(({ body }) => JSON.parse(body) as PosSale)
}

t.test('one seed writes the same bytes, sales included, another one others', async (t) => {
  t.same(played(load), played(load))
  t.not(JSON.stringify(played(load)), JSON.stringify(played({ ...load, seed: 9 })))
})

t.test('sale events report how every visit ended, with the sums that were charged', async (t) => {
  const sent = played(load)
  const sales = salesOf(sent)
  t.same([...new Set(sales.map(({ status }) => status))].sort(), ['applied', 'cancelled', 'failed', 'member_not_found'])
  const baskets = new Map(
    sent
      .filter(({ path }) => path === '/v1/pos/basket')
      .map((one) => [(JSON.parse(one.body) as PosBasket).calculationId, one]),
  )
  for (const { calculationId, status, paidTotal, failureReason } of sales) {
    const basket = baskets.get(calculationId)!
    const answer = goodAnswer(basket) as { readonly basket?: PosBasket }
    const original = (JSON.parse(basket.body) as PosBasket).totals.net
    const charged = status === 'applied' ? answer.basket!.totals.net : original
    t.equal(paidTotal, status === 'cancelled' ? undefined : charged)
    t.equal(failureReason, status === 'failed' ? 'pos_error' : undefined)
  }
})

t.test('a repeat is the same bytes, and a changed basket names its predecessor', async (t) => {
  const sent = played(load)
  const different = new Set(sent.map(({ path, body }) => `${path} ${body}`))
  t.ok(different.size < sent.length - 20, `${sent.length - different.size} repeated`)
  const keys = new Set(sent.map(({ path, body }) => `${path} ${(JSON.parse(body) as PosBasket).calculationId}`))
  t.equal(keys.size, different.size, 'one key has one body')
  const supersedes = sent.flatMap(({ body }) => (JSON.parse(body) as PosBasket).supersedesCalculationId ?? [])
  t.ok(supersedes.length > 0)
  t.ok(supersedes.every((id) => keys.has(`/v1/pos/basket ${id}`)))
})

t.test('a POS without an answer charges the original basket and reports it', async (t) => {
  const sales = salesOf(played({ ...load, visits: { ...everydayVisits, cancelledShare: 0, failedShare: 0 } }, false))
  t.ok(sales.length > 0)
  t.ok(sales.every(({ status, failureReason }) => status === 'failed' && failureReason === 'timeout'))
})

t.test('a floor may answer anything with 200, and nothing else', async (t) => {
  const any: Load = { ...aLoad, answers: 'anything' }
  const plan = planLoad(any)
  const posCallers = createPosCallers(any, plan, service)
  const land = (status: number) =>
    posCallers.land(plan.shots[0]!, { kind: 'answered', status, head: '', body: Buffer.from('{}') }, true).outcome
  t.equal(land(200), 'answered')
  t.equal(land(401), 'http_401')
})

t.test('a peer gets the same bytes each time, and its answer must hold a text so often', async (t) => {
  const peer: Load = { ...aLoad, request: 'POST /carts HTTP/1.1\r\n\r\n{}', answers: { text: '"off":', times: 2 } }
  const plan = planLoad(peer)
  const posCallers = createPosCallers(peer, plan, service)
  const shot = plan.shots[0]!
  t.equal(posCallers.request(shot).head.toString(), peer.request)
  const land = (body: string) =>
    posCallers.land(shot, { kind: 'answered', status: 200, head: '', body: Buffer.from(body) }, true).outcome
  t.equal(land('{"off":1,"off":2}'), 'answered')
  t.equal(land('{"off":1}'), 'invalid')
})

t.test('a replay is right where requests are sent twice, and wrong elsewhere', async (t) => {
  const outcomeOf = (load: Load) => {
    const plan = planLoad(load)
    const posCallers = createPosCallers(load, plan, service)
    const shot = plan.shots.find(({ kind }) => kind === 'basket')!
    const body = Buffer.from('{"calculationId":"x","status":"unchanged","reason":"no_benefits"}')
    const head = 'HTTP/1.1 200 OK\r\nIdempotent-Replayed: true'
    return posCallers.land(shot, { kind: 'answered', status: 200, head, body }, false).outcome
  }
  t.equal(outcomeOf(load), 'replayed')
  t.equal(outcomeOf(aLoad), 'unexpected_replay')
})
