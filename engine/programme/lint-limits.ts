import type { Limit, Reward } from '../core/base/programme.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

const scopesAround = {
  everyone: ['everyone'],
  member: ['member', 'everyone'],
  venue: ['venue', 'everyone'],
} as const

/** The periods that contain each period, itself included. Weeks overlap months and years, birthdays all: neither contains the other. */
const periodsAround = {
  ever: ['ever'],
  birthday: ['birthday', 'ever'],
  year: ['year', 'ever'],
  month: ['month', 'year', 'ever'],
  week: ['week', 'ever'],
  day: ['day', 'week', 'month', 'year', 'ever'],
} as const

/** Another limit of the same benefit is exhausted first (benefits 5: all must have room). */
export function limitsNeverReached(benefits: readonly ListedBenefit[]): Warning[] {
  return benefits.flatMap(({ benefit, path }) =>
    benefit.limits.flatMap((limit, at): Warning[] => {
      const tighter = benefit.limits.find((other) => other !== limit && keepsBelow(benefit.reward, other, limit))
      if (tighter === undefined) return []
      return [
        {
          path: `${path}.limits[${at}]`,
          word: 'limit_never_reached',
          message: `limit ${limit.limitId} is never reached: ${tighter.limitId} is exhausted before`,
        },
      ]
    }),
  )
}

/** True: `other` is always exhausted before `limit` reaches its maximum. */
function keepsBelow(reward: Reward, other: Limit, limit: Limit): boolean {
  const scopes: readonly string[] = scopesAround[limit.scope]
  const periods: readonly string[] = periodsAround[limit.period]
  if (!scopes.includes(other.scope) || !periods.includes(other.period)) return false
  return other.maximum * countedPerUse(reward, other, limit) < limit.maximum
}

/** The most that `limit` counts where `other` counts one; a basket uses at least one unit or minor unit. */
function countedPerUse(reward: Reward, other: Limit, limit: Limit): number {
  if (other.counts === limit.counts || limit.counts === 'baskets') return 1
  return limit.counts === 'units' ? unitsPerBasketMax(reward) : amountMax(reward, other.counts)
}

function amountMax(reward: Reward, per: Limit['counts']): number {
  if (reward.kind === 'order_amount') return reward.amount * (reward.maximumTimes ?? 1)
  if (reward.kind === 'line_amount' && per === 'units') return reward.amount
  if (reward.kind === 'line_amount') return reward.amount * unitsPerBasketMax(reward)
  return ('maximumAmount' in reward ? reward.maximumAmount : undefined) ?? Number.POSITIVE_INFINITY
}

function unitsPerBasketMax(reward: Reward): number {
  switch (reward.kind) {
    case 'free_product':
      return reward.per === undefined ? reward.quantity : Number.POSITIVE_INFINITY
    case 'bundle_price':
    case 'bundle_discount':
      return reward.maximumTimes ?? Number.POSITIVE_INFINITY
    case 'buy_get':
      return (reward.maximumTimes ?? Number.POSITIVE_INFINITY) * reward.get.quantity
    default:
      return ('maximumUnits' in reward ? reward.maximumUnits : undefined) ?? Number.POSITIVE_INFINITY
  }
}
