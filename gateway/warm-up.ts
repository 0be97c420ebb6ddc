import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault, type PricingEngine, type PricingFacts } from '../engine/index.js'
import type { Ledger } from '../store/index.js'
import { testMember, testProgrammeVersion } from './test-members.js'

/** What each thread prices at most before the service listens, and the time that a start has for it, in milliseconds. */
const basketsPerThread = 120
const warmMs = 150
/**
 * What each thread prices after that while no till waits, and the rest between two, in milliseconds. After 1,000 baskets one of 8 lines
 * takes 0.17 ms of calculation at 50 a second; after 100 it takes 0.5, and at that rate they would be half a minute of traffic.
 */
const basketsBeside = 1_500
const restMs = 15
/** Baskets at once on each thread. */
const atOnce = 2
const sizes = [2, 20, 8, 60]
/** Look-ups of each kind at once, so that every connection to the ledger is open and knows the statements. */
const lookUpsAtOnce = 8
/** Ids of one kind that are taken from a programme, and the part of its text that is looked at, in characters. */
const idsMax = 200
const searchedMax = 500_000

/** What it finds does not matter. */
type LookUp = (id: string) => Promise<unknown>

interface WarmUp {
  readonly engine: PricingEngine
  readonly ledger: Pick<Ledger, 'newestProgramme'> & Record<'findAnswer' | 'findMember' | 'findVenue', LookUp>
  readonly threads: number
}

/**
 * Walks the path of a basket on every thread, and the look-ups of the ledger, before the first guest does; keeps nothing. A thread
 * that the machine gives no time has been replaced by then: the service starts a little colder rather than not at all.
 */
export async function warmUp({ engine, ledger, threads }: WarmUp): Promise<WarmBaskets> {
  const untilMs = performance.now() + warmMs
  const programme = await ledger.newestProgramme()
  const shelf = shelfOf(programme?.benefits ?? '')
  const facts = { ...testFacts, ...(programme === null ? {} : { programmeVersion: programme.version }) }
  await Promise.all([
    ...Array.from({ length: atOnce * threads }, (_, at) => priceSome(engine, { shelf, facts, at, untilMs })),
    ...Array.from({ length: lookUpsAtOnce }, () => lookUp(ledger)),
  ])
  return { shelf, facts }
}

/**
 * Goes on with it beside the first guests, one basket at a time on each thread and none while a till waits.
 *
 * @returns  what ends it
 */
export function keepWarmingUp(
  engine: PricingEngine,
  { shelf, facts }: WarmBaskets,
  threads: number,
): () => Promise<void> {
  let stopped = false
  async function run(first: number): Promise<void> {
    for (let at = first; at < first + basketsBeside && !stopped; ) {
      await sleep(restMs)
      if (engine.waiting >= threads) continue
      await priceOne(engine, basketOf(shelf, at), factsWith(shelf, facts)).catch(unlessBug)
      at += 1
    }
  }
  const running = Promise.all(Array.from({ length: threads }, (_, at) => run(at)))
  return async () => {
    stopped = true
    await running
  }
}

/** What is priced to warm up: baskets of the programme in force. */
export interface WarmBaskets {
  readonly shelf: Shelf
  readonly facts: PricingFacts
}

function factsWith({ tier, segments }: Shelf, facts: PricingFacts): PricingFacts {
  return { ...facts, member: facts.member && { ...facts.member, tier, segments } }
}

const venue = { venueId: 'warm-up', currency: 'EUR', timeZone: 'UTC', products: [] }
const testFacts: PricingFacts = {
  programmeVersion: testProgrammeVersion,
  member: testMember('TEST-20-PERCENT') ?? null,
  venue,
  available: {},
}

interface Some {
  readonly shelf: Shelf
  readonly facts: PricingFacts
  readonly at: number
  readonly untilMs: number
}

async function priceSome(engine: PricingEngine, { shelf, facts, at, untilMs }: Some): Promise<void> {
  let done = 0
  do {
    await priceOne(engine, basketOf(shelf, at + done), factsWith(shelf, facts)).catch(unlessBug)
    done += 1
  } while (done < basketsPerThread / atOnce && performance.now() < untilMs)
}

async function priceOne(engine: PricingEngine, basket: { readonly calculationId: string }, facts: PricingFacts) {
  const read = await engine.readBasket(Buffer.from(JSON.stringify(basket)), basket.calculationId)
  if (read.kind === 'refused') throw new Error(`the warm-up basket is refused: ${read.refusal.message}`)
  await engine.priceBasket(read.ticket, facts)
  engine.forget(read.ticket)
}

function unlessBug(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error
}

async function lookUp(ledger: WarmUp['ledger']): Promise<void> {
  const nobody = randomUUID()
  await Promise.all([ledger.findAnswer(nobody), ledger.findMember(nobody), ledger.findVenue(nobody)])
}

/** What the benefits of a programme stand on. */
export interface Shelf {
  readonly productIds: readonly string[]
  readonly productGroupIds: readonly string[]
  readonly productMasterIds: readonly string[]
  readonly tier: string | null
  readonly segments: readonly string[]
}

/** @param benefits  JSON: only looked through, for the largest take longer to read than a start has time */
function shelfOf(benefits: string): Shelf {
  const text = benefits.slice(0, searchedMax)
  const listed = (name: string) => {
    const lists = text.matchAll(new RegExp(`"${name}"\\s*:\\s*\\[([^\\]]*)\\]`, 'g'))
    return [...lists].flatMap(([, list]) => list!.match(/[^",\s]+/g) ?? []).slice(0, idsMax)
  }
  return {
    productIds: listed('productIds'),
    productGroupIds: listed('productGroupIds'),
    productMasterIds: listed('productMasterIds'),
    tier: listed('tiers')[0] ?? null,
    segments: listed('segments').slice(0, 1),
  }
}

function basketOf(shelf: Shelf, at: number) {
  const size = sizes[at % sizes.length]!
  const totals = (net: number) => ({ gross: net, lineDiscount: 0, orderDiscount: 0, net })
  const line = (_: unknown, place: number) => ({
    lineId: `line-${place}`,
    ...productOf(shelf, at * 7 + place),
    quantity: 1,
    unitPrice: 100,
    noDiscount: false,
    totals: totals(100),
  })
  return {
    calculationId: randomUUID(),
    currency: venue.currency,
    requestedAt: '2026-01-01T12:00:00Z',
    context: { venueId: venue.venueId, baxId: 'warm-up', cashRegisterId: 'warm-up', channel: 'pos' },
    lines: Array.from({ length: size }, line),
    totals: totals(100 * size),
  }
}

function productOf({ productIds, productGroupIds, productMasterIds }: Shelf, at: number) {
  const id = (ids: readonly string[]) => ids[at % ids.length]
  return {
    productId: id(productIds) ?? `product-${at}`,
    ...(productGroupIds.length > 0 && { productGroupId: id(productGroupIds) }),
    ...(productMasterIds.length > 0 && at % 2 === 0 && { productMasterId: id(productMasterIds) }),
  }
}
