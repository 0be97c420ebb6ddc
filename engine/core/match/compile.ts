import { compareCodePoints } from '../base/code-points.js'
import type { EarningRule } from '../base/earning.js'
import type { BenefitReport, Dropped, RankedReport } from '../base/outcome.js'
import type { Benefit, Experiment, Reward } from '../base/programme.js'
import { type AudienceSets, audienceSets } from './audience.js'
import { type CompiledEarning, compileEarning } from './compile-rule.js'
import type { LineIndex } from './line-index.js'
import { type CompiledSelector, createSelectors, type Keys, leadingKeys, type Selectors } from './selector.js'

export interface CompiledBenefit extends AudienceSets {
  readonly benefit: Benefit
  readonly rank: number
  readonly turn: number
  /** Selectors of the reward: one; buy and get, one object if equal; components of a bundle; `per` of a free product. */
  readonly selects: readonly CompiledSelector[]
  readonly minimumSpend: CompiledSelector | null
  readonly requires: readonly CompiledSelector[]
  readonly venueIds: ReadonlySet<string> | null
  readonly untouched: RankedReport | null
}

export interface CompiledExperiment {
  readonly experiment: Experiment
  readonly benefits: readonly CompiledBenefit[]
  readonly withheld: ReadonlyMap<string, ReadonlySet<number>>
}

/** Benefits of a programme with an index: pricing time depends on those that can match. */
export interface CompiledProgramme {
  readonly benefits: readonly CompiledBenefit[]
  readonly everywhere: readonly number[]
  readonly keys: Keys
  /** By key: indices in `leads` of the leading selectors that name it. */
  readonly leadsOf: readonly (readonly number[])[]
  readonly leads: readonly Lead[]
  readonly freeProductIds: readonly string[]
  readonly earning: CompiledEarning | null
  readonly experiments: readonly CompiledExperiment[]
}

export interface Lead {
  readonly select: CompiledSelector
  readonly ranks: readonly number[]
}

export function compileProgramme(
  benefits: readonly Benefit[],
  rules: readonly EarningRule[] = [],
  experiments: readonly Experiment[] = [],
): CompiledProgramme {
  const sorted = [...benefits].sort((a, b) => compareCodePoints(a.benefitId, b.benefitId))
  const selectors = createSelectors()
  const turns = new Map([...sorted].sort((a, b) => a.sequence - b.sequence).map((benefit, turn) => [benefit, turn]))
  const compiled = sorted.map((benefit, rank) => {
    return compileBenefit(benefit, { rank, turn: turns.get(benefit)! }, selectors)
  })
  const earning = compileEarning(rules, benefits, selectors)
  const everywhere: number[] = []
  const places = new Map<CompiledSelector, number>()
  const leads: { select: CompiledSelector; ranks: number[] }[] = []
  const leadsOf = Array.from({ length: countOf(selectors.keys) }, () => noLeads)
  for (const { rank, selects } of compiled) {
    const leading = leadingSelector(selects)
    const named = leading === null ? null : leadingKeys(leading)
    if (leading === null || named === null) everywhere.push(rank)
    else if (places.has(leading)) leads[places.get(leading)!]!.ranks.push(rank)
    else {
      places.set(leading, leads.length)
      for (const key of named) post(leadsOf, key, leads.length)
      leads.push({ select: leading, ranks: [rank] })
    }
  }
  const free = sorted.flatMap(({ reward }) => (reward.kind === 'free_product' ? [reward.productId] : []))
  const { keys } = selectors
  return {
    benefits: compiled,
    everywhere,
    keys,
    leadsOf,
    leads,
    freeProductIds: [...new Set(free)],
    earning,
    experiments: compileExperiments(experiments, compiled),
  }
}

function compileExperiments(
  experiments: readonly Experiment[],
  compiled: readonly CompiledBenefit[],
): readonly CompiledExperiment[] {
  return experiments.map((experiment) => {
    const had = experiment.arms.map(({ armId, benefitIds }) => ({ armId, ids: benefitIds && new Set(benefitIds) }))
    const benefits = compiled.filter(({ benefit }) => had.some(({ ids }) => ids?.has(benefit.benefitId) ?? true))
    const withheld = had.map(({ armId, ids }): [string, ReadonlySet<number>] => {
      const others = benefits.filter(({ benefit }) => !(ids?.has(benefit.benefitId) ?? true))
      return [armId, new Set(others.map(({ rank }) => rank))]
    })
    return { experiment, benefits, withheld: new Map(withheld) }
  })
}

