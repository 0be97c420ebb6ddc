import type { Audience, Benefit, DaysAround, Reward, Selector } from '../core/base/programme.js'
import type { ListedBenefit } from './read-benefit.js'
import { orderKinds } from './read-benefit.js'
import type { Warning } from './warning.js'

/** Benefits that one benefit is compared with at most, the strongest: bounds the cost of many similar benefits. */
const rivalsMax = 100

interface Rated {
  readonly benefit: Benefit
  readonly path: string
  readonly strength: number
  readonly lines: string
}

/** Benefits that another one beats in every basket, and pairs that only the benefitId decides. */
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

function kindOf({ benefit: { reward, existingDiscounts, combination }, lines }: Rated): string {
  const per = 'per' in reward ? reward.per : ''
  return JSON.stringify([reward.kind, per, lines, existingDiscounts, combination])
}

const everyLine = ''

function isEvery(select: Selector): boolean {
  const { children: _, ...narrowing } = select
  return Object.keys(narrowing).length === 0
}

const linesCache = new WeakMap<Selector, string>()
const setsCache = new WeakMap<readonly string[], ReadonlySet<string>>()

function linesOf(select: Selector | undefined): string {
  if (select === undefined || isEvery(select)) return everyLine
  let lines = linesCache.get(select)
  if (lines === undefined) {
    lines = JSON.stringify(select, (_, value) => (Array.isArray(value) ? [...value].sort() : value))
    linesCache.set(select, lines)
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
  if (other.costs !== null || isHeldByGroup(other, benefit)) return null
  if (!isOpenWhenever(other, benefit)) return null
  const isAlike =
    rival.strength === rated.strength &&
    rival.lines === rated.lines &&
    !isCapped(benefit.reward) &&
    benefit.limits.length === 0 &&
    benefit.costs === null
  if (isAlike && other.priority === benefit.priority) return tie(rated, other)
  if (rival.strength > rated.strength && benefit.priority > other.priority) return withoutEffect(rated, other)
  if (!isBeforeInTies(other, benefit, later)) return null
  return {
    path: rated.path,
    word: 'always_beaten',
    message: `${benefit.benefitId} is always beaten: ${other.benefitId} gives at least as much wherever it applies${exception(benefit)}`,
  }
}

/** A priority decides only between outcomes of equal value. */
function withoutEffect({ benefit, path }: Rated, other: Benefit): Warning {
  const message = `${benefit.benefitId} has the higher priority, but ${other.benefitId} gives more wherever it applies: a priority decides only ties`
  return { path: `${path}.priority`, word: 'priority_without_effect', message }
}

/** Percentages round once per benefit and line, so that two benefits on units of one line can both round up. */
function exception({ reward }: Benefit): string {
  return reward.kind === 'line_percentage' ? ', but for a minor unit of rounding on a line that both could share' : ''
}

function tie({ benefit, path }: Rated, other: Benefit): Warning | null {
  if (isSmaller(benefit.benefitId, other.benefitId) && isOpenWhenever(benefit, other)) return null
  const message = `${benefit.benefitId} and ${other.benefitId} give the same with the same priority: the benefitId decides`
  return { path, word: 'tie_by_benefit_id', message }
}

function isHeldByGroup({ group }: Benefit, benefit: Benefit): boolean {
  return group !== null && group !== benefit.group
}

function isCapped(reward: Reward): boolean {
  const isSet = (field: 'maximumAmount' | 'maximumUnits') =>
    field in reward && reward[field as keyof Reward] !== undefined
  return isSet('maximumAmount') || isSet('maximumUnits')
}

/**
 * True: replacing `benefit` by `other` in an outcome of the same value never loses the tie (benefits 4): the list of
 * benefitIds gets smaller, and the sum of priorities does not fall, even if the outcome already has `other` or `other`
 * leaves nothing for later benefits.
 */
function isBeforeInTies(other: Benefit, benefit: Benefit, later: number): boolean {
  const besides = benefit.combination === 'exclusive' ? 0 : later - laterPriority(other) - laterPriority(benefit)
  const most = benefit.priority + besides
  if (most > 0 || most > other.priority) return false
  return other.priority > benefit.priority || isSmaller(other.benefitId, benefit.benefitId)
}

/** The priority that a benefit adds to the sum when it applies to the rest that others left. */
function laterPriority({ reward, combination, priority }: Benefit): number {
  return combination === 'stackable' || orderKinds.includes(reward.kind) ? Math.max(0, priority) : 0
}

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

function isWithin(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  if (outer === null || inner === null) return outer === null
  const all = setsCache.get(outer) ?? new Set(outer)
  setsCache.set(outer, all)
  return inner.every((id) => all.has(id))
}

function isSameOrOpen(other: unknown, own: unknown): boolean {
  return other === null || JSON.stringify(other) === JSON.stringify(own)
}

function isForAllOf(other: Benefit['audience'], own: Benefit['audience']): boolean {
  const areListed = (['tiers', 'segments', 'memberIds'] as const).every((list) =>
    isWithin(own?.[list] ?? null, other?.[list] ?? null),
  )
  return areListed && isForVisitsOf(other?.visits, own?.visits) && isForDatesOf(other, own)
}

function isForVisitsOf(other: Audience['visits'], own: Audience['visits']): boolean {
  if (other === undefined) return true
  const { from = 0, to = Number.POSITIVE_INFINITY } = own ?? {}
  return own !== undefined && from >= (other.from ?? 0) && to <= (other.to ?? Number.POSITIVE_INFINITY)
}

function isForDatesOf(other: Benefit['audience'], own: Benefit['audience']): boolean {
  const { birthday, joinedWithinDays = Number.POSITIVE_INFINITY } = other ?? {}
  if ((own?.joinedWithinDays ?? Number.POSITIVE_INFINITY) > joinedWithinDays) return false
  const areSame = (['lastVisit', 'balances'] as const).every((term) => isSameOrOpen(other?.[term] ?? null, own?.[term]))
  return areSame && isAroundOf(birthday, own?.birthday) && isAroundOf(other?.anniversary, own?.anniversary)
}

function isAroundOf(other: DaysAround | undefined, own: DaysAround | undefined): boolean {
  if (other === undefined || own === undefined) return other === undefined
  return own.daysBefore <= other.daysBefore && own.daysAfter <= other.daysAfter
}

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
    requires.every(({ select, quantity, measure = false }) =>
      own?.requires?.some(
        (units) =>
          linesOf(units.select) === linesOf(select) &&
          (units.measure ?? false) === measure &&
          units.quantity >= quantity,
      ),
    )
  )
}

function isSmaller(left: string, right: string): boolean {
  const a = Array.from(left, (char) => char.codePointAt(0)!)
  const b = Array.from(right, (char) => char.codePointAt(0)!)
  const at = a.findIndex((point, index) => point !== b[index])
  return at < 0 ? a.length < b.length : b[at] !== undefined && a[at]! < b[at]
}
