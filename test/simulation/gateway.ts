import { createFlushBarrier, type FlushBarrier } from '../../gateway/background/flush-barrier.js'
import { createJournal, type Journal } from '../../gateway/background/journal.js'
import { createVouching } from '../../gateway/background/vouching.js'
import type { Facts } from '../../gateway/cache/facts.js'
import { createMembers } from '../../gateway/cache/members.js'
import { type BasketParts, createCalculateBasket } from '../../gateway/use-cases/calculate-basket.js'
import { createRecordSale } from '../../gateway/use-cases/record-sale.js'
import type { PartnerUseCases } from '../../gateway/use-cases/replies.js'
import type { Cache } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { Ledger } from '../../store/ledger.js'
import type { LedgerClock } from '../../store/postgres/calculations/ledger-clock.js'
import { createPosCalculations } from '../../store/postgres/calculations/pos-calculations.js'
import { completeOptions } from '../../store/postgres/connection/options.js'
import { createCounterLookUp } from '../../store/postgres/counters/look-up-counters.js'
import { createSingleLookUps } from '../../store/postgres/look-ups.js'
import { createPosMembers } from '../../store/postgres/members/pos-members.js'
import { createPosSales } from '../../store/postgres/sales/pos-sales.js'
import { createGateways } from '../../store/postgres/upkeep/gateways.js'
import { createAnswers } from '../../store/redis/answers.js'
import { createCounters as createCacheCounters } from '../../store/redis/counters.js'
import { createJournal as createCacheJournal } from '../../store/redis/journal.js'
import { createKeys } from '../../store/redis/keys.js'
import { cacheLifetimes, callMs, journalCallMs } from '../../store/redis/lifetimes.js'
import { createVouching as createMarks } from '../../store/redis/vouching.js'
import { answerInPacked } from './bodies.js'
import type { Gateway, StoreName } from './gateway-place.js'
import { plantCache, plantLedger } from './plant.js'
import { createPostgresLink } from './postgres-link.js'
import { createSimulatedEngine } from './pricing.js'
import { createRedisLink } from './redis-link.js'
import type { World } from './world.js'

/** The contract's deadline, in milliseconds. */
const deadlineMs = 450
/** Pause between two rounds of the sweep of expired calculations, in milliseconds. */
const sweepMs = 1_000

/** A running gateway: the real use cases and the real store code, down to the commands sent. */
export interface RunningGateway extends Gateway {
  readonly useCases: PartnerUseCases
  readonly journal: Journal
  readonly barrier: FlushBarrier
}

export function startGateway(world: World, place: number): RunningGateway {
  const gateway: Gateway = {
    place,
    owner: { alive: true, resumesAtMs: 0 },
    draining: false,
    clockAheadMs: 0,
    programmeVersion: 1,
    copies: new Set(),
    began: new Map(),
  }
  const onBug = (error: unknown) =>
    void world.bugs.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  const reachedCache = cacheOf(world, gateway)
  const reachedLedger = ledgerOf(world, gateway)
  const cache = plantCache(world, reachedCache)
  const ledger = plantLedger(world, reachedLedger, reachedCache)
  const journal = createJournal({ cache, ledger, onBug })
  const gatewayId = `gateway-${place}-${world.time.turn}`
  const barrier = createFlushBarrier({ gatewayId, ledger, journal, onBug })
  const vouching = createVouching({ gatewayId, cache, barrier, onLoss: () => {} })
  /** Startup without the readiness check: POS callers reach a gateway that may not answer from the cache yet. */
  const join = () =>
    void barrier.start().then(
      () => inBackground(vouching.recover(10_000)),
      () => world.time.after(250, gateway.owner, join),
    )
  const inBackground = (work: Promise<unknown>) => {
    work.catch((error: unknown) => {
      if (!(error instanceof StoreFault)) onBug(error)
    })
  }
  const engine = createSimulatedEngine(world, gateway)
  const recount = async () => 'unknown' as const
  const facts = factsOf(world, gateway, ledger)
  const shared = { cache, ledger, journal, vouching, engine, facts, deadlineMs, recount, inBackground }
  const basketParts: BasketParts = {
    ...shared,
    environment: 'staging',
    discountCode: 'THIRD_PARTY_LOYALTY',
    stepsMax: 2_000,
    expiryS: world.expiryS,
  }
  sweep(world, gateway, ledger)
  world.time.after(0, gateway.owner, join)
  return Object.assign(gateway, {
    journal,
    barrier,
    useCases: { calculateBasket: createCalculateBasket(basketParts), recordSale: createRecordSale(shared) },
  })
}

