import { type Percentage, percentageWhole } from '../core/base/money.js'
import type { Experiment, ExperimentArm } from '../core/base/programme.js'
import type { Place } from './place.js'
import {
  Once,
  openFields,
  readId,
  readList,
  readMoment,
  readOptional,
  readOptionalList,
  readPercentage,
  readText,
  readWord,
} from './read-values.js'
import { readOwn } from './read-venue.js'

/** Each costs a basket a keyed hash. */
const experimentsMax = 20
const armsMax = 10
const globalHoldoutMax = 50_000

const globalId = 'global-holdout-'
export const holdoutArm = 'holdout'

const experimentFields = [
  'experimentId',
  'name',
  'benefitIds',
  'holdout',
  'arms',
  'from',
  'until',
  'metric',
  'by',
] as const
const armFields = ['armId', 'percentage', 'benefitIds'] as const

/**
 * Reads the experiments of a programme, its global holdout last.
 *
 * @param known  ids of its benefits, also of those that are not enabled; null: published, so they were checked
 */
export function readExperiments(list: Place, holdout: Place, known: ReadonlySet<string> | null): readonly Experiment[] {
  const ids = new Once('experimentId')
  const read = readOptionalList(list, (entry) => readExperiment(entry, ids, known))
  if (read.length > experimentsMax) list.fault(`at most ${experimentsMax} experiments`)
  for (const [position, one] of read.entries()) {
    const other = read.slice(0, position).find((each) => isSameTime(one, each) && sharesBenefit(one, each))
    if (other !== undefined) {
      list.below(position, one.experimentId).fault(`benefits that ${other.experimentId} does not have at the same time`)
    }
  }
  const percentage = readOptional(holdout, readPercentage)
  if (percentage === null) return read
  if (percentage > globalHoldoutMax) holdout.fault('at most 5, in per cent of the members')
  return [...read, globalHoldout(percentage)]
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

function readExperiment(place: Place, ids: Once, known: ReadonlySet<string> | null): Experiment {
  const at = openFields(place, experimentFields)
  const experimentId = readOwn(at('experimentId'), ids)
  if (experimentId.startsWith(globalId)) at('experimentId').fault(`an id that does not begin with ${globalId}`)
  const from = readMoment(at('from'))
  const until = readOptional(at('until'), readMoment)
  if (from !== null && until !== null && from >= until) at('until').fault('a moment after from')
  readOptional(at('by'), (word) => readWord(word, ['member']))
  return {
    experimentId,
    name: readText(at('name')),
    from,
    until,
    metric: readWord(at('metric'), ['net', 'visits']),
    arms: at('arms').absent ? readHoldout(at, known) : readArms(at, known),
  }
}

type At = (field: (typeof experimentFields)[number]) => Place

function readHoldout(at: At, known: ReadonlySet<string> | null): readonly ExperimentArm[] {
  const benefitIds = readBenefitIds(at('benefitIds'), known, readList)
  const percentage = readPercentage(at('holdout'))
  if (percentage === percentageWhole) at('holdout').fault('a percentage below 100')
  return [
    { armId: holdoutArm, percentage, benefitIds: [] },
    { armId: 'open', percentage: percentageWhole - percentage, benefitIds },
  ]
}

function readArms(at: At, known: ReadonlySet<string> | null): readonly ExperimentArm[] {
  for (const field of ['benefitIds', 'holdout'] as const) if (!at(field).absent) at(field).fault('none beside arms')
  const armIds = new Once('armId')
  const arms = readList(at('arms'), (entry): ExperimentArm => {
    const own = openFields(entry, armFields)
    return {
      armId: readOwn(own('armId'), armIds),
      percentage: readPercentage(own('percentage')),
      benefitIds: readBenefitIds(own('benefitIds'), known, readOptionalList),
    }
  })
  if (arms.length < 2 || arms.length > armsMax) at('arms').fault(`2 to ${armsMax} arms`)
  if (arms.reduce((sum, { percentage }) => sum + percentage, 0) !== percentageWhole)
    at('arms').fault('arms whose percentages sum to 100')
  if (arms.every(({ benefitIds }) => benefitIds?.length === 0)) at('arms').fault('an arm with benefits')
  return arms
}

function readBenefitIds(
  place: Place,
  known: ReadonlySet<string> | null,
  readIds: (place: Place, readEntry: (entry: Place) => string) => string[],
): readonly string[] {
  const once = new Once('benefitId')
  return readIds(place, (entry) => {
    const id = readId(entry)
    once.add(entry, id)
    if (id !== '' && known !== null && !known.has(id)) entry.fault('the benefitId of a benefit of this document')
    return id
  })
}

function isSameTime(one: Experiment, other: Experiment): boolean {
  const [first, second] = (one.from ?? 0) <= (other.from ?? 0) ? [one, other] : [other, one]
  return first.until === null || first.until > (second.from ?? 0)
}

function sharesBenefit(one: Experiment, other: Experiment): boolean {
  const ids = new Set(one.arms.flatMap(({ benefitIds }) => benefitIds ?? []))
  return other.arms.some(({ benefitIds }) => benefitIds?.some((id) => ids.has(id)))
}
