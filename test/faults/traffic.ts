import { randomUUID } from 'node:crypto'
import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import type { Dice } from '../support/dice.js'
import type { CounterClient } from './counter-client.js'
import { type Call, finalAnswer } from './history.js'
import { costedProducts, limitedProducts, unitPrice, unknownCard } from './programmes.js'

const memberCount = 24
const venues = [1, 2].map((number) => ({
  venueId: `venue-${number}`,
  baxId: `bax-${number}`,
  cashRegisterId: 'register-1',
  channel: 'pos',
}))
/** Products of the traffic: the others are for the probes. */
const bought = limitedProducts.map(({ productId }) => productId).filter((id) => id !== 'hot' && id !== 'last')
/** Products that members pay for with value. */
const paid = costedProducts.map(({ productId }) => productId)
/**
 * Open calls above which no new one is begun: POS callers are patient, our memory is not. Where each attempt has a connection of its own
 * through the balancer, all of them in this process, fewer: a thousand calls that are tried again every second are twenty times the
 * traffic meant, and a busy machine did not get out of that any more.
 */
const openMax = { kept: 1_000, apart: 150 } as const
/** The number of latest baskets that are superseded, repeated and sold. */
const recentMax = 120

/** Open-loop traffic: calls begin at their times, whatever became of those before. */
export interface Traffic {
  /** Begins no more calls. */
  stop(): void
  /** Calls not begun because too many were open. */
  readonly skipped: number
}

/** Parts of the calls, 0 to 1; the rest are sales. */
export interface Share {
  readonly limited: number
  readonly unlimited: number
  readonly superseding: number
  readonly repeated: number
}

export const usualShare: Share = { limited: 0.5, unlimited: 0.12, superseding: 0.08, repeated: 0.08 }

/** @param rate  calls a second, evenly spread */
export function startTraffic(client: CounterClient, dice: Dice, rate: number, share: Share = usualShare): Traffic {
  const most = client.apart ? openMax.apart : openMax.kept
  const began = performance.now()
  const recent: Call[] = []
  const sold = new Set<string>()
  let begun = 0
  let skipped = 0

  function step(): void {
    for (const due = ((performance.now() - began) / 1000) * rate; begun < due; begun += 1) {
      if (client.open < most) begin()
      else skipped += 1
    }
  }

  function begin(): void {
    let draw = dice.next()
    const falls = (part: number) => {
      draw -= part
      return draw < 0
    }
    if (falls(share.limited) || recent.length === 0) sendBasket(limitedBasket(dice))
    else if (falls(share.unlimited)) sendBasket(unlimitedBasket(dice))
    else if (falls(share.superseding)) sendBasket(supersedingBasket(dice, dice.pick(recent)))
    else if (falls(share.repeated)) repeat(client, dice, dice.pick(recent))
    else sell()
  }

  function sendBasket(basket: BasketBody): void {
    const supersedes: string | null = basket['supersedesCalculationId'] ?? null
    const key: string = basket['calculationId']
    void client.call({ endpoint: 'basket', key, body: JSON.stringify(basket), supersedes })
    recent.push(client.history.at(-1)!)
    if (recent.length > recentMax) recent.shift()
  }

  function sell(): void {
    const call = dice.chance(0.05) ? null : dice.pick(recent)
    const sale = call === null ? aSale(limitedBasket(dice)) : saleOf(call, dice)
    const key: string = sale['calculationId']
    if (sold.has(key)) return
    sold.add(key)
    void client.call({ endpoint: 'sale', key, body: JSON.stringify(sale) })
  }

  const timer = setInterval(step, 5)
  return {
    stop: () => clearInterval(timer),
    get skipped() {
      return skipped
    },
  }
}

export function limitedBasket(dice: Dice): BasketBody {
  let basket = someBasket(dice).line({ productId: dice.pick(bought), unitPrice, quantity: dice.between(1, 4) })
  if (dice.chance(0.3)) basket = basket.line({ productId: dice.pick(bought), unitPrice, quantity: dice.between(1, 3) })
  if (dice.chance(0.5)) basket = basket.line({ productId: dice.pick(paid), unitPrice, quantity: dice.between(1, 3) })
  return basket.body()
}

/** Half of them of a card that no member has: once a limit for everyone is exhausted, the baskets of members ask the ledger first. */
function unlimitedBasket(dice: Dice): BasketBody {
  const basket = dice.chance(0.5) ? someBasket(dice) : aBasket(unknownCard, dice.pick(venues))
  return basket.line({ productId: 'coffee', unitPrice: 450, quantity: dice.between(1, 3) }).body()
}

function someBasket(dice: Dice) {
  return aBasket(`card-${dice.between(1, memberCount)}`, dice.pick(venues))
}

/** The same guest at the same POS with another basket. */
function supersedingBasket(dice: Dice, old: Call): BasketBody {
  const { calculationId, context, loyaltyId } = JSON.parse(old.body) as BasketBody
  const changed = dice.chance(0.7) ? limitedBasket(dice) : unlimitedBasket(dice)
  return { ...changed, context, loyaltyId, supersedesCalculationId: calculationId }
}

/** The same call again: once, or several at once over all gateways, or with another body under the same key. */
function repeat(client: CounterClient, dice: Dice, { endpoint, key, body, supersedes }: Call): void {
  if (dice.chance(0.1)) {
    const other = JSON.stringify({ ...JSON.parse(body), note: randomUUID() })
    void client.call({ endpoint, key, body: other, supersedes })
    return
  }
  for (let copies = dice.chance(0.3) ? 4 : 1; copies > 0; copies -= 1) {
    void client.call({ endpoint, key, body, supersedes })
  }
}

/** The sale that the POS reports for a basket, answered or not: mostly as charged, sometimes not. */
function saleOf(call: Call, dice: Dice): BasketBody {
  const basket = JSON.parse(call.body) as BasketBody
  const answer = finalAnswer(call)
  const seen = answer?.status === 200 ? JSON.parse(answer.text) : null
  if (seen?.status === 'applied' && dice.chance(0.55)) {
    const { net, lineDiscount, orderDiscount } = seen.basket.totals
    return aSale(basket, { paidTotal: net, loyaltyDiscountTotal: lineDiscount + orderDiscount })
  }
  const sale = dice.pick(otherSales)
  const isCharged = sale.status === 'unchanged' || sale.status === 'failed'
  return aSale(basket, isCharged ? { ...sale, paidTotal: basket['totals'].net } : sale)
}

const otherSales = [
  { status: 'unchanged' },
  { status: 'failed', failureReason: 'timeout' },
  { status: 'failed', failureReason: 'offline' },
  { status: 'cancelled', transactionId: null },
  { status: 'member_not_found', loyaltyId: null },
  { status: 'applied' },
] as const
