import type { EarningRule } from '../core/base/earning.js'
import type { Benefit, Experiment, Guard } from '../core/base/programme.js'
import { type Content, contentOf } from './benefits-from-json.js'
import { rulesNeverCounted, tiersNeverHad } from './lint-reach.js'
import { type CountedLimit, checkMoneyLimits, countedLimitsOf } from './money-limits.js'
import { namingOfBenefit, namingOfCollection, namingOfRule, outlineOf, type ProgrammeOutline } from './outline.js'
import { type Fault, Faults, Place } from './place.js'
import { readDocument } from './read-document.js'
import type { ProgrammeCurrency, ProgrammeExchange, ProgrammeTier } from './read-earning.js'
import { checkBenefitsKnown } from './read-experiment.js'
import type { ProgrammeMember, ProgrammeVenue } from './read-venue.js'
import type { Warning } from './warning.js'
import { returnsAsPaid, warningsFromProgramme } from './warnings.js'

export interface Programme {
  readonly document: string
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly currencies: readonly ProgrammeCurrency[]
  readonly exchanges: readonly ProgrammeExchange[]
  readonly tiers: readonly ProgrammeTier[]
  readonly benefits: readonly Benefit[]
  readonly benefitsNotEnabled: number
  readonly limits: readonly CountedLimit[]
  readonly rules: readonly EarningRule[]
  readonly guards: readonly Guard[]
  readonly experiments: readonly Experiment[]
  /** JSON for `pricedFromJson`, without what pricing does not need. */
  readonly benefitsJson: string
  readonly outline: ProgrammeOutline
  readonly named: NamedIds
}

export interface NamedIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

export type ProgrammeRead =
  | { readonly kind: 'read'; readonly programme: Programme; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'faulty'
      readonly faults: readonly Fault[]
      readonly more: number
    }

/** Reports every fault by its path (benefits 1), and parts that are valid but suspicious as warnings. */
export function readProgramme(text: string): ProgrammeRead {
  const faults = new Faults()
  const value = readDocument(text, faults)
  const content = value === undefined ? null : checkedContent(Place.root(value, faults))
  if (faults.count > 0 || content === null) {
    return { kind: 'faulty', faults: faults.listed, more: faults.count - faults.listed.length }
  }
  const { venues, members, currencies, collections, exchanges, tiers, listed, rules, policy, guards, experiments } =
    content
  const enabled = listed.filter(({ isEnabled }) => isEnabled)
  const namings = [...enabled.map(namingOfBenefit), ...rules.map(namingOfRule), ...collections.map(namingOfCollection)]
  return {
    kind: 'read',
    programme: {
      document: text,
      venues,
      members,
      currencies,
      exchanges,
      tiers,
      benefits: enabled.map(({ benefit }) => benefit),
      benefitsNotEnabled: listed.length - enabled.length,
      limits: countedLimitsOf(listed),
      rules: rules.map(({ rule }) => rule),
      guards,
      experiments,
      benefitsJson: pricedJson(value as Parts),
      outline: outlineOf({ listed, rules, venues, namings }),
      named: idsNamedBy(members, [...listed.map(({ benefit }) => benefit), ...rules.map(({ rule }) => rule)]),
    },
    warnings: [
      ...warningsFromProgramme(enabled, namings, { venues, members, tiers }),
      ...rulesNeverCounted(rules),
      ...tiersNeverHad(tiers, rules),
      ...returnsAsPaid(policy, enabled),
    ],
  }
}

function checkedContent(root: Place): Content {
  const content = contentOf(root)
  checkMoneyLimits(root.at('benefits'), content.listed, content.venues)
  checkBenefitsKnown(root.at('experiments'), new Set(content.listed.map(({ benefit }) => benefit.benefitId)))
  return content
}

interface ForSome {
  readonly audience: Benefit['audience']
  readonly multipliers?: EarningRule['multipliers']
}

/** Includes benefits that are not enabled: the document names their ids. */
function idsNamedBy(members: readonly ProgrammeMember[], listed: readonly ForSome[]): NamedIds {
  const audiences = listed
    .flatMap(({ audience, multipliers = [] }) => [audience, ...multipliers.map((each) => each.audience)])
    .flatMap((audience) => audience?.memberIds ?? [])
  return {
    memberIds: [...new Set([...members.map(({ memberId }) => memberId), ...audiences])],
    loyaltyIds: members.flatMap(({ loyaltyIds }) => loyaltyIds),
  }
}

interface Parts {
  readonly benefits?: readonly Readonly<Record<string, unknown>>[] | null
  readonly collections?: readonly unknown[] | null
  readonly currencies?: readonly unknown[] | null
  readonly earning?: readonly unknown[] | null
  readonly tiers?: readonly unknown[] | null
  readonly returns?: unknown
  readonly experiments?: readonly unknown[] | null
  readonly holdout?: unknown
}

function pricedJson(parts: Parts): string {
  const { benefits, collections, currencies, earning, tiers, returns, experiments, holdout } = parts
  const priced = (benefits ?? [])
    .filter(({ enabled }) => enabled !== false)
    .map(({ enabled, description, metadata, ...rest }) => rest)
  const isSome = (list: readonly unknown[] | null | undefined) => Array.isArray(list) && list.length > 0
  const isSaid = (value: unknown) => value !== undefined && value !== null
  if (![currencies, collections, experiments].some(isSome) && ![returns, holdout].some(isSaid))
    return JSON.stringify(priced)
  return JSON.stringify({
    benefits: priced,
    currencies,
    ...(isSome(collections) && { collections }),
    ...(isSome(earning) && { earning }),
    ...(isSome(tiers) && { tiers }),
    ...(isSaid(returns) && { returns }),
    ...(isSome(experiments) && { experiments }),
    ...(isSaid(holdout) && { holdout }),
  })
}
