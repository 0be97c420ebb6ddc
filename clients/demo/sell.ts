import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { amountText } from '../lps/words.js'
import { dateTime, type PosBasket } from '../pos-js/basket.js'
import { buildSale, type PosSale } from '../pos-js/build-sale.js'
import type { Calculated, Exchange, PosClient, SaleEnd } from '../pos-js/pos-client.js'
import { buildBasket, type Pick } from './build-basket.js'
import { type Paint, type Receipt, receiptLines } from './receipt.js'

export interface Sale {
  readonly pos: PosClient
  readonly venue: ProgrammeVenue
  readonly loyaltyId: string | null
  readonly picks: readonly Pick[]
  readonly change: boolean
  readonly twice: boolean
  readonly cancel: boolean
  readonly bringsBack: boolean
  readonly discountCode: string
}

export interface Screen {
  readonly print: (line: string) => void
  readonly paint: Paint
}

export async function sell(sale: Sale, screen: Screen): Promise<boolean> {
  const first = newBasket(sale, sale.picks, null)
  heading(screen, 'Before')
  showReceipt({ basket: first, venue: sale.venue, insteadOf: null }, screen)
  let calculated = await calculate(sale, first, screen)
  if (sale.change) {
    const [extra] = sale.picks
    heading(screen, 'The guest adds one more')
    const changed = newBasket(sale, [...sale.picks, { productId: extra!.productId, quantity: 1 }], first.calculationId)
    calculated = await calculate(sale, changed, screen)
  }
  const settled =
    (await settle(sale, calculated, screen)) && (!sale.bringsBack || (await bringBack(sale, calculated, screen)))
  return settled && calculated.status !== 'failed'
}

function newBasket(sale: Sale, picks: readonly Pick[], supersedes: string | null): PosBasket {
  return buildBasket(sale.venue, {
    calculationId: randomUUID(),
    supersedesCalculationId: supersedes,
    loyaltyId: sale.loyaltyId,
    requestedAt: new Date(),
    channel: 'pos',
    picks,
  })
}

async function calculate(sale: Sale, basket: PosBasket, screen: Screen): Promise<Calculated> {
  const { pos, venue } = sale
  const { paint, print } = screen
  heading(screen, 'Loyalty')
  showPost(screen, '/v1/pos/basket', basket.calculationId)
  if (basket.supersedesCalculationId) print(paint.dim(`  supersedes ${basket.supersedesCalculationId}`))
  const calculated = await pos.calculate(basket, venue)
  showAnswer(screen, calculated.exchange, wordsOf(calculated))
  if (sale.twice) {
    const again = await pos.calculate(basket, venue)
    showAnswer(screen, again.exchange, `${wordsOf(again)}, ${sameAnswer(calculated.exchange, again.exchange)}`)
  }
  if (calculated.status === 'applied') {
    heading(screen, 'After')
    showReceipt({ basket: calculated.charged, venue, insteadOf: worthOf(basket, calculated.charged) }, screen)
  } else {
    print(
      calculated.status === 'failed'
        ? paint.red('  The sale goes on with the basket as it was.')
        : '  The basket stays as it is.',
    )
  }
  return calculated
}

async function settle(sale: Sale, calculated: Calculated, screen: Screen): Promise<boolean> {
  const { charged } = calculated
  heading(screen, sale.cancel ? 'The payment is abandoned' : 'Payment')
  const paid = `${charged.currency} ${amountText(charged.totals.net, charged.currency)}`
  screen.print(sale.cancel ? '  Nothing is charged.' : `  ${paid} charged, approved once.`)
  const event = saleEvent(sale, calculated)
  showPost(screen, '/v1/pos/sale', event.calculationId)
  const first = await deliver(sale, event)
  if (first === null) {
    screen.print(screen.paint.red(`  not delivered yet: it stays in the queue, and the next run of the demo sends it`))
    return false
  }
  showAnswer(screen, first.exchange, `${event.status}: ${first.kind === 'taken' ? first.result : 'not accepted'}`)
  const again = sale.twice ? await deliver(sale, event) : null
  if (again !== null)
    showAnswer(screen, again.exchange, `${event.status}: ${sameAnswer(first.exchange, again.exchange)}`)
  return first.kind === 'taken'
}

async function bringBack({ pos }: Sale, { charged }: Calculated, screen: Screen): Promise<boolean> {
  const { calculationId, context, currency } = charged
  const { lineId, quantity } = charged.lines[0]!
  heading(screen, 'A piece comes back')
  const returnId = randomUUID()
  showPost(screen, '/v1/pos/return', returnId)
  const lines = [{ lineId, quantity: Math.min(1, quantity) }]
  const sent = await pos.recordReturn({ returnId, calculationId, lines, occurredAt: dateTime(new Date()), context })
  const answer = sent.kind === 'taken' ? sent.answer : null
  showAnswer(screen, sent.exchange, answer?.result ?? sent.kind)
  if (answer !== null && 'refund' in answer)
    screen.print(`  ${currency} ${amountText(answer.refund, currency)} refunded.`)
  return sent.kind === 'taken'
}

async function deliver({ pos }: Sale, event: PosSale): Promise<SaleEnd['sent']> {
  const { end } = await pos.record(event)
  const ended = await Promise.race([end, sleep(deliveryMs, null, { ref: false })])
  return ended === null || ended.kind === 'expired' ? null : ended.sent
}

const deliveryMs = 5_000

function saleEvent(sale: Sale, calculated: Calculated): PosSale {
  return buildSale(calculated.charged, {
    status: sale.cancel ? 'cancelled' : calculated.status,
    failureReason: calculated.status === 'failed' && !sale.cancel ? calculated.failureReason : null,
    transactionId: `tx-${randomUUID()}`,
    receiptNumber: Math.floor(Date.now() / 1000),
    discountCode: sale.discountCode,
    occurredAt: new Date(),
  })
}

function wordsOf(calculated: Calculated): string {
  switch (calculated.status) {
    case 'unchanged':
      return `unchanged: ${calculated.reason}`
    case 'failed':
      return `failed: ${calculated.failureReason}, ${calculated.detail}`
    default:
      return calculated.status
  }
}

function sameAnswer(first: Exchange, again: Exchange): string {
  if (first.kind === 'broken' || again.kind === 'broken') return 'no second answer'
  return `${again.replayed ? 'replayed' : 'not replayed'}, ${first.body === again.body ? 'byte for byte the same' : 'other bytes'}`
}

function heading({ print, paint }: Screen, text: string): void {
  print('')
  print(paint.bold(paint.cyan(text)))
}

function worthOf(before: PosBasket, after: PosBasket): number {
  const added = after.lines.filter((line) => line.addedByLoyalty)
  return added.reduce((sum, line) => sum + line.totals.gross, before.totals.net)
}

function showReceipt(receipt: Receipt, { print, paint }: Screen): void {
  for (const line of receiptLines(receipt, paint)) print(`  ${line}`)
}

function showPost({ print, paint }: Screen, path: string, calculationId: string): void {
  print(`  POST ${path} ${paint.dim(calculationId)}`)
}

function showAnswer({ print, paint }: Screen, exchange: Exchange, words: string): void {
  const isGood = exchange.kind === 'answered' && exchange.status === 200
  const status = exchange.kind === 'answered' ? String(exchange.status) : exchange.reason
  const server =
    exchange.kind === 'answered' && exchange.serverMs !== null ? `, ${exchange.serverMs} ms of it in the service` : ''
  const colour = isGood ? paint.green : paint.red
  print(`  ${colour(status)} ${words} ${paint.dim(`(${exchange.durationMs.toFixed(1)} ms${server})`)}`)
}
