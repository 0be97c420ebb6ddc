import { randomUUID } from 'node:crypto'
import type { MemberFacts } from '../../engine/core/base/basket.js'
import { accountKey, amountsSpent, counterKey } from '../../engine/core/base/outcome.js'
import type { BasketFacts, Priced } from '../../engine/index.js'
import { spendingFromText } from '../../engine/wire/write-stored.js'
import type { ProgrammeLookUps } from '../../store/ledger/programmes.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority, LowPriorityEngine, LowPriorityProgramme } from '../background/low-priority.js'
import { unitsLeft } from '../cache/exhausted-counters.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import { testBenefits, testProgrammeVersion } from '../cache/test-members.js'
import { type BasketCheck, type BasketRefusal, checkBasket, type ReadBasket } from './check-basket.js'
import type { ClosedFor } from './closed-benefits.js'
import { priceWithinLimits } from './price-within-limits.js'

export interface SimulationParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'counters' | 'calculations' | 'value'>
  readonly facts: Pick<LookupCache, 'findVenue' | 'findMember'>
  readonly lowPriority: LowPriority
  readonly environment: 'staging' | 'production'
}

/** A basket to be tried out, with its assumptions. */
export interface Simulation {
  readonly body: Uint8Array
  readonly calculationId: string
  /** null: the one in force. */
  readonly programme: LowPriorityProgramme | null
  /** undefined: the member of the basket's loyalty id; null: no member. */
  readonly member: MemberFacts | null | undefined
  /** Sales that were recorded; null: as the member has them. */
  readonly visits: number | null
  /** The member's value by currencyId, all of it free; null: as in the ledger, and nothing for an assumed member. */
  readonly balances: Readonly<Record<string, number>> | null
  /** null: the venue of the basket's context. */
  readonly venue: StoredVenue | null
  readonly ignoreLimits: boolean
}

export type Simulated =
  | { readonly kind: 'refused'; readonly refusal: BasketRefusal }
  | { readonly kind: 'programme_not_found' }
  | {
      readonly kind: 'priced'
      readonly priced: Priced
      readonly programmeVersion: number
      readonly member: MemberFacts | null
      /** Earning of a sale now (`quoteEarning`). */
      readonly due: Readonly<Record<string, number>>
      readonly asked: ClosedFor
    }

/** An id for a basket that has none: no calculation is ever stored under it. */
export function simulatedId(): string {
  return randomUUID()
}

/** Prices a basket as a call would (wire decisions 3, checks 9 to 14), without storing or reserving anything. */
export function simulateBasket(
  parts: SimulationParts,
  simulation: Simulation,
  signal: AbortSignal,
): Promise<Simulated> {
  return parts.lowPriority.run(signal, async (engine) => {
    const read = await engine.readBasket(simulation.body, simulation.calculationId)
    if (read.kind === 'refused') return read
    try {
      const check = await checkSimulated(parts, simulation, read)
      switch (check.kind) {
        case 'refused':
          return check
        case 'passed':
          return await priceSimulated(parts, simulation, { engine, read, venue: check.venue })
      }
    } finally {
      engine.forget(read.ticket)
    }
  })
}

/** A venue that was given with the simulation is used as it is: its environment is not checked. */
async function checkSimulated(
  { facts, environment }: SimulationParts,
  { venue }: Simulation,
  read: ReadBasket,
): Promise<BasketCheck> {
  if (venue !== null) return checkBasket(read, venue, venue.environment)
  return checkBasket(read, await facts.findVenue(read.facts.venueId), environment)
}

interface CheckedBasket {
  readonly engine: LowPriorityEngine
  readonly read: ReadBasket
  readonly venue: StoredVenue
}

