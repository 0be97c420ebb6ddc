import type { Benefit, Reward } from '../core/base/programme.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ProgrammeVenue } from './read-venue.js'

/** What of a programme is compared with what is stored. */
export interface ProgrammeOutline {
  readonly venues: readonly { readonly venueId: string; readonly currency: string }[]
  /** The enabled ones. */
  readonly benefits: readonly BenefitOutline[]
  /** Ids of the others. */
  readonly benefitsOff: readonly string[]
}

export interface BenefitOutline {
  readonly path: string
  readonly benefitId: string
  /** null: everywhere. */
  readonly venueIds: readonly string[] | null
  /** Milliseconds since the epoch; null: since ever. */
  readonly validFrom: number | null
  /** Milliseconds since the epoch, exclusive; null: for ever. */
  readonly validUntil: number | null
  /** It names amounts of money, which are those of its venues' currency. */
  readonly hasMoney: boolean
}

export function outlineOf(listed: readonly ListedBenefit[], venues: readonly ProgrammeVenue[]): ProgrammeOutline {
  const enabled = listed.filter(({ isEnabled }) => isEnabled)
  return {
    venues: venues.map(({ venueId, currency }) => ({ venueId, currency })),
    benefits: enabled.map(({ benefit, path }) => {
      const { benefitId, venueIds, validFrom, validUntil } = benefit
      return { path, benefitId, venueIds, validFrom, validUntil, hasMoney: hasMoney(benefit) }
    }),
    benefitsOff: listed.filter(({ isEnabled }) => !isEnabled).map(({ benefit }) => benefit.benefitId),
  }
}

function hasMoney({ reward, conditions, costs, limits }: Benefit): boolean {
  return (
    rewardHasMoney(reward) ||
    (conditions?.minimumSpend?.amount ?? 0) > 0 ||
    (costs?.worth ?? 0) > 0 ||
    limits.some(({ counts }) => counts === 'amount')
  )
}

function rewardHasMoney(reward: Reward): boolean {
  if ('maximumAmount' in reward && reward.maximumAmount !== undefined) return true
  return 'amount' in reward || 'price' in reward || ('unitPrice' in reward && reward.unitPrice > 0)
}
