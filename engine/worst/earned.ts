import type { VenueFacts } from '../core/base/basket.js'
import { dayOfMoment, periodName } from '../core/match/calendar.js'
import { givenFor } from '../value/earning.js'
import type { TrialPrice } from './trial.js'

const dayMs = 86_400_000
const minuteMs = 60_000
const daysLeast = 31

interface Lot {
  readonly currencyId: string
  readonly amount: number
  readonly opensAt: number
}

export class Earned {
  private readonly totals = new Map<string, bigint>()
  private readonly within = new Map<string, number>()
  private readonly lastAt = new Map<string, number>()
  private pending: readonly Lot[] = []

  constructor(private readonly venue: Pick<VenueFacts, 'timeZone' | 'dayStartsAt'>) {}

  sell({ calculation: { earning } }: TrialPrice): {
    readonly lots: readonly Lot[]
    readonly ruleIds: readonly string[]
  } {
    const lots: Lot[] = []
    const ruleIds: string[] = []
    for (const { rule, factor, returned } of earning?.counted ?? []) {
      const { ruleId, give, per, currencyId, maximum, cooldownMinutes, opensAfterDays, expires } = rule
      const at = earning!.at
      if (at - (this.lastAt.get(ruleId) ?? Number.NEGATIVE_INFINITY) < (cooldownMinutes ?? 0) * minuteMs) continue
      if (expires?.unit === 'days' && expires.after < daysLeast) continue
      const weighted = BigInt(returned) * BigInt(factor)
      const total = this.totals.get(ruleId) ?? 0n
      const giving = { give, per: per.kind, every: per.kind === 'visit' ? 1 : per.every }
      this.totals.set(ruleId, total + weighted)
      this.lastAt.set(ruleId, at)
      const amount = this.bounded(ruleId, maximum, { at, due: Number(givenFor(giving, total, weighted)) })
      if (amount <= 0) continue
      lots.push({ currencyId, amount, opensAt: at + opensAfterDays * dayMs })
      ruleIds.push(ruleId)
    }
    this.pending = [...this.pending, ...lots]
    return { lots, ruleIds }
  }

  private bounded(
    ruleId: string,
    maximum: {
      readonly amount: number
      readonly period: Parameters<typeof periodName>[0] | 'basket' | 'birthday'
    } | null,
    { at, due }: { readonly at: number; readonly due: number },
  ): number {
    if (maximum === null || maximum.period === 'basket') return Math.min(due, maximum?.amount ?? due)
    const period = maximum.period === 'birthday' ? 'year' : maximum.period
    const key = `${ruleId}\n${periodName(period, dayOfMoment(at, this.venue))}`
    const given = this.within.get(key) ?? 0
    const amount = Math.min(due, maximum.amount - given)
    this.within.set(key, given + amount)
    return amount
  }

  open(balances: Readonly<Record<string, number>>, at: number): Record<string, number> {
    const opened = { ...balances }
    for (const { currencyId, amount, opensAt } of this.pending)
      if (opensAt <= at) opened[currencyId] = (opened[currencyId] ?? 0) + amount
    this.pending = this.pending.filter(({ opensAt }) => opensAt > at)
    return opened
  }
}
