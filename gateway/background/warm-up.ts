import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault, type PricingEngine, type PricingFacts } from '../../engine/index.js'
import { madeUpBasket, type Shelf, type Sort, shelfOf } from './made-up-baskets.js'

/**
 * What each thread prices of a programme. After 1,000 baskets one of 8 lines takes 0.17 ms of calculation at 50 a second; after 100 it
 * takes 0.5, and at that rate they would be half a minute of traffic.
 */
const basketsMax = 1_500
/** The rest between two of them once the programme is in force, and how long POS callers are given way before it is, in milliseconds. */
const restMs = 15
const giveWayMs = 2
/** Look-ups of each kind at once, so that every connection to the ledger is open and knows the statements. */
const lookUpsAtOnce = 8
/** Who buys the made-up baskets, and where. */
const memberId = 'warm-up'
const venue = { venueId: 'warm-up', currency: 'EUR', timeZone: 'UTC', products: [] }

/** A programme that every thread has loaded. */
interface LoadedProgramme {
  readonly version: number
  /** JSON. */
  readonly benefits: string
}

/** Prices made-up baskets of a programme on every thread, so that no POS waits for code that has never run. Keeps nothing. */
export interface WarmUp {
  /**
   * Resolves after that time, or sooner where it is through, and goes on beside the POS, with ordinary baskets, until another
   * programme is warmed up: one basket at a time on each thread, and none while as many calls wait as there are threads. Never rejects:
   * a thread that is lost meanwhile starts colder.
   */
  warmUp(programme: LoadedProgramme, forMs: number): Promise<void>
  stop(): Promise<void>
}

export function createWarmUp(engine: PricingEngine, threads: number, onBug: (error: unknown) => void): WarmUp {
  let turn = 0
  let running: Promise<unknown> = Promise.resolve()

  // Threads that have priced another programme know ordinary baskets; in their first one both kinds take turns.
  async function priceSome(scene: Scene, { first, own, untilMs }: { first: number; own: number; untilMs: number }) {
    const isFirst = own === 1
    for (let at = first; at < first + basketsMax && own === turn; ) {
      const isBeside = performance.now() > untilMs
      if (isBeside) await sleep(restMs)
      if (engine.waiting >= threads) {
        await sleep(giveWayMs)
        continue
      }
      await priceOne(engine, scene, { at, ordinary: isBeside || (isFirst && at % 2 === 0) }).catch(unlessBug)
      at += 1
    }
  }

  return {
    async warmUp(programme, forMs) {
      turn += 1
      const own = turn
      await running
      const untilMs = performance.now() + forMs
      const scene = sceneOf(programme)
      const each = (_: unknown, first: number) => priceSome(scene, { first, own, untilMs })
      running = Promise.all(Array.from({ length: threads }, each)).catch(onBug)
      await Promise.race([running, sleep(forMs, undefined, { ref: false })])
    },
    async stop() {
      turn += 1
      await running
    },
  }
}

interface Scene {
  readonly shelf: Shelf
  readonly facts: PricingFacts
}

function sceneOf({ version, benefits }: LoadedProgramme): Scene {
  const shelf = shelfOf(benefits)
  const { tier, segments } = shelf
  return { shelf, facts: { programmeVersion: version, member: { memberId, tier, segments }, venue, available: {} } }
}

async function priceOne(engine: PricingEngine, { shelf, facts }: Scene, sort: Sort): Promise<void> {
  const basket = madeUpBasket(shelf, venue, sort)
  const read = await engine.readBasket(Buffer.from(JSON.stringify(basket)), basket.calculationId)
  if (read.kind === 'refused') throw new Error(`the warm-up basket is refused: ${read.refusal.message}`)
  try {
    await engine.priceBasket(read.ticket, facts)
  } finally {
    engine.forget(read.ticket)
  }
}

function unlessBug(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error
}

/** What a ledger finds does not matter. */
interface LookUps {
  readonly calculations: { findAnswer(calculationId: string): Promise<unknown> }
  readonly members: { lookUp(loyaltyId: string): Promise<unknown> }
  readonly venues: { lookUp(venueId: string): Promise<unknown> }
}

/** Asks the ledger for what baskets ask it for, on all its connections at once. */
export async function warmLookUps(ledger: LookUps): Promise<void> {
  const lookUp = async () => {
    const nobody = randomUUID()
    await Promise.all([
      ledger.calculations.findAnswer(nobody),
      ledger.members.lookUp(nobody),
      ledger.venues.lookUp(nobody),
    ])
  }
  await Promise.all(Array.from({ length: lookUpsAtOnce }, lookUp))
}
