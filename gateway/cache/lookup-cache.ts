import type { MemberFacts, VenueFacts } from '../../engine/core/base/basket.js'
import { type CompiledBenefit, compileProgramme } from '../../engine/core/match/compile.js'
import type { LimitOfBenefit, PricingEngine } from '../../engine/index.js'
import { StoreFault } from '../../store/fault.js'
import type { Change } from '../../store/ledger/gateways.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import type { PosLedger } from '../../store/ledger.js'
import { type Arms, createArms } from './arms.js'
import { createMembers, type FoundMember } from './members.js'
import { createRemembered } from './remembered.js'
import { testMember, testProgrammeVersion } from './test-members.js'

const venuesMax = 20_000
/**
 * The longest warm-up of a programme before it is in force, in milliseconds: at a start, which takes at most 2 s, and after publishing,
 * when it is in force within 2 s.
 */
export const warmUpAtStartMs = 200
export const warmUpMs = 400

/** The member of a loyalty id, and the programme version that serves it. */
export interface MemberLookup {
  readonly member: MemberFacts | null
  readonly programmeVersion: number
  /** As in `PricingFacts`. */
  readonly arms?: Readonly<Record<string, string>> | undefined
}

export interface PeekedFacts extends MemberLookup {
  readonly venue: StoredVenue
}

/**
 * Members, venues and the current programme, cached in front of the ledger and kept fresh by its feed of changes. Balances of members are
 * never cached.
 */
export interface LookupCache {
  /** This and `findMember` reject with StoreFault only where the answer is not cached and the ledger is out of reach. */
  findVenue(venueId: string): Promise<StoredVenue | null>
  /**
   * The member as in the ledger now if prices depend on its balances, visits or tier, else cached.
   *
   * @param always  true: as in the ledger now in any case
   */
  findMember(loyaltyId: string | null, always?: boolean): Promise<MemberLookup>
  /**
   * Member and venue of a basket that is not read yet, fetched where they are not cached; null where the venue is unknown or a fetch
   * fails: the next call for them gets the fault.
   */
  peek(at: { readonly loyaltyId: string; readonly venueId: string }): Promise<PeekedFacts | null>
  /** The engine's facts of a venue, for the programme version that prices; the same object while neither has changed. */
  venueFacts(venue: StoredVenue): VenueFacts
  readonly programmeVersion: number
  readonly limits: ReadonlyMap<string, LimitOfBenefit>
  /** The benefits of the programme in force that cost their member something, by benefitId. */
  readonly costed: readonly CompiledBenefit[]
  /** Arms of the programme in force. */
  readonly arms: Arms
  /** Reads the feed of changes once: drops changed entries, and loads a newer programme into every thread, after a warm-up. */
  refresh(): Promise<void>
  /** True: a venue or member was looked up since the last call of this. */
  wasUsed(): boolean
}

interface Parts {
  readonly posLedger: PosLedger
  readonly engine: PricingEngine
  readonly warmUp: (programme: { readonly version: number; readonly benefits: string }, forMs: number) => Promise<void>
  readonly environment: 'staging' | 'production'
}

