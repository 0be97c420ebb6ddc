import { randomUUID } from 'node:crypto'
import { EngineFault, type PricingEngine } from '../engine/index.js'
import type { Ledger } from '../store/index.js'
import { testMember, testProgrammeVersion } from './test-members.js'

/** Baskets that each thread prices before the service listens: enough for the first guests not to wait for a cold compiler. */
const basketsPerThread = 40
const linesPerBasket = 20
const venue = { venueId: 'warm-up', currency: 'EUR', timeZone: 'UTC', products: [] }

/**
 * Walks the path of a basket on every thread, and the look-ups of the ledger, before the first guest does; keeps nothing. A thread
 * that the machine gives no time has been replaced by then: the service starts a little colder rather than not at all.
 */
export async function warmUp(engine: PricingEngine, ledger: Ledger, threads: number): Promise<void> {
  await Promise.all(Array.from({ length: basketsPerThread * threads }, () => priceOne(engine).catch(unlessBug)))
  const calculationId = randomUUID()
  await Promise.all([
    ledger.findAnswer(calculationId),
    ledger.findMember(calculationId),
    ledger.findVenue(calculationId),
  ])
}

async function priceOne(engine: PricingEngine): Promise<void> {
  const calculationId = randomUUID()
  const read = await engine.readBasket(Buffer.from(JSON.stringify(basket(calculationId))), calculationId)
  if (read.kind === 'refused') throw new Error(`the warm-up basket is refused: ${read.refusal.message}`)
  const member = testMember('TEST-20-PERCENT') ?? null
  await engine.priceBasket(read.ticket, { programmeVersion: testProgrammeVersion, member, venue, available: {} })
  engine.forget(read.ticket)
}

function unlessBug(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error
}

function basket(calculationId: string) {
  const totals = (net: number) => ({ gross: net, lineDiscount: 0, orderDiscount: 0, net })
  const line = (_: unknown, at: number) => ({
    lineId: `line-${at}`,
    productId: `product-${at}`,
    quantity: 1,
    unitPrice: 100,
    noDiscount: false,
    totals: totals(100),
  })
  return {
    calculationId,
    currency: venue.currency,
    requestedAt: '2026-01-01T00:00:00Z',
    context: { venueId: venue.venueId, baxId: 'warm-up', cashRegisterId: 'warm-up', channel: 'pos' },
    lines: Array.from({ length: linesPerBasket }, line),
    totals: totals(100 * linesPerBasket),
  }
}
