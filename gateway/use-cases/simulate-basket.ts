import { randomUUID } from 'node:crypto'
import type { MemberFacts } from '../../engine/core/basket.js'
import { everyCounter } from '../../engine/core/input.js'
import { counterKey, type Want } from '../../engine/core/outcome.js'
import type { BasketFacts, Priced } from '../../engine/index.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { Ledger } from '../../store/ledger.js'
import type { LowPriority, LowPriorityProgramme } from '../background/low-priority.js'
import type { Facts } from '../cache/facts.js'
import { testBenefits, testProgrammeVersion } from '../cache/test-members.js'
import { currencyRefusal, type GatewayRefusal, venueRefusal, venueUnknown } from './basket-refusals.js'
import type { RefusalDetails } from './replies.js'

/** How often a basket is priced again because limits have less left than thought; as a live one. */
const attemptsMax = 4

export interface SimulationParts {
  readonly ledger: Pick<Ledger, 'programmes' | 'counters' | 'calculations'>
  readonly facts: Pick<Facts, 'findVenue' | 'findMember'>
  readonly lowPriority: LowPriority
  readonly environment: 'staging' | 'production'
}

/** A basket to be tried out, and what is supposed of the world. */
export interface Simulation {
  /** As the REST endpoint takes it. */
  readonly body: Uint8Array
  readonly calculationId: string
  /** null: the one in force. */
  readonly programme: LowPriorityProgramme | null
  /** undefined: the member of the basket's loyalty id; null: nobody. */
  readonly member: MemberFacts | null | undefined
  /** null: the venue of the basket's context. */
  readonly venue: StoredVenue | null
  readonly ignoreLimits: boolean
}

export type Simulated =
  | {
      readonly kind: 'refused'
      readonly refusal:
        | GatewayRefusal
        | { readonly code: RefusalCode; readonly message: string; readonly details: RefusalDetails }
    }
  | { readonly kind: 'programme_not_found' }
  | { readonly kind: 'priced'; readonly priced: Priced; readonly programmeVersion: number }

type RefusalCode = 'invalid_request' | 'too_many_lines' | 'arithmetic_mismatch'

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
    if (read.kind === 'refused') return { kind: 'refused', refusal: read.refusal }
    try {
      const venue = simulation.venue ?? (await parts.facts.findVenue(read.facts.venueId))
      const refusal = read.tooManyLines ?? refusalOfVenue(parts, simulation, { facts: read.facts, venue })
      if (refusal !== null) return { kind: 'refused', refusal }
      const later = currencyRefusal(read.facts, venue!) ?? read.arithmetic
      if (later !== null) return { kind: 'refused', refusal: later }
      const { member, programme } = await settingOf(parts, simulation, read.facts)
      if (programme === null) return { kind: 'programme_not_found' }
      const freed = await freedBy(parts, read.facts)
      let available: Record<string, number> = {}
      for (let attempt = 1; ; attempt += 1) {
        if (attempt === attemptsMax) available = { [everyCounter]: 0 }
        const priced = await engine.priceBasket(read.ticket, programme, { member, venue: venue!, available })
        const left = simulation.ignoreLimits ? {} : await leftOf(parts, priced.wants, freed)
        if (priced.wants.every((want) => (left[counterKey(want)] ?? want.units) >= want.units)) {
          return { kind: 'priced', priced, programmeVersion: programme.isDraft ? 0 : programme.version }
        }
        available = { ...available, ...left }
      }
    } finally {
      engine.forget(read.ticket)
    }
  })
}

interface Setting {
  readonly facts: BasketFacts
  readonly venue: StoredVenue | null
}

function refusalOfVenue(
  { environment }: SimulationParts,
  simulation: Simulation,
  { facts, venue }: Setting,
): GatewayRefusal | null {
  if (venue === null) return venueUnknown(environment, facts)
  return venueRefusal(simulation.venue === null ? environment : venue.environment, facts, venue)
}

/** Staging test members have a programme of their own, whatever is tried out (wire decisions 8). */
async function settingOf(
  { facts, ledger }: SimulationParts,
  { member, programme }: Simulation,
  { loyaltyId }: BasketFacts,
): Promise<{ readonly member: MemberFacts | null; readonly programme: LowPriorityProgramme | null }> {
  const found = await facts.findMember(member === undefined ? loyaltyId : null)
  const buyer = member === undefined ? found.member : member
  if (found.programmeVersion === testProgrammeVersion) return { member: buyer, programme: testProgramme }
  return { member: buyer, programme: programme ?? (await publishedProgramme(ledger, found.programmeVersion)) }
}

const testProgramme: LowPriorityProgramme = {
  version: testProgrammeVersion,
  isDraft: false,
  benefits: async () => testBenefits,
}

/** A published version for pricing aside; null: there is none of that number. */
export async function publishedProgramme(
  ledger: Pick<Ledger, 'programmes'>,
  version: number,
): Promise<LowPriorityProgramme | null> {
  if (version === testProgrammeVersion) return testProgramme
  const stored = await ledger.programmes.lookUp(version)
  return stored && { version, isDraft: false, benefits: async () => stored.benefits }
}

/** What the calculation that this basket supersedes still holds: it would be given back at once (wire decisions 5). */
async function freedBy(
  { ledger }: SimulationParts,
  { supersedesCalculationId, venueId }: BasketFacts,
): Promise<ReadonlyMap<string, number>> {
  if (supersedesCalculationId === null) return new Map()
  const old = await ledger.calculations.find(supersedesCalculationId)
  if (old === null || old.summary.state !== 'open' || old.summary.venueId !== venueId) return new Map()
  const open = old.reservations.filter(({ state }) => state === 'open')
  return new Map(open.map((each) => [counterKey(each), each.units]))
}

async function leftOf(
  { ledger }: SimulationParts,
  wants: readonly Want[],
  freed: ReadonlyMap<string, number>,
): Promise<Record<string, number>> {
  if (wants.length === 0) return {}
  const counters = new Map((await ledger.counters.lookUp(wants)).map((counter) => [counterKey(counter), counter]))
  return Object.fromEntries(
    wants.map((want) => {
      const key = counterKey(want)
      const { used = 0, open = 0 } = counters.get(key) ?? {}
      return [key, Math.max(0, want.maximum - used - open + (freed.get(key) ?? 0))]
    }),
  )
}
