import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault, type PricingEngine, type PricingFacts } from '../../engine/index.js'
import { type Shelf, shelfOf, warmUpBasket } from './warm-up-baskets.js'

/**
 * Baskets that each thread prices at most. Processor time of the first ten real baskets of 8 lines, with 200 benefits: 5.4 ms each after
 * none, 1.5 after 50, 1.7 after 500. The others are for adversarial baskets, whose first pricing they shorten.
 */
const basketsPerThread = 200
/** Pause of the warm-up while POS calls are queued, in milliseconds. */
const giveWayMs = 2
/** Look-ups of each kind at once, so that every connection to the ledger is open and has the statements prepared. */
const lookUpsAtOnce = 8
const memberId = 'warm-up'
const venue = { venueId: 'warm-up', currency: 'EUR', timeZone: 'UTC', products: [] }

interface LoadedProgramme {
  readonly version: number
  readonly benefits: string
}

/**
 * Prices a fixed series of baskets of a programme on every thread, for `maxMs` at most, before it comes into force, so that no POS waits
 * for code that has never run. It pauses while as many calls wait as there are threads. It stores nothing and never rejects: a lost
 * thread starts colder.
 */
export type WarmUp = (programme: LoadedProgramme, maxMs: number) => Promise<void>

type Pricer = Pick<PricingEngine, 'waiting' | 'readBasket' | 'priceBasket' | 'forget'>

export function createWarmUp(engine: Pricer, threads: number, onBug: (error: unknown) => void): WarmUp {
  async function priceSeries(warming: Warming): Promise<void> {
    for (let number = 0; number < basketsPerThread && performance.now() < warming.untilMs; ) {
      if (engine.waiting >= threads) {
        await sleep(giveWayMs)
        continue
      }
      await priceOne(engine, warming, number).catch(unlessBug)
      number += 1
    }
  }

  return async (programme, maxMs) => {
    const warming = { ...warmingOf(programme), untilMs: performance.now() + maxMs }
    await Promise.all(Array.from({ length: threads }, () => priceSeries(warming))).catch(onBug)
  }
}

interface Warming {
  readonly shelf: Shelf
  readonly facts: PricingFacts
  readonly untilMs: number
}

function warmingOf({ version, benefits }: LoadedProgramme): Omit<Warming, 'untilMs'> {
  const shelf = shelfOf(benefits)
  const { tier, segments } = shelf
  return { shelf, facts: { programmeVersion: version, member: { memberId, tier, segments }, venue, available: {} } }
}

async function priceOne(engine: Pricer, { shelf, facts, untilMs }: Warming, number: number): Promise<void> {
  const basket = warmUpBasket(shelf, venue, number)
  const how = { untilMs, ahead: null }
  const read = await engine.readBasket(Buffer.from(JSON.stringify(basket)), basket.calculationId, how)
  if (read.kind === 'refused') throw new Error(`the warm-up basket is refused: ${read.refusal.message}`)
  try {
    await engine.priceBasket(read.ticket, facts, untilMs)
  } finally {
    engine.forget(read.ticket)
  }
}

function unlessBug(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error
}

interface LookUps {
  readonly calculations: { findAnswer(calculationId: string): Promise<unknown> }
  readonly members: {
    lookUp(loyaltyId: string): Promise<unknown>
    lookUpWithHints(loyaltyId: string): Promise<unknown>
  }
  readonly venues: { lookUp(venueId: string): Promise<unknown> }
}

/** Runs the ledger's look-ups of baskets, on all its connections at once. */
export async function warmLookUps(posLedger: LookUps): Promise<void> {
  const lookUp = async () => {
    const unknownId = randomUUID()
    await Promise.all([
      posLedger.calculations.findAnswer(unknownId),
      posLedger.members.lookUp(unknownId),
      posLedger.members.lookUpWithHints(unknownId),
      posLedger.venues.lookUp(unknownId),
    ])
  }
  await Promise.all(Array.from({ length: lookUpsAtOnce }, lookUp))
}
