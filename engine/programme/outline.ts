import type { Benefit, Reward } from '../core/base/programme.js'
import type { Naming } from './naming.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ListedRule } from './read-earning.js'
import type { ProgrammeVenue } from './read-venue.js'

/** The part of a programme that is compared with stored data. */
export interface ProgrammeOutline {
  readonly venues: readonly { readonly venueId: string; readonly currency: string }[]
  readonly benefits: readonly BenefitOutline[]
  readonly benefitsOff: readonly string[]
  readonly rules: readonly TermsOutline[]
  readonly namings: readonly Naming[]
}

/** When and where a benefit or an earning rule is open, with its path. */
export interface TermsOutline {
  readonly path: string
  readonly venueIds: readonly string[] | null
  readonly validFrom: number | null
  readonly validUntil: number | null
  /** True: it has amounts of money, in the currency of its venues. */
  readonly hasMoney: boolean
}

export interface BenefitOutline extends TermsOutline {
  readonly benefitId: string
}

interface Outlined {
  readonly listed: readonly ListedBenefit[]
  readonly rules: readonly ListedRule[]
  readonly venues: readonly ProgrammeVenue[]
  readonly namings: readonly Naming[]
}

export function outlineOf({ listed, rules, venues, namings }: Outlined): ProgrammeOutline {
  const enabled = listed.filter(({ isEnabled }) => isEnabled)
  return {
    venues: venues.map(({ venueId, currency }) => ({ venueId, currency })),
    benefits: enabled.map(({ benefit, path }) => {
      const { benefitId, venueIds, validFrom, validUntil } = benefit
      return { path, benefitId, venueIds, validFrom, validUntil, hasMoney: hasMoney(benefit) }
    }),
    rules: rules.map(({ rule, path }) => {
      const { venueIds, validFrom, validUntil, per, minimumSpend } = rule
      return {
        path,
        venueIds,
        validFrom,
        validUntil,
        hasMoney: per.kind === 'amount' || (minimumSpend?.amount ?? 0) > 0,
      }
    }),
    namings: venues.some(({ products }) => products.length > 0) ? [] : namings,
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
