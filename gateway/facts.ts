import { LRUCache } from 'lru-cache'
import type { MemberFacts, VenueFacts } from '../engine/core/basket.js'
import type { Limit } from '../engine/core/programme.js'
import type { PricingEngine } from '../engine/index.js'
import type { Change, Ledger, StoredMember, StoredVenue } from '../store/index.js'
import { testMember, testProgrammeVersion } from './test-members.js'

/** Members kept in memory; beyond that the least recently seen goes. About 300 bytes each. */
const membersMax = 100_000
const venuesMax = 20_000

/** The member behind a loyalty id, and the programme version that serves it. */
export interface MemberLookup {
  /** null: member_not_found. */
  readonly member: MemberFacts | null
  readonly programmeVersion: number
}

/** Members, venues and the current programme, cached in front of the ledger and kept fresh by its feed of changes. */
export interface Facts {
  /** Rejects with StoreFault only where the answer is not cached and the ledger is out of reach. */
  findVenue(venueId: string): Promise<StoredVenue | null>
  findMember(loyaltyId: string | null): Promise<MemberLookup>
  /** What the engine needs of a venue, for the programme version that prices. */
  venueFacts(venue: StoredVenue): VenueFacts
  /** The limits of the programme in force, by limitId. */
  readonly limits: ReadonlyMap<string, Limit>
  /** Reads the feed of changes once: what has changed is forgotten, a newer programme is loaded into every thread first. */
  refresh(): Promise<void>
}

interface Parts {
  readonly ledger: Ledger
  readonly engine: PricingEngine
  readonly environment: 'staging' | 'production'
}

/** Loads the newest programme into the engine and starts with empty caches; rejects where the ledger holds no programme. */
export async function createFacts(parts: Parts): Promise<Facts> {
  const members = new LRUCache<string, { readonly member: StoredMember | null }>({ max: membersMax })
  const venues = new LRUCache<string, { readonly venue: StoredVenue | null }>({ max: venuesMax })
  const venueFactsOf = new WeakMap<StoredVenue, { readonly version: number; readonly facts: VenueFacts }>()
  let { revision } = await parts.ledger.findChanges(0)
  let current = await loadNewest(parts)
  // A look-up that began before a change must not put the old answer back into the cache after it.
  let generation = 0

  async function cached<V extends object>(cache: LRUCache<string, V>, key: string, find: () => Promise<V>): Promise<V> {
    const known = cache.get(key)
    if (known !== undefined) return known
    const began = generation
    const found = await find()
    if (began === generation) cache.set(key, found)
    return found
  }

  function forget(changes: readonly Change[] | null): void {
    generation += 1
    if (changes === null) {
      members.clear()
      venues.clear()
      return
    }
    for (const { kind, id } of changes) {
      if (kind === 'venue') venues.delete(id)
      if (kind === 'member') members.delete(id)
    }
  }

  return {
    findVenue: async (venueId) =>
      (await cached(venues, venueId, async () => ({ venue: await parts.ledger.findVenue(venueId) }))).venue,

    async findMember(loyaltyId) {
      const programmeVersion = current.version
      if (loyaltyId === null) return { member: null, programmeVersion }
      const test = parts.environment === 'staging' ? testMember(loyaltyId) : undefined
      if (test !== undefined) return { member: test, programmeVersion: testProgrammeVersion }
      const { member } = await cached(members, loyaltyId, async () => ({
        member: await parts.ledger.findMember(loyaltyId),
      }))
      return { member: member === null || member.blocked ? null : memberFacts(member), programmeVersion }
    },

    venueFacts(venue) {
      const known = venueFactsOf.get(venue)
      if (known?.version === current.version) return known.facts
      const products = venue.products.filter(({ productId }) => current.freeProductIds.has(productId))
      const { venueId, currency, timeZone } = venue
      const facts = { venueId, currency, timeZone, products }
      venueFactsOf.set(venue, { version: current.version, facts })
      return facts
    },

    get limits() {
      return current.limits
    },

    async refresh() {
      const news = await parts.ledger.findChanges(revision)
      if (news.changes === null || news.changes.length > 0) forget(news.changes)
      if (news.changes === null || news.changes.some(({ kind }) => kind === 'programme'))
        current = await loadNewest(parts)
      revision = news.revision
    },
  }
}

interface CurrentProgramme {
  readonly version: number
  readonly freeProductIds: ReadonlySet<string>
  readonly limits: ReadonlyMap<string, Limit>
}

async function loadNewest({ ledger, engine }: Parts): Promise<CurrentProgramme> {
  const programme = await ledger.newestProgramme()
  if (programme === null) throw new Error('the ledger holds no programme')
  const { freeProductIds, limits } = await engine.loadProgramme(programme.version, programme.benefits)
  return {
    version: programme.version,
    freeProductIds: new Set(freeProductIds),
    limits: new Map(limits.map((limit) => [limit.limitId, limit])),
  }
}

function memberFacts({ memberId, tier, segments }: StoredMember): MemberFacts {
  return { memberId, tier, segments }
}
