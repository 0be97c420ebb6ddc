import { randomUUID } from 'node:crypto'
import type { Ledger } from '../support/open-ledger.js'

/** A tier as benefits name it. */
export interface Tier {
  readonly tierId: string
  readonly rank: number
  readonly currencyId: string
  readonly amount: number
  readonly windowMonths: number
  readonly keepMonths: number
}

export const silver: Tier = {
  tierId: 'silver',
  rank: 1,
  currencyId: 'stamps',
  amount: 10,
  windowMonths: 12,
  keepMonths: 3,
}
export const gold: Tier = { ...silver, tierId: 'gold', rank: 2, amount: 100, keepMonths: 1 }
export const star: Tier = { ...gold, tierId: 'star', rank: 9, currencyId: 'points', amount: 5, windowMonths: 1 }

export const priced = (...tiers: readonly Tier[]) => JSON.stringify({ benefits: [], once: randomUUID(), tiers })

/** Puts a programme with these tiers in force. */
export async function publishTiers(ledger: Ledger, ...tiers: readonly Tier[]): Promise<void> {
  const document = `{"once":"${randomUUID()}"}`
  const currencies = ['stamps', 'points'].map((currencyId) => ({ currencyId, name: currencyId, scale: 0 }))
  await ledger.programmes.publishFile({ document, benefits: priced(...tiers), venues: [], members: [], currencies })
}
