import { type Percentage, percentageWhole } from '../core/base/money.js'
import type { Experiment, ExperimentArm, Guard, GuardRule } from '../core/base/programme.js'
import type { Place } from './place.js'
import { readList, readPercentage } from './read-values.js'

/** Each costs a basket a keyed hash. */
const experimentsMax = 20
const armsMax = 10
const globalHoldoutMax = 50_000

const globalId = 'global-holdout-'
export const holdoutArm = 'holdout'

/**
 * Checks the experiments of a programme, and adds its global holdout.
 *
 * @param root  the document
 */
export function experimentsOf(
  { experiments = [], holdout }: { readonly experiments?: readonly Experiment[]; readonly holdout?: Percentage },
  root: Place,
): readonly Experiment[] {
  const list = root.at('experiments')
  if (experiments.length > experimentsMax) list.fault(`at most ${experimentsMax} experiments`)
  for (const [position, one] of experiments.entries()) {
    const other = experiments.slice(0, position).find((each) => isSameTime(one, each) && sharesBenefit(one, each))
    if (other !== undefined)
      list.at(position).fault(`benefits that ${other.experimentId} does not have at the same time`)
  }
  if (holdout === undefined) return experiments
  if (holdout > globalHoldoutMax) root.at('holdout').fault('at most 5, in per cent of the members')
  return [...experiments, globalHoldout(holdout)]
}

/** @param known  ids of the benefits, also of those that are not enabled */
export function checkBenefitsKnown(list: Place, known: ReadonlySet<unknown>): void {
  const lists = list.entries().flatMap((place) => [place, ...place.at('arms').entries()])
  for (const id of lists.flatMap((place) => place.at('benefitIds').entries()))
    if (!known.has(id.value)) id.fault('the benefitId of a benefit of this document')
}

/** Another percentage is another experiment, with other members in its holdout. */
function globalHoldout(percentage: Percentage): Experiment {
  return {
    experimentId: `${globalId}${percentage / (percentageWhole / 100)}`,
    name: 'Global holdout',
    from: null,
    until: null,
    metric: 'net',
    arms: [
      { armId: holdoutArm, percentage, benefitIds: [] },
      { armId: 'open', percentage: percentageWhole - percentage, benefitIds: null },
    ],
  }
}

interface ExperimentRead extends Omit<Experiment, 'arms' | 'until'> {
  readonly until?: number | null
  readonly benefitIds?: readonly string[]
  readonly holdout?: Percentage
  readonly arms?: readonly (Omit<ExperimentArm, 'benefitIds'> & Partial<ExperimentArm>)[]
  readonly by?: string
}

export function experimentFrom(
  { benefitIds, holdout, arms, by, until = null, ...read }: ExperimentRead,
  place: Place,
): Experiment {
  const id = place.at('experimentId')
  if (read.experimentId.startsWith(globalId)) id.fault(`an id that does not begin with ${globalId}`)
  if (read.from !== null && until !== null && read.from >= until) place.at('until').fault('a moment after from')
  return { ...read, until, arms: arms === undefined ? holdoutArms(place, benefitIds, holdout) : armsFrom(place, arms) }
}

function holdoutArms(
  place: Place,
  benefitIds: readonly string[] = readList(place.at('benefitIds'), () => ''),
  holdout = readPercentage(place.at('holdout')),
): readonly ExperimentArm[] {
  checkOnceEach(place.at('benefitIds'), benefitIds)
  if (holdout === percentageWhole) place.at('holdout').fault('a percentage below 100')
  return [
    { armId: holdoutArm, percentage: holdout, benefitIds: [] },
    { armId: 'open', percentage: percentageWhole - holdout, benefitIds },
  ]
}

function armsFrom(place: Place, read: NonNullable<ExperimentRead['arms']>): readonly ExperimentArm[] {
  for (const field of ['benefitIds', 'holdout']) if (!place.at(field).absent) place.at(field).fault('none beside arms')
  const list = place.at('arms')
  const arms = read.map((arm, position): ExperimentArm => {
    const own = list.at(position)
    const benefitIds = arm.benefitIds ?? []
    own.at('armId').checkOnce('armId', arm.armId, place.path)
    checkOnceEach(own.at('benefitIds'), benefitIds)
    return { ...arm, benefitIds }
  })
  if (arms.length < 2 || arms.length > armsMax) list.fault(`2 to ${armsMax} arms`)
  if (arms.reduce((sum, { percentage }) => sum + percentage, 0) !== percentageWhole)
    list.fault('arms whose percentages sum to 100')
  if (arms.every(({ benefitIds }) => benefitIds?.length === 0)) list.fault('an arm with benefits')
  return arms
}

function checkOnceEach(list: Place, benefitIds: readonly string[]): void {
  for (const [position, id] of benefitIds.entries()) list.at(position).checkOnce('benefitId', id, list.path)
}

function isSameTime(one: Experiment, other: Experiment): boolean {
  const [first, second] = (one.from ?? 0) <= (other.from ?? 0) ? [one, other] : [other, one]
  return first.until === null || first.until > (second.from ?? 0)
}

function sharesBenefit(one: Experiment, other: Experiment): boolean {
  const ids = new Set(one.arms.flatMap(({ benefitIds }) => benefitIds ?? []))
  return other.arms.some(({ benefitIds }) => benefitIds?.some((id) => ids.has(id)))
}

interface GuardRead extends Omit<Guard, 'rule'> {
  readonly never?: 'discounted'
  readonly atMostPercentage?: Percentage
  readonly netAtLeast?: { readonly percentage: Percentage; readonly posDiscountPercentage?: Percentage }
}

export function guardFrom({ never, atMostPercentage, netAtLeast, ...read }: GuardRead, place: Place): Guard {
  const { percentage = 0, posDiscountPercentage: posDiscount = null } = netAtLeast ?? {}
  if (percentage + (posDiscount ?? 0) > percentageWhole)
    place.at('netAtLeast').fault('at most 100 as percentage and posDiscountPercentage together')
  const rules: GuardRule[] = [
    ...(never === undefined ? [] : [{ kind: 'never_discounted' } as const]),
    ...(atMostPercentage === undefined ? [] : [{ kind: 'at_most', percentage: atMostPercentage } as const]),
    ...(netAtLeast === undefined ? [] : [{ kind: 'net_at_least', percentage, posDiscount } as const]),
  ]
  if (rules.length !== 1) place.fault('one of never, atMostPercentage and netAtLeast')
  return { ...read, rule: rules[0] ?? { kind: 'never_discounted' } }
}
