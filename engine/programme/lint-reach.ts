import type { Benefit, ScheduleWindow, Weekday } from '../core/base/programme.js'
import { channels } from '../wire/channels.js'
import { rewardSelections, selectsNothing } from './matching.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ListedRule, ProgrammeTier } from './read-earning.js'
import type { Warning } from './warning.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The largest offset of a time zone from UTC. */
const offsetMaxMs = 14 * hourMs
const weekdays: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

export function benefitsNeverApplied(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit, path }): Warning[] => {
    const why = whyNeverOpen(benefit) ?? whyNeverMet(benefit) ?? whyNeverGiven(benefit)
    return why === null ? [] : [{ path, word: 'never_applies', message: `never applies: ${why}` }]
  })
}

function whyNeverOpen(terms: Pick<Benefit, 'channels' | 'validFrom' | 'validUntil' | 'schedule'>): string | null {
  if (terms.channels?.every((channel) => !channels.includes(channel))) return 'there is no such channel'
  const { validFrom, validUntil, schedule } = terms
  if (schedule === null || validFrom === null || validUntil === null) return null
  return isScheduledWithin(schedule, validFrom, validUntil) ? null : 'its schedule has no day while it is valid'
}

/** True: a day of the schedule, in any time zone, overlaps the time from `from` to before `until`. */
function isScheduledWithin(schedule: readonly ScheduleWindow[], from: number, until: number): boolean {
  // A window past midnight belongs to the day before.
  const first = Math.floor((from - offsetMaxMs) / dayMs) - 1
  const last = Math.floor((until + offsetMaxMs) / dayMs)
  if (last - first >= weekdays.length - 1) return true
  const days = Array.from(
    { length: last - first + 1 },
    (_, day) => weekdays[new Date((first + day) * dayMs).getUTCDay()],
  )
  return schedule.some((window) => window.days.some((day) => days.includes(day)))
}

function whyNeverMet({ conditions }: Benefit): string | null {
  const { minimumSpend, requires } = conditions ?? {}
  if (minimumSpend !== undefined && minimumSpend.amount > 0 && selectsNothing(minimumSpend.select)) {
    return 'nothing counts for its minimumSpend'
  }
  return requires?.some((units) => selectsNothing(units.select)) ? 'nothing is what it requires' : null
}

function whyNeverGiven(benefit: Benefit): string | null {
  const { reward, limits, costs } = benefit
  const value = costs === null ? null : valueBought(benefit)
  if (value !== null && costs!.worth >= value) return 'what it costs is worth no less than it gives'

  if (rewardSelections(reward).some(selectsNothing)) return 'its reward selects nothing'
  const sized = reward.kind === 'bundle_discount' ? reward.off : reward
  if ('amount' in sized && sized.amount === 0) return 'its amount is 0'
  if ('maximumAmount' in reward && reward.maximumAmount === 0) return 'its maximumAmount is 0'
  if (reward.kind === 'buy_get') {
    const short = limits.find((limit) => limit.counts === 'units' && limit.maximum < reward.get.quantity)
    if (short !== undefined) return `limit ${short.limitId} leaves no room for one whole time`
  }
  return null
}

export function valueBought({ reward, costs }: Benefit): number | null {
  if (reward.kind === 'order_amount') return reward.amount * (costs?.per === 'times' ? 1 : (reward.maximumTimes ?? 1))
  if (reward.kind === 'bundle_discount')
    return costs?.per === 'times' && 'amount' in reward.off ? reward.off.amount : null
  return reward.kind === 'line_amount' && costs?.per === reward.per ? reward.amount : null
}

export function rulesNeverCounted(rules: readonly ListedRule[]): Warning[] {
  return rules.flatMap(({ rule, path }): Warning[] => {
    const why = whyNeverOpen(rule) ?? whyNeverCounted(rule)
    return why === null ? [] : [{ path, word: 'never_applies', message: `never counts anything: ${why}` }]
  })
}

function whyNeverCounted({ select, minimumSpend }: ListedRule['rule']): string | null {
  if (selectsNothing(select ?? undefined)) return 'it selects nothing'
  const isOutOfReach = minimumSpend !== null && minimumSpend.amount > 0 && selectsNothing(minimumSpend.select)
  return isOutOfReach ? 'nothing counts for its minimumSpend' : null
}

/** Tiers that no member reaches or keeps by this programme: nothing earns their currency, or a higher one is no harder to have. */
export function tiersNeverHad(tiers: readonly ProgrammeTier[], rules: readonly ListedRule[]): Warning[] {
  return tiers.flatMap((tier, place): Warning[] => {
    const why = whyNeverHad(tier, tiers, rules)
    return why === null ? [] : [{ path: `tiers[${place}]`, word: 'never_applies', message: `nobody gets it: ${why}` }]
  })
}

function whyNeverHad(
  tier: ProgrammeTier,
  tiers: readonly ProgrammeTier[],
  rules: readonly ListedRule[],
): string | null {
  if (!rules.some(({ rule }) => rule.currencyId === tier.currencyId)) return `no earning rule gives ${tier.currencyId}`
  const higher = tiers.find((other) => other.rank > tier.rank && isNoHarder(other, tier))
  return higher === undefined ? null : `${higher.tierId} ranks higher and asks for no more`
}

function isNoHarder(other: ProgrammeTier, tier: ProgrammeTier): boolean {
  return (
    other.currencyId === tier.currencyId &&
    other.amount <= tier.amount &&
    other.windowMonths >= tier.windowMonths &&
    other.keepMonths >= tier.keepMonths
  )
}