function cacheOf(world: World, gateway: Gateway): Cache {
  const parts = {
    client: createRedisLink(world, gateway),
    keys: createKeys('simulation'),
    lifetimes: cacheLifetimes,
    callMs,
    journalCallMs,
  }
  const answers = createAnswers(parts)
  const journal = createCacheJournal(parts)
  return {
    ...answers,
    ...createCacheCounters(parts),
    ...journal,
    ...createMarks(parts),
    async keep(record, marks) {
      noteSent(world, gateway, { store: 'cache', record })
      const reply = await answers.keep(record, marks)
      if (reply.kind === 'kept') gateway.copies.add(record.calculationId)
      return reply
    },
    async findJournalled(calculationId) {
      const record = await journal.findJournalled(calculationId)
      // A look-up also takes a copy.
      if (record !== null && !('kind' in record)) gateway.copies.add(calculationId)
      return record
    },
    takeToken: async () => ({ taken: true, ahead: 0 }),
    describe: async () => ({ version: 'simulated', bytes: 0, bytesMax: 0, evictionPolicy: null }),
    ping: async () => {},
    close: async () => {},
  }
}

function ledgerOf(world: World, gateway: Gateway): Ledger {
  const link = createPostgresLink(world, gateway)
  const clock: LedgerClock = {
    now: () => Math.round(world.ledgerNowMs() + gateway.clockAheadMs),
    learn() {
      const corrected = gateway.clockAheadMs !== 0
      gateway.clockAheadMs = 0
      return corrected
    },
    close: () => {},
  }
  const options = completeOptions({ expiryS: world.expiryS, idempotencyS: 86_400 })
  const lookUps = createSingleLookUps(link, options)
  const calculations = createPosCalculations(link, { clock, lookUps }, options)
  return {
    clock: clock.now,
    sales: createPosSales(link, options),
    members: createPosMembers(lookUps),
    gateways: createGateways(link),
    counters: createCounterLookUp(link, options),
    calculations: {
      ...calculations,
      confirm(record: CalculationRecord, withinMs: number) {
        noteSent(world, gateway, { store: 'ledger', record })
        return calculations.confirm(record, withinMs)
      },
    },
  } as unknown as Ledger
}

function noteSent(
  { sent }: World,
  { place, began }: Gateway,
  { store, record }: { readonly store: StoreName; readonly record: CalculationRecord },
): void {
  const { calculationId, packed } = record
  const answer = answerInPacked(Buffer.from(packed))
  sent.push({ store, calculationId, answer, place, fromMs: began.get(calculationId)! })
}

const venue = (venueId: string): StoredVenue => ({
  venueId,
  name: venueId,
  environment: 'staging',
  currency: 'EUR',
  timeZone: 'Europe/Tallinn',
  baxIds: ['bax-1'],
  products: [],
})

function factsOf({ hasCosts }: World, gateway: Gateway, ledger: Ledger): Facts {
  const once = <T>(make: (id: string) => T) => {
    const made = new Map<string, T>()
    return (id: string): T => {
      if (!made.has(id)) made.set(id, make(id))
      return made.get(id)!
    }
  }
  const venueOf = once(venue)
  const memberOf = once((memberId) => ({ memberId, tier: null, segments: [] }))
  const members = createMembers(ledger)
  const lookUp = async (loyaltyId: string) => {
    const { member } = hasCosts
      ? await members.getNow(loyaltyId).catch((error: unknown) => {
          if (!isOutOfReach(error)) throw error
          return { member: memberOf(loyaltyId) }
        })
      : { member: memberOf(loyaltyId) }
    return { member, programmeVersion: gateway.programmeVersion }
  }
  const factsOfVenue = once((venueId) => {
    const { currency, timeZone, products } = venueOf(venueId)
    return { venueId, currency, timeZone, products }
  })
  return {
    findVenue: async (venueId) => venueOf(venueId),
    findMember: (loyaltyId) => lookUp(String(loyaltyId)),
    peek: async ({ loyaltyId, venueId }) => ({ ...(await lookUp(loyaltyId)), venue: venueOf(venueId) }),
    venueFacts: ({ venueId }) => factsOfVenue(venueId),
    programmeVersion: 1,
    limits: new Map(),
    costed: [],
    refresh: async () => {},
  }
}

/** The upkeep's sweep of expired calculations. */
function sweep(world: World, gateway: Gateway, ledger: Ledger): void {
  const again = () => world.time.after(sweepMs * (0.5 + world.dice.next()), gateway.owner, round)
  const round = () =>
    ledger.calculations
      .expire(500)
      .catch(() => {})
      .then(again)
  again()
}
