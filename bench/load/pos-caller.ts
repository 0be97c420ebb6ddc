import { createHmac } from 'node:crypto'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import { buildSale, type SaleStatus } from '../../clients/pos-js/build-sale.js'
import { objectFromJson } from '../../clients/pos-js/calculate.js'
import type { Service } from '../../clients/pos-js/call.js'
import { problemsOf } from '../../clients/pos-js/check-basket.js'
import { Dice } from '../../test/support/dice.js'
import { createCatalogue } from './catalogue.js'
import type { Request, Response } from './connections.js'
import { type DrawnBasket, drawBasket } from './draw-baskets.js'
import type { Load, Plan, Shot, Visit } from './plan-load.js'

/** The result of a shot: a word of the contract, `replayed`, or an error; `problem` describes the error. */
export interface Landed {
  readonly outcome: string
  readonly problem: string | null
}

export interface PosCallers {
  request(shot: Shot): Request
  /** @param check  true: checks an applied basket in full, as a POS does, at the cost of processor time here */
  land(shot: Shot, response: Response, check: boolean): Landed
  linesOf(shot: Shot): number
}

/** The service's discount code. */
const discountCode = 'THIRD_PARTY_LOYALTY'
/** Outcomes of a correct 200; every other word is an error. */
export const goodOutcomes: readonly string[] = [
  'answered',
  'applied',
  'unchanged',
  'member_not_found',
  'recorded',
  'duplicate',
  'replayed',
]

interface Template extends DrawnBasket {
  /** The basket's JSON after its ids, without the opening brace. */
  readonly rest: Buffer
}

interface Answered {
  readonly status: SaleStatus
  readonly body: Buffer | null
}

export function createPosCallers(load: Load, plan: Plan, service: Service): PosCallers {
  const catalogue = createCatalogue(load.catalogue)
  const dice = new Dice(load.seed)
  const templates = Array.from({ length: load.basketsDrawn }, () => templateOf(drawBasket(dice, catalogue, load.mix)))
  const answers = new Map<number, Answered>()
  const sales = new Map<number, Buffer>()
  const host = new URL(service.url).host

  const templateFor = (shot: Shot) => templates[plan.visits[shot.visit]!.basket]!
  const visitOf = (shot: Shot) => plan.visits[shot.visit]!

  const fixed = load.request === undefined ? null : { head: Buffer.from(load.request), tail: nothing }

  function basketRequest(shot: Shot): Request {
    if (fixed !== null) return fixed
    const visit = visitOf(shot)
    const start = bodyStart(visit, plan)
    const { rest } = templateFor(shot)
    return signed({ host, path: '/v1/pos/basket', key: visit.calculationId, start, rest }, service.secret)
  }

  function saleRequest(shot: Shot): Request {
    const visit = visitOf(shot)
    const body = sales.get(shot.visit) ?? saleBody(visit, templateFor(shot), answers.get(shot.visit))
    if (!sales.has(shot.visit)) sales.set(shot.visit, body)
    return signed({ host, path: '/v1/pos/sale', key: visit.calculationId, start: body, rest: nothing }, service.secret)
  }

  function landBasket(shot: Shot, body: Buffer, check: boolean): Landed {
    const text = body.toString('latin1', 0, 200)
    const outcome = /"status":"(applied|unchanged|member_not_found)"/.exec(text)?.[1] ?? 'invalid'
    if (outcome === 'invalid') return { outcome, problem: text }
    if (load.visits !== null) {
      answers.set(shot.visit, { status: outcome as SaleStatus, body: outcome === 'applied' ? body : null })
    }
    if (!check || outcome !== 'applied') return { outcome, problem: null }
    const { basket, venue } = templateFor(shot)
    const sent = { ...basket, calculationId: visitOf(shot).calculationId }
    const [problem] = problemsOf(objectFromJson(body.toString())?.['basket'], sent, venue)
    return problem === undefined ? { outcome, problem: null } : { outcome: 'invalid', problem }
  }

  return {
    request: (shot) => (shot.kind === 'basket' ? basketRequest(shot) : saleRequest(shot)),
    linesOf: (shot) => templateFor(shot).basket.lines.length,
    land(shot, response, check) {
      if (response.kind === 'broken') return { outcome: 'broken', problem: response.why }
      const { status, head, body } = response
      if (status !== 200) return { outcome: `http_${status}`, problem: body.toString().slice(0, 200) }
      if (load.answers === 'anything') return { outcome: 'answered', problem: null }
      if (load.answers !== 'contract') return landText(body.toString(), load.answers)
      const landed = shot.kind === 'basket' ? landBasket(shot, body, check) : landSale(body)
      const isGood = goodOutcomes.includes(landed.outcome)
      if (!isGood || !/\r\nidempotent-replayed: *true/i.test(head)) return landed
      return load.visits === null ? unexpectedReplay : { ...landed, outcome: 'replayed' }
    },
  }
}

