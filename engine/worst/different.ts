import type { Benefit } from '../core/base/programme.js'
import type { Reason } from './finding.js'
import type { Measured } from './measures.js'

export interface Reasoned {
  readonly measured: Measured
  readonly reason: Reason
}

/** A finding is listed where its score is at least this part of the worst one's. */
const listedShare = 0.2

/**
 * Findings of one objective that tell different things, none of them minor.
 *
 * @param found    the worst first
 * @param listMax  the most to list
 */
export function differentOf(
  found: readonly Reasoned[],
  benefits: ReadonlyMap<string, Benefit>,
  listMax: number,
): readonly Reasoned[] {
  const different: Reasoned[] = []
  for (const each of found)
    if (!isSum(each.measured, benefits) && !different.some((worse) => isAlike(each, worse))) different.push(each)
  return different.slice(0, listMax).filter((each) => !isMinor(each, different))
}

function isSum({ objective, price }: Measured, benefits: ReadonlyMap<string, Benefit>): boolean {
  if (!objective.startsWith('largest_')) return false
  const giving = price.calculation.benefits.filter(({ dropped }) => dropped === null)
  const rewards = giving.map(({ benefitId }) => benefits.get(benefitId)!.reward.kind)
  if (giving.length < 2 || rewards.some((kind) => kind.startsWith('order_'))) return false
  const linesOf = ({ lines }: (typeof giving)[number]) =>
    lines.flatMap(({ line, amount }) => (amount > 0 ? [line] : []))
  return giving.some((report, at) => {
    if (benefits.get(report.benefitId)!.conditions !== null || rewards[at] === 'free_product') return false
    const others = new Set(giving.filter((other) => other !== report).flatMap(linesOf))
    return !linesOf(report).some((line) => others.has(line))
  })
}

function isAlike(each: Reasoned, worse: Reasoned): boolean {
  if (each.measured.guardId !== worse.measured.guardId) return false
  if (each.measured.trial.setting.venue.currency !== worse.measured.trial.setting.venue.currency) return false
  const hasAll = worse.measured.benefitIds.every((id) => each.measured.benefitIds.includes(id))
  if (each.reason === 'benefits_add_up' && hasAll) return true
  if (each.reason !== worse.reason) return false
  const [few, many] = [each.measured.benefitIds, worse.measured.benefitIds].sort((a, b) => a.length - b.length)
  return few!.filter((id) => many!.includes(id)).length * 2 >= few!.length
}

/** Far less bad than the worst of its objective in the same currency; a broken guard never is. */
function isMinor({ measured }: Reasoned, all: readonly Reasoned[]): boolean {
  const { currency } = measured.trial.setting.venue
  const worst = all.find((each) => each.measured.trial.setting.venue.currency === currency)!
  return measured.guardId === null && measured.score < worst.measured.score * listedShare
}
