import { type Expiry, factorOne } from '../core/base/earning.js'

export interface Giving {
  readonly give: number
  readonly per: 'amount' | 'units' | 'visit'
  readonly every?: number | null
}

export interface StoredCount extends Giving {
  readonly ruleId: string
  readonly currencyId: string
  readonly factor: number
  readonly sent: number
  readonly returned: number
  readonly all?: number
  readonly cooldownMinutes?: number
  readonly maximum?: { readonly amount: number; readonly period: string }
  readonly opensAfterDays?: number
  readonly expires?: Expiry
}

interface Moment {
  readonly at: number
  readonly day: string
  readonly timeZone: string
}

export interface EarningBasis {
  readonly earning: Moment & { readonly rules: readonly StoredCount[] }
  readonly of: string
  readonly asReturned: boolean
  readonly paid: number | null
  readonly net: number | null
  readonly counted: readonly string[]
  /** By ruleId; null: there are no rules. */
  readonly rules: Readonly<Record<string, RuleHistory>> | null
}

interface RuleHistory {
  readonly total: string
  /** Another one after each change of the total: a sale that the rule counts, or a return; null: there is no total. */
  readonly version: string | null
  readonly givenWithin: number | null
  readonly about: string | null
  readonly near: readonly (number | null)[] | null
}

export interface EarningPlan extends Moment {
  readonly of: string
  readonly currencies: readonly string[]
  readonly rules: readonly PlannedEarning[]
}

interface PlannedEarning {
  readonly ruleId: string
  readonly currencyId: string
  readonly counted: number
  readonly returned: number
  readonly factor: number
  readonly weighted: string
  readonly before: string
  readonly version: string | null
  readonly amount: string
  readonly about: string | null
  readonly isLimited: boolean
  readonly opensAfterDays: number
  readonly expires: Expiry | null
}

const minuteMs = 60_000

export function planEarning(basis: EarningBasis): EarningPlan {
  const { at, day, timeZone } = basis.earning
  const rules = basis.earning.rules.flatMap((rule) => planRule(rule, basis))
  return { of: basis.of, at, day, timeZone, currencies: [...new Set(rules.map((rule) => rule.currencyId))], rules }
}

function planRule(rule: StoredCount, basis: EarningBasis): readonly PlannedEarning[] {
  const { ruleId, currencyId, factor, all, cooldownMinutes, maximum, opensAfterDays = 0, expires = null } = rule
  const kept = keptOf(rule, basis)
  const had = basis.rules![ruleId]!
  if (kept === 0 || basis.counted.includes(ruleId) || isCooling(rule, had, basis.earning.at)) return []
  const counted = all ?? kept
  const weighted = BigInt(kept) * BigInt(factor)
  const due = givenFor(rule, BigInt(had.total), weighted)
  return [
    {
      ...{ ruleId, currencyId, counted, returned: counted - kept, factor },
      ...{ weighted: String(weighted), before: had.total, version: had.version },
      ...{ amount: String(withinMaximum(rule, had, due)), about: had.about },
      ...{ isLimited: maximum !== undefined || cooldownMinutes !== undefined, opensAfterDays, expires },
    },
  ]
}

/** The value that a total gives which grows by `weighted`: give x (floor((T + b) / n) - floor(T / n)); a visit gives once. */
export function givenFor({ give, per, every }: Giving, total: bigint, weighted: bigint): bigint {
  if (per === 'visit') return (BigInt(give) * weighted) / BigInt(factorOne)
  const step = BigInt(every!) * BigInt(factorOne)
  return BigInt(give) * ((total + weighted) / step - total / step)
}

// Where less was paid than the net, a base counts in proportion; units and visits stay.
function keptOf({ per, sent, returned }: StoredCount, { asReturned, paid, net }: EarningBasis): number {
  const count = asReturned ? returned : sent
  return paid === null || per !== 'amount' ? count : Number((BigInt(count) * BigInt(paid)) / BigInt(net!))
}

function isCooling({ cooldownMinutes = 0 }: StoredCount, { near }: RuleHistory, at: number): boolean {
  return (near ?? []).some((other) => other !== null && Math.abs(other - at) < cooldownMinutes * minuteMs)
}

function withinMaximum({ maximum }: StoredCount, { givenWithin }: RuleHistory, due: bigint): bigint {
  if (maximum === undefined) return due
  const left = BigInt(Math.max(0, maximum.amount - givenWithin!))
  return due < left ? due : left
}
