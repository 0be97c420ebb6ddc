import type { Benefit, Reward, Selector } from '../core/programme.js'
import { hasLists } from './matching.js'
import type { ListedBenefit } from './read-benefit.js'
import { orderKinds } from './read-reward.js'
import type { Warning } from './warning.js'

/** Benefits of one kind that a benefit is compared with at most, the best ones: so that many alike stay cheap. */
const rivalsMax = 100

interface Rated {
  readonly benefit: Benefit
  readonly path: string
  /** Of two with the same `kindOf`, the one with more takes at least as much off whatever both are applied to. */
  readonly strength: number
  /** The lines that its reward looks at, in one way of writing; the same for the same lists. */
  readonly lines: string
}

/**
 * Benefits that another one beats in every basket, and pairs between which only the benefitId decides. Compared are rewards
 * whose one number says which gives more, on the same lines or with one on every line, open whenever the other is.
 */
export function benefitsBeaten(benefits: readonly ListedBenefit[]): Warning[] {
  const rivals = groupedByKind(benefits)
  const later = benefits.reduce((sum, { benefit }) => sum + laterPriority(benefit), 0)
  return benefits.flatMap((listed): Warning[] => {
    const rated = rate(listed)
    if (rated === null) return []
    for (const rival of rivalsOf(rated, rivals)) {
      const warning = rival.benefit === listed.benefit ? null : compare(rated, rival, later)
      if (warning !== null) return [warning]
    }
    return []
  })
}

function rivalsOf(rated: Rated, rivals: ReadonlyMap<string, readonly Rated[]>): readonly Rated[] {
  const kinds = new Set([kindOf(rated), kindOf({ ...rated, lines: everyLine })])
  return [...kinds].flatMap((kind) => rivals.get(kind)?.slice(0, rivalsMax) ?? [])
}

/** Benefits that can be compared, by what must be the same for it, the strongest first. */
function groupedByKind(benefits: readonly ListedBenefit[]): ReadonlyMap<string, readonly Rated[]> {
  const groups = new Map<string, Rated[]>()
  for (const listed of benefits) {
    const rated = rate(listed)
    if (rated === null) continue
    const kind = kindOf(rated)
    const group = groups.get(kind)
    if (group === undefined) groups.set(kind, [rated])
    else group.push(rated)
  }
  for (const group of groups.values()) group.sort((left, right) => right.strength - left.strength)
  return groups
}

function rate({ benefit, path }: ListedBenefit): Rated | null {
  const { reward } = benefit
  const strength = strengthOf(reward)
  if (strength === null || benefit.combination === 'stackable') return null
  const lines = 'select' in reward ? linesOf(reward.select) : everyLine
  return { benefit, path, strength, lines }
}

/** What a benefit has in common with those it is compared with. */
function kindOf({ benefit: { reward, existingDiscounts, combination }, lines }: Rated): string {
  const per = 'per' in reward ? reward.per : ''
  return JSON.stringify([reward.kind, per, lines, existingDiscounts, combination])
}

const everyLine = ''

/** Lists are compared many times, and may be long: each is sorted, and made a set, once. */
const linesKnown = new WeakMap<Selector, string>()
const setsKnown = new WeakMap<readonly string[], ReadonlySet<string>>()

function linesOf(select: Selector | undefined): string {
  if (select === undefined || (select.not === undefined && !hasLists(select))) return everyLine
  let lines = linesKnown.get(select)
  if (lines === undefined) {
    lines = JSON.stringify(select, (_, value) => (Array.isArray(value) ? [...value].sort() : value))
    linesKnown.set(select, lines)
  }
  return lines
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

/** @param later  sum of the `laterPriority` of all benefits */
function compare(rated: Rated, rival: Rated, later: number): Warning | null {
  const { benefit } = rated
  const other = rival.benefit
  if (rival.strength < rated.strength || other.limits.length > 0 || isCapped(other.reward)) return null
  if (!isOpenWhenever(other, benefit)) return null
  const isAlike =
    rival.strength === rated.strength &&
    rival.lines === rated.lines &&
    !isCapped(benefit.reward) &&
    benefit.limits.length === 0
  if (isAlike && other.priority === benefit.priority) return tie(rated, other)
  if (!isBeforeInTies(other, benefit, later)) return null
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
 * priorities does not fall, also where `other` is in the outcome already, or takes so much that nothing is left for those
 * that come later, and the list of benefitIds gets smaller.
 */
function isBeforeInTies(other: Benefit, benefit: Benefit, later: number): boolean {
  const besides = benefit.combination === 'exclusive' ? 0 : later - laterPriority(other) - laterPriority(benefit)
  const most = benefit.priority + besides
  if (most > 0 || most > other.priority) return false
  return other.priority > benefit.priority || isSmaller(other.benefitId, benefit.benefitId)
}

/** What a benefit that applies to what others have left adds to the sum of priorities. */
function laterPriority({ reward, combination, priority }: Benefit): number {
  return combination === 'stackable' || orderKinds.includes(reward.kind) ? Math.max(0, priority) : 0
}

/** Whether `other` is open in every basket in which `benefit` is. */
function isOpenWhenever(other: Benefit, benefit: Benefit): boolean {
  return (
    (other.validFrom ?? Number.NEGATIVE_INFINITY) <= (benefit.validFrom ?? Number.NEGATIVE_INFINITY) &&
    (other.validUntil ?? Number.POSITIVE_INFINITY) >= (benefit.validUntil ?? Number.POSITIVE_INFINITY) &&
    isWithin(benefit.venueIds, other.venueIds) &&
    isWithin(benefit.channels, other.channels) &&
    isSameOrOpen(other.schedule, benefit.schedule) &&
    isForAllOf(other.audience, benefit.audience) &&
    isMetWhenever(other.conditions, benefit.conditions)
  )
}

/** Whether all of `inner` is in `outer`; null is everything. */
function isWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null || inner === null) return outer === null
  const all = setsKnown.get(outer) ?? new Set(outer)
  setsKnown.set(outer, all)
  return inner.every((id) => all.has(id))
}

function isSameOrOpen(other: unknown, own: unknown): boolean {
  return other === null || JSON.stringify(other) === JSON.stringify(own)
}

/** Whether whoever is in the audience `own` is in `other`. */
function isForAllOf(other: Benefit['audience'], own: Benefit['audience']): boolean {
  return (['tiers', 'segments', 'memberIds'] as const).every((list) =>
    isWithin(own?.[list] ?? null, other?.[list] ?? null),
  )
}

/** Whether a basket that meets the conditions `own` meets `other`. */
function isMetWhenever(other: Benefit['conditions'], own: Benefit['conditions']): boolean {
  const { minimumSpend, requires = [] } = other ?? {}
  const spent = own?.minimumSpend
  const isSpent =
    minimumSpend === undefined ||
    minimumSpend.amount === 0 ||
    (spent !== undefined &&
      linesOf(spent.select) === linesOf(minimumSpend.select) &&
      spent.amount >= minimumSpend.amount)
  return (
    isSpent &&
    requires.every(({ select, quantity }) =>
      own?.requires?.some((units) => linesOf(units.select) === linesOf(select) && units.quantity >= quantity),
    )
  )
}

/** Order of benefitIds: by code points. */
function isSmaller(left: string, right: string): boolean {
  const a = Array.from(left, (char) => char.codePointAt(0)!)
  const b = Array.from(right, (char) => char.codePointAt(0)!)
  const at = a.findIndex((point, index) => point !== b[index])
  return at < 0 ? a.length < b.length : b[at] !== undefined && a[at]! < b[at]
}
