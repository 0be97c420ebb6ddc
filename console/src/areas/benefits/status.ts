import { useInfiniteQuery } from '@connectrpc/connect-query'
import { useEffect, useMemo } from 'react'
import { LimitScope } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type LimitCounter, LimitOwner, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { nowMs } from '../../api/clock.js'
import type { BenefitPart, LimitPart } from '../../api/programme.js'
import { pages } from '../../api/use-pages.js'
import { isHeld, leftOf } from '../limits/units.js'

/** A benefit now. `gone`: the programme in force has no such benefit. */
export type Status = 'running' | 'endsSoon' | 'spent' | 'notStarted' | 'ended' | 'paused' | 'gone'

const soonMs = 7 * 86_400_000

export function statusOf(benefit: BenefitPart | undefined, budget: Budget | null): Status {
  if (benefit === undefined) return 'gone'
  const { enabled, validFrom, validUntil } = benefit
  const untilMs = validUntil ? Date.parse(validUntil) - nowMs() : Number.POSITIVE_INFINITY
  if (enabled === false) return 'paused'
  if (untilMs <= 0) return 'ended'
  if (validFrom && Date.parse(validFrom) > nowMs()) return 'notStarted'
  if (budget !== null && budget.left === 0n && !budget.isHeld) return 'spent'
  return untilMs <= soonMs ? 'endsSoon' : 'running'
}

/** A limit that everyone shares, with the units left in its present period. */
export interface Budget extends Pick<LimitPart, 'limitId' | 'counts' | 'maximum'> {
  readonly left: bigint
  /** Open baskets hold the rest: it may come back. */
  readonly isHeld: boolean
}

/** Counters that everyone or a venue shares, in their present periods, by limit. */
export type Counters = ReadonlyMap<string, readonly LimitCounter[]>

const pageSize = 500

/** null: they load. */
export function useCounters(): Counters | null {
  const query = useInfiniteQuery(
    LimitService.method.listLimits,
    { pageSize, pageToken: '', owner: LimitOwner.SHARED, current: true },
    pages,
  )
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return useMemo(() => {
    if (data === undefined || hasNextPage) return null
    const counters = data.pages.flatMap((page) => page.counters)
    // Counters of everyone whose period is over have no end.
    const current = counters.filter(({ period, periodEndsAt }) => period === '' || periodEndsAt !== undefined)
    return Map.groupBy(current, ({ limitId }) => limitId)
  }, [data, hasNextPage])
}

/** The limit of everyone with the smallest share left; null: there is none. */
export function budgetOf({ limits }: Pick<BenefitPart, 'limits'>, counters: Counters): Budget | null {
  const budgets = (limits ?? [])
    .filter(({ scope }) => scope === 'everyone')
    .map(({ limitId, counts, maximum }): Budget => {
      const counter = counters.get(limitId)?.find(({ scope }) => scope === LimitScope.EVERYONE)
      const left = counter === undefined ? BigInt(maximum) : leftOf(counter)
      return { limitId, counts, maximum, left, isHeld: counter !== undefined && isHeld(counter) }
    })
  const shareOf = ({ left, maximum }: Budget) => (maximum === 0 ? 0 : Number(left) / maximum)
  return budgets.toSorted((one, other) => shareOf(one) - shareOf(other))[0] ?? null
}
