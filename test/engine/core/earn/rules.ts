import type { Basket } from '../../../../engine/core/base/basket.js'
import type { Earning, EarningRule } from '../../../../engine/core/base/earning.js'
import type { Calculation } from '../../../../engine/core/base/outcome.js'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { calculate, checkIdentities, compileProgramme } from '../../../../engine/core/index.js'
import { type Asked, aMember, aVenue, code } from '../builders.js'

/** A rule that gives 1 for each unit of every line. */
export function aRule(overrides: Partial<EarningRule> = {}): EarningRule {
  return {
    ruleId: 'stamps',
    currencyId: 'stamp',
    give: 1,
    per: { kind: 'units', every: 1 },
    select: null,
    includeNoDiscount: false,
    minimumSpend: null,
    cooldownMinutes: null,
    maximum: null,
    multipliers: [],
    audience: null,
    venueIds: null,
    channels: null,
    schedule: null,
    validFrom: null,
    validUntil: null,
    opensAfterDays: 0,
    onReturn: 'to_zero',
    expires: null,
    ...overrides,
  }
}

export const perKrone = { kind: 'amount', every: 100 } as const
export const perVisit = { kind: 'visit' } as const

interface Programme {
  readonly benefits?: readonly Benefit[]
  readonly rules: readonly EarningRule[]
}

export function priceWith(
  basket: Basket,
  { benefits = [], rules }: Programme,
  asked: Asked & { readonly paidTotal?: number } = {},
): Calculation {
  const fault = checkIdentities(basket)
  if (fault !== null) throw new Error(`test basket does not add up: ${JSON.stringify(fault)}`)
  return calculate(compileProgramme(benefits, rules), {
    basket,
    member: aMember,
    venue: aVenue(),
    available: {},
    discountCode: code,
    stepsMax: 200_000,
    ...asked,
  })
}

export function countsOf(earning: Earning | null): Readonly<Record<string, readonly [number, number]>> {
  return Object.fromEntries((earning?.counted ?? []).map(({ rule, sent, returned }) => [rule.ruleId, [sent, returned]]))
}

/** The count of the first rule, as [as sent, as returned]. */
export function countOf(basket: Basket, programme: Programme, asked: Parameters<typeof priceWith>[2] = {}) {
  const counts = countsOf(priceWith(basket, programme, asked).earning)
  return counts[programme.rules[0]!.ruleId] ?? [0, 0]
}
