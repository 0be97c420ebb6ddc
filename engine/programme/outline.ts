import type { Audience, Benefit, Reward, Selector } from '../core/base/programme.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ListedRule } from './read-earning.js'
import type { ProgrammeCollection } from './read-selector.js'
import type { ProgrammeVenue } from './read-venue.js'

export interface ProgrammeOutline {
  readonly venues: readonly { readonly venueId: string; readonly currency: string }[]
  readonly benefits: readonly BenefitOutline[]
  readonly benefitsOff: readonly string[]
  readonly rules: readonly TermsOutline[]
  readonly namings: readonly Naming[]
}

export interface TermsOutline {
  readonly path: string
  readonly venueIds: readonly string[] | null
  readonly validFrom: number | null
  readonly validUntil: number | null
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

export interface Naming {
  readonly venueIds: readonly string[] | null
  readonly audiences: readonly { readonly path: string; readonly audience: Audience }[]
  readonly selectors: readonly NamedSelector[]
}

export interface NamedSelector {
  readonly path: string
  readonly selector: Selector
}

export function namingOfBenefit({ benefit, path }: ListedBenefit): Naming {
  const { venueIds, audience, conditions, reward } = benefit
  const at = `${path}.reward`
  const rewards =
    reward.kind === 'buy_get'
      ? [selected(`${at}.buy.select`, reward.buy.select), selected(`${at}.get.select`, reward.get.select)]
      : 'components' in reward
        ? reward.components.map(({ select }, place) => selected(`${at}.components[${place}].select`, select))
        : reward.kind === 'free_product'
          ? [selected(`${at}.per.select`, reward.per?.select)]
          : [selected(`${at}.select`, reward.select)]
  const { minimumSpend, requires = [] } = conditions ?? {}
  return {
    venueIds,
    audiences: audience === null ? [] : [{ path: `${path}.audience`, audience }],
    selectors: [
      ...rewards,
      selected(`${path}.conditions.minimumSpend.select`, minimumSpend?.select),
      ...requires.map(({ select }, place) => selected(`${path}.conditions.requires[${place}].select`, select)),
    ].flat(),
  }
}

export function namingOfRule({ rule, path }: ListedRule): Naming {
  const { venueIds, audience, multipliers, select, minimumSpend } = rule
  const own = audience === null ? [] : [{ path: `${path}.audience`, audience }]
  const further = multipliers.flatMap((multiplier, place) =>
    multiplier.audience === null
      ? []
      : [{ path: `${path}.multipliers[${place}].audience`, audience: multiplier.audience }],
  )
  return {
    venueIds,
    audiences: [...own, ...further],
    selectors: [
      ...selected(`${path}.select`, select ?? undefined),
      ...selected(`${path}.minimumSpend.select`, minimumSpend?.select),
    ],
  }
}

export function namingOfCollection({ select }: ProgrammeCollection, at: number): Naming {
  return { venueIds: null, audiences: [], selectors: selected(`collections[${at}].select`, select) }
}

function selected(path: string, selector: Selector | undefined): readonly NamedSelector[] {
  if (selector === undefined) return []
  return [{ path, selector }, ...selected(`${path}.not`, selector.not)]
}
