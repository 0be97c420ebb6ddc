import type { Reply } from '../../gateway/use-cases/replies.js'
import type { AnswerBody, BasketBody, BenefitId, CostedId, SaleBody } from './bodies.js'
import type { Checker } from './checker.js'
import type { RunningGateway } from './gateway.js'
import type { Owner } from './virtual-time.js'
import type { World } from './world.js'

/** One request of a POS, repeated with the same key until it is answered. */
export interface Errand {
  readonly endpoint: 'basket' | 'sale'
  readonly key: string
  /** Texts of the same JSON value. */
  readonly bodies: readonly string[]
  /** The final reply; null: none yet. */
  result: Reply | null
  /** Attempts without a final answer. */
  failures: number
}

/** The POS callers: they repeat, send in parallel, supersede and come late. */
export interface PosCallers {
  readonly errands: readonly Errand[]
  /** Plans the baskets of a run, from now on until then; about half of them come at one moment. */
  plan(orders: number, withinMs: number): void
  /** Sends until it is answered. */
  send(errand: Pick<Errand, 'endpoint' | 'key' | 'bodies'>): Errand
  basketKey(): string
  /** Whether everything planned was sent and answered. */
  settled(): boolean
}

/** A POS waits so long for an answer, in milliseconds: a little more than the contract's 500. */
const patienceMs = 600
/** After this many failed attempts a POS repeats rarely. */
const eagerMax = 5