async function priceSimulated(
  parts: SimulationParts,
  simulation: Simulation,
  { engine, read, venue }: CheckedBasket,
): Promise<Simulated> {
  const { member, programme } = await settingOf(parts, simulation, read.facts)
  if (programme === null) return { kind: 'programme_not_found' }
  const programmeVersion = programme.isDraft ? 0 : programme.version
  const freed = await freedBy(parts, read.facts)
  const isSupposed = simulation.member !== undefined || simulation.balances !== null
  return await priceWithinLimits<Simulated>({
    start: { available: {}, wasShort: false },
    price: (available) => engine.priceBasket(read.ticket, programme, { member, venue, available }),
    async settle({ priced }) {
      const spends =
        member === null || isSupposed ? new Map<string, number>() : amountsSpent(spendingFromText(priced.spending))
      const left = simulation.ignoreLimits
        ? {}
        : {
            ...(await unitsLeft(parts.adminLedger, priced.wants, freed)),
            ...(spends.size === 0 ? {} : await valueLeft(parts, member!.memberId, freed)),
          }
      const isEnough =
        priced.wants.every((want) => (left[counterKey(want)] ?? want.units) >= want.units) &&
        [...spends].every(([currencyId, amount]) => (left[accountKey(currencyId)] ?? amount) >= amount)
      if (!isEnough) return { kind: 'short', left }
      const known = simulation.member === undefined ? (member?.memberId ?? null) : null
      const due = priced.earning === null ? {} : await parts.adminLedger.value.quoteEarning(known, priced.earning)
      const asked = { programme, sent: read.facts, facts: { member, venue, available: {} } }
      return { kind: 'done', value: { kind: 'priced', priced, programmeVersion, member, due, asked } }
    },
  })
}

/** Staging test members have a programme of their own, whatever is tried out (wire decisions 8). */
async function settingOf(
  { facts, adminLedger }: SimulationParts,
  { member, visits, balances, programme }: Simulation,
  { loyaltyId }: BasketFacts,
): Promise<{ readonly member: MemberFacts | null; readonly programme: LowPriorityProgramme | null }> {
  // Another programme than the one in force may need hints.
  const found = await facts.findMember(member === undefined ? loyaltyId : null, true)
  const known = member === undefined ? found.member : member
  const supposed = {
    ...(visits !== null && { visits }),
    ...(visits === 0 && { lastVisitAt: null }),
    ...(balances !== null && { balances, holds: [] }),
  }
  const buyer = known === null ? null : { ...known, ...supposed }
  if (found.programmeVersion === testProgrammeVersion) return { member: buyer, programme: testProgramme }
  return { member: buyer, programme: programme ?? (await publishedProgramme(adminLedger, found.programmeVersion)) }
}

const testProgramme: LowPriorityProgramme = {
  version: testProgrammeVersion,
  isDraft: false,
  benefits: async () => testBenefits,
  benefitsOff: [],
}

/** A published version for pricing at low priority; null: there is none of that number. */
export async function publishedProgramme(
  { programmes }: { readonly programmes: Pick<ProgrammeLookUps, 'lookUp'> },
  version: number,
): Promise<LowPriorityProgramme | null> {
  if (version === testProgrammeVersion) return testProgramme
  const stored = await programmes.lookUp(version)
  return stored && { version, isDraft: false, benefits: async () => stored.benefits }
}

/** A member's free value of each account, by accountKey. */
async function valueLeft(
  { adminLedger }: SimulationParts,
  memberId: string,
  freed: ReadonlyMap<string, number>,
): Promise<Readonly<Record<string, number>>> {
  const accounts = await adminLedger.value.findAccounts(memberId)
  return Object.fromEntries(
    accounts.map(({ currencyId, available }) => {
      const key = accountKey(currencyId)
      return [key, available + (freed.get(key) ?? 0)]
    }),
  )
}

/** Holds of the calculation that this basket supersedes: they would be given back at once (wire decisions 5). */
async function freedBy(
  { adminLedger }: SimulationParts,
  { supersedesCalculationId, venueId }: BasketFacts,
): Promise<ReadonlyMap<string, number>> {
  if (supersedesCalculationId === null) return new Map()
  const old = await adminLedger.calculations.find(supersedesCalculationId)
  if (old === null || old.summary.state !== 'open' || old.summary.venueId !== venueId) return new Map()
  const isOpen = ({ state }: { readonly state: string }) => state === 'open'
  const held = old.holds.filter(isOpen).map(({ currencyId, amount }) => [accountKey(currencyId), amount] as const)
  return new Map([...old.reservations.filter(isOpen).map((each) => [counterKey(each), each.units] as const), ...held])
}
