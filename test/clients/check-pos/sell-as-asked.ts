import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stepPath } from '../../../clients/check-pos/play-service.js'
import type { Next } from '../../../clients/check-pos/step-by-step.js'
import type { PosBasket } from '../../../clients/pos-js/basket.js'
import { buildSale, type PosSale, type SaleStatus } from '../../../clients/pos-js/build-sale.js'
import type { FailureReason } from '../../../clients/pos-js/call.js'
import type { PosReturn } from '../../../clients/pos-js/send-sale.js'

/** A POS that rings up by itself. */
export interface AutomaticPos {
  calculate(basket: PosBasket): Promise<Outcome>
  /** Resolves once the event is delivered or given up. */
  record(sale: PosSale): Promise<void>
  /** Resolves once the return is answered or given up. */
  giveBack(returned: PosReturn): Promise<void>
}

export interface Outcome {
  readonly status: SaleStatus
  readonly failureReason?: FailureReason | null
  readonly charged: PosBasket
}

/** Mistakes of a POS outside its calls. */
export type SellingFault =
  | 'sends each event twice'
  | 'says http_error of every failure'
  | 'does not name what it supersedes'
  | 'sends an event for what is superseded'
  | 'pays what is abandoned'
  | 'returns what was not sold'

/** Follows the played service until its `end`. Without an answer it sells once, and waits until there is one. */
export async function sellAsAsked(
  url: string,
  pos: AutomaticPos,
  { basket, fault }: { readonly basket: PosBasket; readonly fault: SellingFault | null },
): Promise<void> {
  let wasAnswered = true
  for (;;) {
    const next = await nextStep(url)
    const doing = next ?? (wasAnswered ? 'pay' : 'wait')
    wasAnswered = next !== null
    if (doing === 'end') return
    if (doing === 'wait') await sleep(20)
    else if (doing === 'change') await sellChanged()
    else {
      const sent = fresh(basket)
      const outcome = await pos.calculate(sent)
      await record(outcome, doing === 'abandon' && fault !== 'pays what is abandoned' ? 'cancelled' : outcome.status)
      if (doing === 'return') await giveBack(outcome.charged)
    }
  }

  async function sellChanged(): Promise<void> {
    const first = fresh(basket)
    const before = await pos.calculate(first)
    const names = fault === 'does not name what it supersedes' ? {} : { supersedesCalculationId: first.calculationId }
    const outcome = await pos.calculate({ ...fresh(basket), ...names })
    if (fault === 'sends an event for what is superseded') await record(before, before.status)
    await record(outcome, outcome.status)
  }

  async function giveBack({ calculationId, context, lines: [line] }: PosBasket): Promise<void> {
    const lineId = fault === 'returns what was not sold' ? 'other' : line!.lineId
    const lines = [{ lineId, quantity: Math.min(1, line!.quantity) }]
    const occurredAt = new Date().toISOString()
    await pos.giveBack({ returnId: randomUUID(), calculationId, lines, occurredAt, context })
  }

  async function record({ charged, ...outcome }: Outcome, status: SaleStatus): Promise<void> {
    const reason = fault === 'says http_error of every failure' ? 'http_error' : (outcome.failureReason ?? null)
    const sale = buildSale(charged, {
      status,
      failureReason: status === 'failed' ? reason : null,
      transactionId: '4711',
      receiptNumber: 1,
      discountCode: 'THIRD_PARTY_LOYALTY',
      occurredAt: new Date(),
    })
    await pos.record(sale)
    if (fault === 'sends each event twice') await pos.record({ ...sale, receiptNumber: 2 })
  }
}

function fresh(basket: PosBasket): PosBasket {
  return { ...basket, calculationId: randomUUID() }
}

/** null: there is no answer. */
async function nextStep(url: string): Promise<Next['do'] | null> {
  return fetch(`${url}${stepPath}`).then(
    async (response) => ((await response.json()) as Next).do,
    () => null,
  )
}
