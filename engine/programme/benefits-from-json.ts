import type { EarningRule, ReturnPolicy } from '../core/base/earning.js'
import type { Benefit, Experiment, Limit } from '../core/base/programme.js'
import { Faults, Place } from './place.js'
import { createBenefitIdentities, readBenefit } from './read-benefit.js'
import { readRule } from './read-earning.js'
import { readExperiments } from './read-experiment.js'
import { createTierIdentities, readProgrammeCurrency, readTier } from './read-programme-currency.js'
import { readReturns } from './read-returns.js'
import { readCollection } from './read-selector.js'
import { isObject, Once, readOptionalList } from './read-values.js'

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
  const parts = isObject(value) ? value : { benefits: value }
  const root = Place.root(parts, faults)
  const listAt = (name: string) => root.below(name, parts[name])
  const currencyIds = new Once('currencyId')
  const currencies = readOptionalList(listAt('currencies'), (entry) => readProgrammeCurrency(entry, currencyIds))
  const collectionIds = new Once('collectionId')
  readOptionalList(listAt('collections'), (entry) => readCollection(entry, collectionIds))
  const identities = createBenefitIdentities(currencies)
  const listed = readOptionalList(listAt('benefits'), (entry) => readBenefit(entry, identities))
  const rules = { ruleIds: new Once('ruleId'), currencies }
  const earning = readOptionalList(listAt('earning'), (entry) => readRule(entry, rules))
  const tierIdentities = createTierIdentities(currencies)
  const tiers = readOptionalList(listAt('tiers'), (entry) => readTier(entry, tierIdentities))
  const policy = readReturns(listAt('returns'))
  const experiments = readExperiments(listAt('experiments'), listAt('holdout'), null)
  const [fault] = faults.listed
  if (fault !== undefined) throw new Error(`published benefits are faulty: ${fault.path} expected ${fault.expected}`)
  return {
    benefits: listed.filter(({ isEnabled }) => isEnabled).map(({ benefit }) => benefit),
    rules: earning.map(({ rule }) => rule),
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
