import type { RuleCount } from './earning-builders.js'

/** One counted sale of a rule. */
interface CountedSale {
  readonly atMs: number
  readonly day: string
  readonly given: bigint
}

interface RuleTotal {
  total: bigint
  readonly sales: CountedSale[]
}

const minuteMs = 60_000
const dayMs = 86_400_000

/**
 * What sales give one member, worked out anew from the contract (4-member-value, section 2), sale by sale, without any of
 * the ledger's own code.
 */
export class EarningModel {
  private readonly rules = new Map<string, RuleTotal>()
  private readonly held = new Map<string, bigint>()

  /** @param count  of each rule in the basket that was charged; 0: its conditions did not hold */
  sell(
    rules: readonly (Required<Pick<RuleCount, 'ruleId' | 'currencyId'>> & RuleCount & { count: number })[],
    at: string,
  ): void {
    const atMs = Date.parse(at)
    const day = at.slice(0, 10)
    for (const rule of rules) {
      if (rule.count === 0) continue
      const known = this.rules.get(rule.ruleId) ?? { total: 0n, sales: [] }
      const cooldownMs = (rule.cooldownMinutes ?? 0) * minuteMs
      if (known.sales.some((sale) => Math.abs(sale.atMs - atMs) < cooldownMs)) continue
      const before = known.total
      known.total += BigInt(rule.count) * BigInt(rule.factor ?? 10_000)
      const given = this.capped(rule, known, { day, wanted: wantedBy(rule, before, known.total) })
      known.sales.push({ atMs, day, given })
      this.rules.set(rule.ruleId, known)
      this.held.set(rule.currencyId, (this.held.get(rule.currencyId) ?? 0n) + given)
    }
  }

  holdings(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.held].map(([currencyId, amount]) => [currencyId, Number(amount)]))
  }

  totals(): Readonly<Record<string, readonly [string, number]>> {
    return Object.fromEntries(
      [...this.rules].map(([ruleId, { total, sales }]) => [
        ruleId,
        [String(total), sales.reduce((sum, { given }) => sum + Number(given), 0)],
      ]),
    )
  }

  private capped(
    { maximum }: RuleCount,
    { sales }: RuleTotal,
    { day, wanted }: { readonly day: string; readonly wanted: bigint },
  ): bigint {
    if (maximum === undefined) return wanted
    const same = sales.filter(
      (sale) => maximum.period !== 'basket' && periodOf(maximum.period, sale.day) === periodOf(maximum.period, day),
    )
    const left = BigInt(maximum.amount) - same.reduce((sum, { given }) => sum + given, 0n)
    return wanted < left ? wanted : left > 0n ? left : 0n
  }
}

function wantedBy({ per = 'units', give = 1, every = 1 }: RuleCount, before: bigint, after: bigint): bigint {
  if (per === 'visit') return (BigInt(give) * (after - before)) / 10_000n
  const step = BigInt(every) * 10_000n
  return BigInt(give) * (after / step - before / step)
}

/** A name that days of one period share. */
function periodOf(period: string, day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`)
  switch (period) {
    case 'day':
      return day
    case 'week':
      // 5 January 1970 was a Monday.
      return String(Math.floor((ms - 4 * dayMs) / (7 * dayMs)))
    case 'month':
      return day.slice(0, 7)
    default:
      return ''
  }
}
