import { moneyMax } from '../core/base/money.js'
import type { Place } from './place.js'
import { type ProgrammeCurrency, readCurrencyId } from './read-programme-currency.js'
import { Once, openFields, readInteger } from './read-values.js'
import { readOwn } from './read-venue.js'

export interface ProgrammeTier {
  readonly tierId: string
  /** The highest of a member's tiers counts; each tier has its own rank. */
  readonly rank: number
  readonly currencyId: string
  /** To be earned within `windowMonths`; 1 to 2^53 - 1. */
  readonly amount: number
  readonly windowMonths: number
  /** How long it is kept after the day on which it was last qualified for; 0: to the end of that day. */
  readonly keepMonths: number
}

interface TierIdentities {
  readonly tierIds: Once
  readonly currencies: readonly ProgrammeCurrency[]
  readonly ranks: Map<number, string>
}

const rankMax = 1_000_000
const monthsMax = 1200

export function createTierIdentities(currencies: readonly ProgrammeCurrency[]): TierIdentities {
  return { tierIds: new Once('tierId'), currencies, ranks: new Map() }
}

export function readTier(place: Place, { tierIds, currencies, ranks }: TierIdentities): ProgrammeTier {
  const at = openFields(place, ['tierId', 'rank', 'currencyId', 'amount', 'windowMonths', 'keepMonths'])
  return {
    tierId: readOwn(at('tierId'), tierIds),
    rank: readRank(at('rank'), ranks),
    currencyId: readCurrencyId(at('currencyId'), currencies),
    amount: readInteger(at('amount'), 1, moneyMax),
    windowMonths: readInteger(at('windowMonths'), 1, monthsMax),
    keepMonths: readInteger(at('keepMonths'), 0, monthsMax),
  }
}

function readRank(place: Place, ranks: Map<number, string>): number {
  const rank = readInteger(place, -rankMax, rankMax)
  if (rank !== place.value) return rank
  const earlier = ranks.get(rank)
  if (earlier === undefined) ranks.set(rank, place.path)
  else place.fault(`a rank of its own: ${earlier} has it already`)
  return rank
}