const nothing = Buffer.alloc(0)

/** An error where nothing is sent twice: a replay belongs to another request, and costs less than an answer. */
const unexpectedReplay: Landed = {
  outcome: 'unexpected_replay',
  problem: 'the service has answered this calculationId before: another --seed is needed, or empty stores',
}

function landText(body: string, { text, times }: { readonly text: string; readonly times: number }): Landed {
  const found = body.split(text).length - 1
  return found === times
    ? { outcome: 'answered', problem: null }
    : { outcome: 'invalid', problem: `${text} ${found} times: ${body.slice(0, 200)}` }
}

function templateOf(drawn: DrawnBasket): Template {
  const { calculationId: _, ...rest } = drawn.basket
  return { ...drawn, rest: Buffer.from(JSON.stringify(rest).slice(1)) }
}

/** The part of a basket's bytes that differs per calculation: its ids come first. */
function bodyStart({ calculationId, supersedes }: Visit, plan: Plan): Buffer {
  const before = supersedes === null ? '' : `"supersedesCalculationId":"${plan.visits[supersedes]!.calculationId}",`
  return Buffer.from(`{"calculationId":"${calculationId}",${before}`, 'latin1')
}

/** The sale event of a visit after the answer so far: a POS without an answer has charged the original basket. */
function saleBody(visit: Visit, { basket }: Template, answered: Answered | undefined): Buffer {
  const original: PosBasket = { ...basket, calculationId: visit.calculationId }
  const late = answered === undefined
  const status = visit.ending === 'as_answered' ? (answered?.status ?? 'failed') : visit.ending!
  const charged = status === 'applied' ? chargedBasket(answered!, original) : original
  const sale = buildSale(charged, {
    status,
    failureReason: status !== 'failed' ? null : late ? 'timeout' : 'pos_error',
    transactionId: `transaction-${visit.calculationId.slice(0, 8)}`,
    receiptNumber: 1,
    discountCode,
    occurredAt: new Date(Date.parse(basket.requestedAt) + 60_000),
  })
  return Buffer.from(JSON.stringify(sale))
}

function chargedBasket({ body }: Answered, original: PosBasket): PosBasket {
  const answer = body === null ? null : objectFromJson(body.toString())
  return (answer?.['basket'] as PosBasket | undefined) ?? original
}

function landSale(body: Buffer): Landed {
  const text = body.toString()
  const result = /"result":"(recorded|duplicate|unknown_calculation)"/.exec(text)?.[1]
  return result === undefined ? { outcome: 'invalid', problem: text.slice(0, 200) } : { outcome: result, problem: null }
}

interface Unsigned {
  readonly host: string
  readonly path: string
  readonly key: string
  /** The body is `start`, then `rest`. */
  readonly start: Buffer
  readonly rest: Buffer
}

/** A request as a POS sends it (contract 4 and 5), signed for the current second. */
function signed({ host, path, key, start, rest }: Unsigned, secret: string): Request {
  const seconds = Math.floor(Date.now() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(start).update(rest).digest('hex')
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${
    start.length + rest.length
  }\r\nIdempotency-Key: ${key}\r\nPOS-Signature: t=${seconds},v1=${signature}\r\n\r\n`
  return { head: Buffer.concat([Buffer.from(head, 'latin1'), start]), tail: rest }
}