/** Benefits that can match these lines, by rank, with the lines that their leading lists name, ascending; none: any line may match. */
export function touchedBy(
  { everywhere, leads, leadsOf }: CompiledProgramme,
  { own, groups }: LineIndex,
): Map<number, readonly number[]> {
  const touched = new Map<number, readonly number[]>()
  for (const rank of everywhere) touched.set(rank, noLines)
  const counts = countsFor(leads.length)
  const found: number[] = []
  for (let position = 0; position < own.length; position++) {
    const [group, key] = [groups[position]!, own[position]!]
    if (group !== -1) count(counts, leadsOf[group]!, found)
    if (key !== -1) count(counts, leadsOf[key]!, found)
  }
  // A slice has its exact length.
  const named = found.map((lead) => own.slice(0, Math.min(own.length, counts[lead]!)))
  const lengths = new Int32Array(found.length)
  for (let index = 0; index < found.length; index++) counts[found[index]!] = index
  const note = (noted: readonly number[], position: number) => {
    for (let index = 0; index < noted.length; index++) {
      const place = counts[noted[index]!]!
      const positions = named[place]!
      const length = lengths[place]!
      if (length > 0 && positions[length - 1] === position) continue
      positions[length] = position
      lengths[place] = length + 1
    }
  }
  for (let position = 0; position < own.length; position++) {
    const [group, key] = [groups[position]!, own[position]!]
    if (group !== -1) note(leadsOf[group]!, position)
    if (key !== -1) note(leadsOf[key]!, position)
  }
  for (let index = 0; index < found.length; index++) {
    const lead = found[index]!
    counts[lead] = 0
    const positions = named[index]!
    if (positions.length > lengths[index]!) positions.length = lengths[index]!
    for (const rank of leads[lead]!.ranks) touched.set(rank, positions)
  }
  return touched
}

const noLines: readonly number[] = []

let leadCounts = new Int32Array(0)

function countsFor(leadCount: number): Int32Array {
  if (leadCounts.length < leadCount) leadCounts = new Int32Array(2 * leadCount)
  return leadCounts
}

function count(counts: Int32Array, leads: readonly number[], found: number[]): void {
  for (let index = 0; index < leads.length; index++) {
    const lead = leads[index]!
    if (counts[lead] === 0) found.push(lead)
    counts[lead]!++
  }
}

function compileBenefit(
  benefit: Benefit,
  { rank, turn }: Pick<CompiledBenefit, 'rank' | 'turn'>,
  selectors: Selectors,
): CompiledBenefit {
  const { audience, conditions, costs } = benefit
  const isPlain = conditions === null && costs === null && isForMatchedLines(benefit)
  const spend = conditions?.minimumSpend
  return {
    benefit,
    rank,
    turn,
    selects: selectsOf(benefit).map(selectors.compiled),
    minimumSpend: spend === undefined ? null : selectors.compiled(spend.select),
    requires: (conditions?.requires ?? []).map(({ select }) => selectors.compiled(select)),
    venueIds: benefit.venueIds === null ? null : new Set(benefit.venueIds),
    ...audienceSets(audience),
    untouched: isPlain ? { rank, report: untouchedReport(benefit) } : null,
  }
}

function isForMatchedLines({ reward: { kind } }: Benefit): boolean {
  return !ownMissing.includes(kind)
}

const ownMissing: readonly Reward['kind'][] = [
  'buy_get',
  'bundle_price',
  'bundle_discount',
  'free_product',
  'volume_percentage',
]

function untouchedReport({ benefitId }: Benefit): BenefitReport {
  return { benefitId, dropped: oneUnitShort, value: 0, lines: noReportLines }
}

const oneUnitShort: Dropped = { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] }
const noReportLines: BenefitReport['lines'] = []

function selectsOf({ reward }: Benefit) {
  switch (reward.kind) {
    case 'buy_get':
      return [reward.buy.select ?? {}, reward.get.select ?? {}]
    case 'bundle_price':
    case 'bundle_discount':
      return reward.components.map(({ select }) => select ?? {})
    case 'free_product':
      return reward.per === undefined ? [] : [reward.per.select ?? {}]
    default:
      return [reward.select ?? {}]
  }
}

// Each selector needs a line: the narrowest suffices to find the benefit.
function leadingSelector(selects: readonly CompiledSelector[]): CompiledSelector | null {
  const listed = selects.filter((select) => leadingKeys(select) !== null)
  if (listed.length === 0) return null
  return listed.reduce((least, select) => (breadth(select) < breadth(least) ? select : least))
}

function breadth({ keys, groups }: CompiledSelector): number {
  return keys.length - groups + groups * groupBreadth
}

// A group is taken to hold as many products as this; it only steers which list is indexed.
const groupBreadth = 20

const noLeads: number[] = []

function post(index: number[][], key: number, lead: number): void {
  const leads = index[key]!
  if (leads === noLeads) index[key] = [lead]
  else leads.push(lead)
}

function countOf({ masters, eans, products, groups }: Keys): number {
  return masters.size + eans.size + products.size + groups.size
}
