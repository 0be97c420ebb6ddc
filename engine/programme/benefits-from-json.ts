import type { EarningRule, ReturnPolicy } from '../core/base/earning.js'
import type { Benefit, Experiment, Guard, Limit } from '../core/base/programme.js'
import { Faults, Place } from './place.js'
import type { ListedBenefit } from './read-benefit.js'
import { readFields } from './read-defined.js'
import type { ListedRule, ProgrammeCurrency, ProgrammeExchange, ProgrammeTier } from './read-earning.js'
import { experimentsOf } from './read-experiment.js'
import type { ProgrammeCollection } from './read-selector.js'
import type { ProgrammeMember, ProgrammeVenue } from './read-venue.js'

export interface Content {
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly currencies: readonly ProgrammeCurrency[]
  readonly collections: readonly ProgrammeCollection[]
  readonly listed: readonly ListedBenefit[]
  readonly rules: readonly ListedRule[]
  readonly exchanges: readonly ProgrammeExchange[]
  readonly tiers: readonly ProgrammeTier[]
  readonly policy: ReturnPolicy
  readonly guards: readonly Guard[]
  readonly experiments: readonly Experiment[]
}

interface ContentRead extends Partial<Content> {
  readonly benefits?: readonly ListedBenefit[]
  readonly earning?: readonly ListedRule[]
  readonly returns?: { readonly policy: ReturnPolicy }
  readonly holdout?: number
}

export function contentOf(root: Place): Content {
  const read = readFields<ContentRead>(root)
  const { venues = [], members = [], currencies = [], collections = [], exchanges = [], tiers = [], guards = [] } = read
  return {
    ...{ venues, members, currencies, collections, exchanges, tiers, guards },
    listed: read.benefits ?? [],
    rules: read.earning ?? [],
    policy: read.returns?.policy ?? 'reprice',
    experiments: experimentsOf(read, root),
  }
}

export interface PricedProgramme {
  readonly benefits: readonly Benefit[]
  readonly rules: readonly EarningRule[]
  readonly policy: ReturnPolicy
  readonly experiments: readonly Experiment[]
  /** True: a member's tier is computed from its earning. */
  readonly hasTiers: boolean
}

export function benefitsFromJson(text: string): readonly Benefit[] {
  return pricedFromJson(text).benefits
}

export function pricedFromJson(text: string): PricedProgramme {
  const faults = new Faults()
  const value: unknown = JSON.parse(text)
  const { listed, rules, policy, experiments, tiers } = contentOf(
    Place.root(Array.isArray(value) ? { benefits: value } : value, faults),
  )
  const [fault] = faults.listed
  if (fault !== undefined) throw new Error(`published benefits are faulty: ${fault.path} expected ${fault.expected}`)
  return {
    benefits: listed.filter(({ isEnabled }) => isEnabled).map(({ benefit }) => benefit),
    rules: rules.map(({ rule }) => rule),
    policy,
    experiments,
    hasTiers: tiers.length > 0,
  }
}

/** True: prices or earning depend on facts of a member that only the ledger has (`MemberHints`). */
export function needsHints({ benefits, rules, hasTiers }: PricedProgramme): boolean {
  const multipliers = rules.flatMap((rule) => rule.multipliers)
  const isHinted = [...benefits, ...rules, ...multipliers].some(({ audience }) => {
    const { visits, lastVisit, balances, tiers } = audience ?? {}
    return [visits, lastVisit, balances, hasTiers ? tiers : undefined].some((term) => term !== undefined)
  })
  const isByBirthday = ({ period }: Limit) => period === 'birthday'
  return isHinted || benefits.some(({ costs, limits }) => costs !== null || limits.some(isByBirthday))
}
