import type { Audience, Benefit, Selector } from '../core/base/programme.js'
import { rewardSelections } from './matching.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ProgrammeMember } from './read-member.js'
import type { ProgrammeTier } from './read-tier.js'
import type { ProgrammeVenue } from './read-venue.js'
import type { Warning } from './warning.js'

/** What a document says of names; a kind of which it names nothing is not known from it. */
export interface KnownNames {
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly tiers: readonly ProgrammeTier[]
}

/** Tiers, segments and product groups that nothing else in the document is called: most are slips of the pen. */
export function namesUnknown(benefits: readonly ListedBenefit[], known: KnownNames): Warning[] {
  const { venues, members, tiers } = known
  const memberTiers = members.flatMap(({ tier }) => (tier === null ? [] : [tier]))
  const tierIds = new Set([...tiers.map(({ tierId }) => tierId), ...memberTiers])
  const segments = new Set(members.flatMap((member) => member.segments))
  const groups = new Set(
    venues.flatMap(({ products }) => products.flatMap(({ productGroupId }) => productGroupId ?? [])),
  )
  return benefits.flatMap(({ benefit, path }) => [
    ...unknown('tier_unknown', `${path}.audience.tiers`, named(benefit.audience, 'tiers'), tierIds),
    ...unknown('segment_unknown', `${path}.audience.segments`, named(benefit.audience, 'segments'), segments),
    ...unknown('group_unknown', path, groupsOf(benefit), groups),
  ])
}

const whatIs = {
  tier_unknown: 'no tier and no member of this document has the tier',
  segment_unknown: 'no member of this document has the segment',
  group_unknown: 'no price list of this document has the product group',
} as const

function unknown(
  word: keyof typeof whatIs,
  path: string,
  names: readonly string[],
  known: ReadonlySet<string>,
): Warning[] {
  if (known.size === 0) return []
  const [first, ...others] = names.filter((name) => !known.has(name))
  if (first === undefined) return []
  const more = others.length === 0 ? '' : `, nor ${others.length} more`
  return [{ path, word, message: `${whatIs[word]} ${first}${more}` }]
}

function named(audience: Audience | null, list: 'tiers' | 'segments'): readonly string[] {
  return audience?.[list] ?? []
}

function groupsOf({ reward, conditions }: Benefit): readonly string[] {
  const { minimumSpend, requires = [] } = conditions ?? {}
  const selectors = [...rewardSelections(reward), minimumSpend?.select, ...requires.map(({ select }) => select)]
  return [...new Set(selectors.flatMap(groupsIn))]
}

function groupsIn(selector: Selector | undefined): readonly string[] {
  if (selector === undefined) return []
  return [...(selector.productGroupIds ?? []), ...groupsIn(selector.not)]
}