/** @param reach  the gateways that take calls now */
export function createPosCallers(world: World, reach: () => readonly RunningGateway[], checker: Checker): PosCallers {
  const { time, dice } = world
  const street: Owner = { alive: true, resumesAtMs: 0 }
  const errands: Errand[] = []
  let keys = 0
  let planned = 0

  function later(ms: number, happen: () => void): void {
    planned += 1
    time.after(ms, street, () => {
      planned -= 1
      happen()
    })
  }

  function attempt(errand: Errand, then: (reply: Reply | null) => void): void {
    const body = dice.pick(errand.bodies)
    let waiting = true
    const end = (reply: Reply | null) => {
      if (!waiting) return
      waiting = false
      given.cancel()
      then(reply)
    }
    const given = time.after(patienceMs, street, () => end(null))
    const gateways = reach()
    if (gateways.length === 0) return
    const gateway = dice.pick(gateways)
    time.after(world.hopMs(), gateway.owner, () => {
      const call = { body: Buffer.from(body), idempotencyKey: errand.key, arrivedAtMs: performance.now() }
      const fromMs = time.nowMs
      const { calculateBasket, recordSale } = gateway.useCases
      const useCase = errand.endpoint === 'basket' ? calculateBasket : recordSale
      useCase(call).then(
        (reply) => {
          world.trace(() => `gateway ${gateway.place}: ${errand.endpoint} ${errand.key.slice(-2)} ${replyText(reply)}`)
          if (reply.kind === 'answered')
            checker.served({ endpoint: errand.endpoint, key: errand.key, body, reply, place: gateway.place, fromMs })
          if (!dice.chance(0.08) || world.calm) time.after(world.hopMs(), street, () => end(reply))
        },
        (error: unknown) =>
          checker.fault('I13', `a use case rejected: ${error instanceof Error ? error.stack : error}`),
      )
    })
  }

  function pursue(errand: Errand): void {
    attempt(errand, (reply) => {
      if (errand.result !== null) return
      if (reply !== null && reply.kind !== 'unavailable') {
        errand.result = reply
        return
      }
      errand.failures += 1
      const pause = errand.failures <= eagerMax ? 20 + dice.next() * 600 : 300 + dice.next() * 700
      time.after(pause, street, () => pursue(errand))
    })
  }

  function send(wanted: Pick<Errand, 'endpoint' | 'key' | 'bodies'>): Errand {
    const errand: Errand = { ...wanted, result: null, failures: 0 }
    errands.push(errand)
    pursue(errand)
    for (let copies = dice.chance(0.3) ? dice.between(1, 3) : 0; copies > 0; copies -= 1) {
      later(dice.next() * dice.pick([5, 200, 3_000]), () => attempt(errand, () => {}))
    }
    return errand
  }

  function basketKey(): string {
    keys += 1
    return `00000000-0000-4000-8000-${keys.toString(16).padStart(12, '0')}`
  }

  function basket(supersedes: string | null, loyaltyId: string, venueId: string): Errand {
    const calculationId = basketKey()
    const body: BasketBody = { calculationId, supersedes, venueId, loyaltyId, wants: someWants() }
    const reordered = Object.fromEntries(Object.entries(body).reverse())
    if (dice.chance(0.1)) {
      const other = JSON.stringify({ ...body, wants: { A: 7 } })
      later(dice.next() * 300, () => send({ endpoint: 'basket', key: calculationId, bodies: [other] }))
    }
    return send({ endpoint: 'basket', key: calculationId, bodies: [JSON.stringify(body), JSON.stringify(reordered)] })
  }

  function someWants(): BasketBody['wants'] {
    if (dice.chance(0.2)) return {}
    const limited: BenefitId[] = dice.some(['A', 'B', 'C'])
    const costed: CostedId[] = dice.chance(0.5) ? dice.some(['D', 'E']) : []
    const benefits = dice.chance(0.2) ? costed : [...limited, ...costed]
    return Object.fromEntries(benefits.map((benefit) => [benefit, dice.between(1, 2)]))
  }

  function sale(of: Errand, venueId: string): void {
    const answered =
      of.result?.kind === 'answered' ? (JSON.parse(Buffer.from(of.result.body).toString()) as AnswerBody) : null
    const paid: SaleBody['status'] = answered?.status ?? dice.pick(['applied', 'unchanged'])
    const status = dice.pick([paid, paid, paid, 'cancelled', 'failed'] as const)
    const body: SaleBody = { calculationId: of.key, status, venueId }
    send({ endpoint: 'sale', key: of.key, bodies: [JSON.stringify(body)] })
    if (dice.chance(0.1)) {
      const other: SaleBody = { ...body, status: status === 'cancelled' ? 'applied' : 'cancelled' }
      send({ endpoint: 'sale', key: of.key, bodies: [JSON.stringify(other)] })
    }
  }

  function order(): void {
    const [loyaltyId, venueId] = [dice.pick(['m1', 'm2']), dice.pick(['v1', 'v2'])]
    let last = basket(null, loyaltyId, venueId)
    const lateMs = dice.chance(0.15) ? world.expiryS * 1_000 : 0
    const payLater = (of: Errand, withinMs: number) => later(lateMs + dice.next() * withinMs, () => sale(of, venueId))
    if (dice.chance(0.15)) payLater(last, 60)
    else if (dice.chance(0.4)) {
      const first = last
      later(dice.next() * dice.pick([20, 900]), () => {
        last = basket(first.key, loyaltyId, dice.chance(0.9) ? venueId : 'v3')
        if (dice.chance(0.7)) payLater(dice.chance(0.85) ? last : first, 1_500)
      })
    } else if (dice.chance(0.7)) payLater(last, 1_500)
  }

  return {
    errands,
    send,
    basketKey,
    settled: () => planned === 0 && errands.every(({ result }) => result !== null),
    plan(orders, withinMs) {
      const rushMs = dice.next() * withinMs
      for (let count = 0; count < orders; count += 1) {
        later(dice.chance(0.5) ? rushMs + dice.next() * 20 : dice.next() * withinMs, order)
      }
    },
  }
}

function replyText(reply: Reply): string {
  switch (reply.kind) {
    case 'answered':
      return `200 ${reply.replayed ? 'replayed ' : ''}${Buffer.from(reply.body).toString().slice(56)}`
    case 'refused':
      return reply.code
    case 'unavailable':
      return `503 ${reply.cause}`
  }
}