/** Loads the newest programme into the engine and starts with empty caches; rejects where the ledger has no programme. */
export async function createLookupCache(parts: Parts): Promise<LookupCache> {
  const members = createMembers(parts.posLedger)
  const venues = createRemembered(venuesMax, async (venueId) => ({
    venue: await parts.posLedger.venues.lookUp(venueId),
  }))
  const venueFacts = createVenueFacts()
  let { revision } = await parts.posLedger.changes.since(0)
  let current = await loadNewest(parts, warmUpAtStartMs)
  let used = false

  function lookUp(loyaltyId: string, always = false): MemberLookup | Promise<MemberLookup> {
    const { version: programmeVersion, arms } = current
    const test = parts.environment === 'staging' ? testMember(loyaltyId) : undefined
    if (test !== undefined) return { member: test, programmeVersion: testProgrammeVersion }
    const found = current.needsHints || always ? members.getNow(loyaltyId) : members.get(loyaltyId)
    const inArms = ({ member }: FoundMember): MemberLookup => {
      return { member, programmeVersion, arms: member === null ? undefined : arms.of(member.memberId) }
    }
    return found instanceof Promise ? found.then(inArms) : inArms(found)
  }

  return {
    async findVenue(venueId) {
      used = true
      return (await venues.get(venueId)).venue
    },
    findMember: async (loyaltyId, always) =>
      loyaltyId === null ? { member: null, programmeVersion: current.version } : await lookUp(loyaltyId, always),

    async peek({ loyaltyId, venueId }) {
      try {
        const [found, { venue }] = await Promise.all([lookUp(loyaltyId), venues.get(venueId)])
        return venue === null ? null : { ...found, venue }
      } catch (error) {
        if (!(error instanceof StoreFault)) throw error
        return null
      }
    },

    venueFacts: (venue) => venueFacts(venue, current),

    get programmeVersion() {
      return current.version
    },
    get limits() {
      return current.limits
    },
    get costed() {
      return current.costed
    },
    get arms() {
      return current.arms
    },
    async refresh() {
      const news = await parts.posLedger.changes.since(revision)
      if (news.changes === null || news.changes.length > 0) forget({ members, venues }, news.changes)
      if (news.changes === null || news.changes.some(({ kind }) => kind === 'programme'))
        current = await loadNewest(parts, warmUpMs)
      revision = news.revision
    },

    wasUsed() {
      const was = used
      used = false
      return was
    },
  }
}

function createVenueFacts(): (venue: StoredVenue, current: CurrentProgramme) => VenueFacts {
  const knownOf = new WeakMap<StoredVenue, { readonly version: number; readonly facts: VenueFacts }>()
  return (venue, { version, freeProductIds }) => {
    const known = knownOf.get(venue)
    if (known?.version === version) return known.facts
    const products = venue.products.filter(({ productId }) => freeProductIds.has(productId))
    const { venueId, currency, timeZone, dayStartsAt } = venue
    const facts = { venueId, currency, timeZone, ...(dayStartsAt !== undefined && { dayStartsAt }), products }
    knownOf.set(venue, { version, facts })
    return facts
  }
}

interface Forgetful {
  renew(): void
  forget(id: string): void
  forgetAll(): void
}

/** @param changes  null: there were too many to list */
function forget(caches: { members: Forgetful; venues: Forgetful }, changes: readonly Change[] | null): void {
  const { members, venues } = caches
  members.renew()
  venues.renew()
  if (changes === null) {
    members.forgetAll()
    venues.forgetAll()
    return
  }
  for (const { kind, id } of changes) {
    if (kind === 'venue') venues.forget(id)
    if (kind === 'member' && id === '') members.forgetAll()
    else if (kind === 'member') members.forget(id)
  }
}

interface CurrentProgramme {
  readonly version: number
  readonly freeProductIds: ReadonlySet<string>
  readonly limits: ReadonlyMap<string, LimitOfBenefit>
  readonly needsHints: boolean
  readonly costed: readonly CompiledBenefit[]
  readonly arms: Arms
}

async function loadNewest({ posLedger, engine, warmUp }: Parts, warmUpMaxMs: number): Promise<CurrentProgramme> {
  const programme = await posLedger.programmes.newest()
  if (programme === null) throw new Error('the ledger holds no programme')
  const { freeProductIds, limits, needsHints, costed, experiments } = await engine.loadProgramme(
    programme.version,
    programme.benefits,
  )
  await warmUp(programme, warmUpMaxMs)
  return {
    version: programme.version,
    freeProductIds: new Set(freeProductIds),
    limits: new Map(limits.map((limit) => [limit.limitId, limit])),
    needsHints,
    costed: compileProgramme(costed).benefits,
    arms: createArms(experiments, programme.key),
  }
}
