import { createHash } from 'node:crypto'
import { amountsSpent, counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { BasketFacts, Priced, PricingEngine, PricingFacts, SaleEvent } from '../../engine/index.js'
import type { AnswerBody, BasketBody, BenefitId, CostedId, SaleBody } from './bodies.js'
import type { Gateway } from './gateway-place.js'
import { baseOf, earningText, spendingOf } from './value-programme.js'
import type { World } from './world.js'

/** The limits of a benefit: one for everyone, one for everyone and one per member, one per venue, none. */
export function limitsOf(
  benefit: BenefitId | CostedId,
  { loyaltyId, venueId }: BasketBody,
  maxima: World['maxima'],
): Want[] {
  const want = (limitId: string, subject: string): Want => ({
    limitId,
    subject,
    period: '',
    units: 0,
    maximum: maxima[limitId]!,
  })
  switch (benefit) {
    case 'A':
      return [want('a', '')]
    case 'B':
      return [want('b', ''), want('bm', loyaltyId)]
    case 'C':
      return [want('c', venueId)]
    case 'D':
    case 'E':
      return []
  }
}

function priceBody(body: BasketBody, facts: PricingFacts, maxima: World['maxima']) {
  const { programmeVersion, available } = facts
  const spending = spendingOf(body, facts)
  const base = baseOf(spending)
  const holds = (Object.entries(body.wants) as [BenefitId | CostedId, number][])
    .flatMap(([benefit, wanted]) => {
      const limits = limitsOf(benefit, body, maxima)
      const left = limits.map((limit) => available[counterKey(limit)] ?? available['*'] ?? limit.maximum)
      const units = Math.max(0, Math.min(wanted, ...left))
      return units === 0 ? [] : limits.map((limit) => ({ ...limit, units }))
    })
    .sort((left, right) => (counterKey(left) < counterKey(right) ? -1 : 1))
  const answer: AnswerBody = {
    calculationId: body.calculationId,
    status: holds.length + spending.length > 0 ? 'applied' : 'unchanged',
    programmeVersion,
    wants: body.wants,
    holds: holds.map((hold) => ({ counter: counterKey(hold), units: hold.units, maximum: hold.maximum })),
    spends: Object.fromEntries(amountsSpent(spending)),
    base,
  }
  const isNamed = (limit: Want) => available[counterKey(limit)] !== undefined
  const bounded = Object.keys(body.wants).some((benefit) =>
    limitsOf(benefit as BenefitId | CostedId, body, maxima).some(isNamed),
  )
  return { answer, holds, spending, bounded }
}

/** The engine as a gateway sees it, over a programme simple enough to be checked: now and then it is slow. */
export function createSimulatedEngine(world: World, gateway: Gateway): PricingEngine {
  const { time, dice } = world
  const tickets = new Map<number, string>()
  let last = 0

  function later<T>(make: () => T): Promise<T> {
    const slow = dice.chance(0.04) && !world.calm ? 350 + dice.next() * 110 : dice.next() * 2
    return new Promise((resolve) => time.after(slow, gateway.owner, () => resolve(make())))
  }

  return {
    readBasket(bytes, key, how) {
      gateway.began.set(key, time.nowMs)
      last += 1
      const ticket = { thread: 0, id: last }
      const text = Buffer.from(bytes).toString()
      tickets.set(last, text)
      const facts = basketFacts(JSON.parse(text), text)
      return later(() => {
        const isAsTaken = how?.ahead?.loyaltyId === facts.loyaltyId && how.ahead.venueId === facts.venueId
        const ahead = isAsTaken ? priced(text, how.ahead!.facts, world.maxima) : null
        return { kind: 'read', ticket, facts, tooManyLines: null, arithmetic: null, ahead } as const
      })
    },
    priceBasket({ id }, facts) {
      const text = tickets.get(id)!
      return later(() => priced(text, facts, world.maxima))
    },
    forget: ({ id }) => void tickets.delete(id),
    readSale(bytes) {
      const text = Buffer.from(bytes).toString()
      return later(() => ({ kind: 'read', event: saleEvent(JSON.parse(text), text) }) as const)
    },
    countSale: async () => ({ earning: null, isPartial: false }),
    closedBenefits: async () => [],
    ladder: () => Promise.reject(new Error('no sale is returned here')),
    sameValue: (left, right) =>
      later(() => world.planted.has('body_not_compared') || canonical(left) === canonical(right)),
    async unpack(packed) {
      const [request, answer] = JSON.parse(Buffer.from(packed).toString()) as [string, string]
      return { request: Buffer.from(request), answer: Buffer.from(answer) }
    },
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: false, costed: [] }),
    waiting: 0,
    close: async () => {},
  }
}

function priced(text: string, facts: PricingFacts, maxima: World['maxima']): Priced {
  const { answer, holds, spending, bounded } = priceBody(JSON.parse(text), facts, maxima)
  const written = JSON.stringify(answer)
  return {
    status: answer.status,
    reason: answer.status === 'unchanged' ? 'limit_exhausted' : null,
    answer: Buffer.from(written),
    packed: Buffer.from(JSON.stringify([text, written])),
    explanation: Buffer.alloc(0),
    wants: holds,
    netAfter: 900,
    loyaltyDiscountTotal: 100,
    value: 100,
    optimal: true,
    gap: 0,
    steps: 1,
    bounded,
    carried: 0,
    spending: spending.length > 0 ? JSON.stringify(spending) : null,
    earning: earningText(answer.base),
    gave: null,
  }
}

function basketFacts({ calculationId, supersedes, venueId, loyaltyId }: BasketBody, text: string): BasketFacts {
  return {
    calculationId,
    supersedesCalculationId: supersedes,
    loyaltyId,
    currency: 'EUR',
    requestedAt: '2026-11-21T10:00:00+01:00',
    venueId,
    baxId: 'bax-1',
    cashRegisterId: 'register-1',
    channel: 'pos',
    lineCount: 1,
    netBefore: 1_000,
    digest: digestOf(text),
  }
}

function saleEvent({ calculationId, status, venueId }: SaleBody, text: string): SaleEvent {
  return {
    calculationId,
    status,
    failureReason: null,
    transactionId: null,
    receiptNumber: null,
    loyaltyId: null,
    currency: 'EUR',
    paidTotal: null,
    loyaltyDiscountTotal: null,
    occurredAt: '2026-11-21T10:01:00+01:00',
    venueId,
    baxId: 'bax-1',
    cashRegisterId: 'register-1',
    terminalId: null,
    clerkNumber: null,
    channel: 'pos',
    digest: digestOf(text),
  }
}

function digestOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest()
}

function canonical(bytes: Uint8Array): string {
  const value = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
  return JSON.stringify(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
}
