import type { Benefit, Reward } from '../core/programme.js'
import type { Warning } from './warnings.js'

/** Benefits of one kind that a benefit is compared with at most, the best ones: so that many alike stay cheap. */
const rivalsMax = 100

interface Rated {
  readonly benefit: Benefit
  readonly path: string
  /** Of two with the same `kindOf`, the one with more takes at least as much off whatever both are applied to. */
  readonly strength: number
}

/**
 * Benefits that another one beats in every basket, and pairs between which only the benefitId decides. Compared are rewards
 * whose one number says which gives more, on the same lines, open whenever the other is.
 */
export function benefitsBeaten(benefits: readonly Benefit[]): Warning[] {
  const rivals = groupedByKind(benefits)
  return benefits.flatMap((benefit, position): Warning[] => {
    const rated = rate(benefit, position)
    if (rated === null) return []
    for (const rival of rivals.get(kindOf(benefit))?.slice(0, rivalsMax) ?? []) {
      const warning = rival.benefit === benefit ? null : compare(rated, rival)
      if (warning !== null) return [warning]
    }
    return []
  })
}

/** Benefits that can be compared, by what must be the same for it, the strongest first. */
function groupedByKind(benefits: readonly Benefit[]): ReadonlyMap<string, readonly Rated[]> {
  const groups = new Map<string, Rated[]>()
  for (const [position, benefit] of benefits.entries()) {
    const rated = rate(benefit, position)
    if (rated === null) continue
    const kind = kindOf(benefit)
    const group = groups.get(kind)
    if (group === undefined) groups.set(kind, [rated])
    else group.push(rated)
  }
  for (const group of groups.values()) group.sort((left, right) => right.strength - left.strength)
  return groups
}

function rate(benefit: Benefit, position: number): Rated | null {
  const strength = strengthOf(benefit.reward)
  if (strength === null || benefit.combination === 'stackable') return null
  return { benefit, path: `benefits[${position}]`, strength }
}

/** What a benefit has in common with those it is compared with. */
function kindOf({ reward, existingDiscounts, combination }: Benefit): string {
  const per = 'per' in reward ? reward.per : ''
  const select = 'select' in reward ? reward.select : null
  return JSON.stringify([reward.kind, per, select ?? null, existingDiscounts, combination])
}

function strengthOf(reward: Reward): number | null {
  switch (reward.kind) {
    case 'line_percentage':
    case 'order_percentage':
      return reward.percentage
    case 'line_amount':
    case 'order_amount':
      return reward.amount
    case 'member_price':
    case 'price_override':
      return -reward.unitPrice
    default:
      return null
  }
}

function compare(rated: Rated, rival: Rated): Warning | null {
  const { benefit } = rated
  const other = rival.benefit
  if (rival.strength < rated.strength || other.limits.length > 0 || isCapped(other.reward)) return null
  if (!isOpenWhenever(other, benefit)) return null
  const isAlike = rival.strength === rated.strength && !isCapped(benefit.reward) && benefit.limits.length === 0
  if (isAlike && other.priority === benefit.priority) return tie(rated, other)
  if (!isBeforeInTies(other, benefit)) return null
  return {
    path: rated.path,
    word: 'always_beaten',
    message: `${benefit.benefitId} is always beaten: ${other.benefitId} gives at least as much wherever it applies${exception(benefit)}`,
  }
}

/** Percentages round once for each benefit on a line, so that two on the units of one line can round up twice. */
function exception({ reward }: Benefit): string {
  return reward.kind === 'line_percentage' ? ', but for a minor unit of rounding on a line that both could share' : ''
}

/** Two alike are named once: where both are open at the same times, at the one that loses. */
function tie({ benefit, path }: Rated, other: Benefit): Warning | null {
  if (isSmaller(benefit.benefitId, other.benefitId) && isOpenWhenever(benefit, other)) return null
  const message = `${benefit.benefitId} and ${other.benefitId} give the same with the same priority: the benefitId decides`
  return { path, word: 'tie_by_benefit_id', message }
}

function isCapped(reward: Reward): boolean {
  return 'maximumAmount' in reward && reward.maximumAmount !== undefined
}

/**
 * Whether replacing `benefit` by `other` in an outcome of the same value never loses the tie (benefits 4): the sum of
 * priorities does not fall, also where `other` is in the outcome already, and the list of benefitIds gets smaller.
 */
function isBeforeInTies(other: Benefit, benefit: Benefit): boolean {
  if (benefit.priority > 0 || other.priority < benefit.priority) return false
  return other.priority > benefit.priority || isSmaller(other.benefitId, benefit.benefitId)
}

/** Whether `other` is open in every basket in which `benefit` is. */
function isOpenWhenever(other: Benefit, benefit: Benefit): boolean {
  return (
    (other.validFrom ?? Number.NEGATIVE_INFINITY) <= (benefit.validFrom ?? Number.NEGATIVE_INFINITY) &&
    (other.validUntil ?? Number.POSITIVE_INFINITY) >= (benefit.validUntil ?? Number.POSITIVE_INFINITY) &&
    isWithin(benefit.venueIds, other.venueIds) &&
    isWithin(benefit.channels, other.channels) &&
    isSameOrOpen(other.schedule, benefit.schedule) &&
    isSameOrOpen(other.audience, benefit.audience) &&
    isSameOrOpen(other.conditions, benefit.conditions)
  )
}

/** Whether all of `inner` is in `outer`; null is everything. */
function isWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  return outer === null || (inner?.every((id) => outer.includes(id)) ?? false)
}

function isSameOrOpen(other: unknown, own: unknown): boolean {
  return other === null || JSON.stringify(other) === JSON.stringify(own)
}

/** Order of benefitIds: by code points. */
function isSmaller(left: string, right: string): boolean {
  const a = Array.from(left, (char) => char.codePointAt(0)!)
  const b = Array.from(right, (char) => char.codePointAt(0)!)
  const at = a.findIndex((point, index) => point !== b[index])
  return at < 0 ? a.length < b.length : b[at] !== undefined && a[at]! < b[at]
}
