/** A currency of the histories, with its policy for returned value that the member no longer has. */
export interface CurrencyModel {
  readonly currencyId: string
  readonly onReturn: 'to_zero' | 'debt' | 'pending_only'
  readonly opensAfterDays: number
  readonly expires: {
    readonly unit: 'days' | 'months'
    readonly after: number
    readonly atEndOf: 'day' | 'week' | 'month' | 'year' | null
  } | null
}

/** An earning rule of the histories. */
export interface RuleModel {
  readonly ruleId: string
  readonly currencyId: string
  readonly give: number
  readonly per: 'amount' | 'units' | 'visit'
  /** 1 for a visit. */
  readonly every: number
  /** Kinds of lines that it counts. null: all. */
  readonly kinds: readonly number[] | null
  /** null: none; of the lines of these kinds. */
  readonly minimumSpend: { readonly amount: number; readonly kinds: readonly number[] | null } | null
  readonly cooldownMinutes: number | null
  readonly maximum: { readonly amount: number; readonly period: 'basket' | 'day' | 'week' | 'month' | 'ever' } | null
}

export const currencies: readonly CurrencyModel[] = [
  { currencyId: 'stamps', onReturn: 'to_zero', opensAfterDays: 0, expires: { unit: 'days', after: 10, atEndOf: null } },
  { currencyId: 'points', onReturn: 'debt', opensAfterDays: 0, expires: null },
  {
    ...{ currencyId: 'bonus', onReturn: 'pending_only', opensAfterDays: 1 },
    expires: { unit: 'days', after: 45, atEndOf: 'week' },
  },
  {
    ...{ currencyId: 'medals', onReturn: 'debt', opensAfterDays: 5 },
    expires: { unit: 'months', after: 1, atEndOf: 'month' },
  },
]

export function currencyOf({ currencyId }: Pick<RuleModel, 'currencyId'>): CurrencyModel {
  return currencies.find((currency) => currency.currencyId === currencyId)!
}

const plain = {
  kinds: null,
  minimumSpend: null,
  cooldownMinutes: null,
  maximum: null,
} as const

/** In the order of the programme. */
export const rules: readonly RuleModel[] = [
  { ...plain, ruleId: 'cups', currencyId: 'stamps', give: 1, per: 'units', every: 3 },
  { ...plain, ruleId: 'spend', currencyId: 'points', give: 3, per: 'amount', every: 50 },
  {
    ...{ ...plain, ruleId: 'visits', currencyId: 'points', give: 5, per: 'visit', every: 1 },
    maximum: { amount: 12, period: 'day' },
  },
  {
    ...{ ...plain, ruleId: 'cool', currencyId: 'stamps', give: 2, per: 'units', every: 1, cooldownMinutes: 300 },
    ...{ kinds: [0, 1] },
  },
  {
    ...{ ...plain, ruleId: 'week', currencyId: 'medals', give: 1, per: 'amount', every: 7 },
    ...{ maximum: { amount: 40, period: 'week' } },
  },
  {
    ...{ ...plain, ruleId: 'month', currencyId: 'bonus', give: 1, per: 'amount', every: 9 },
    ...{ kinds: [0, 2], maximum: { amount: 60, period: 'month' } },
  },
  {
    ...{ ...plain, ruleId: 'basket', currencyId: 'bonus', give: 2, per: 'units', every: 1 },
    ...{ maximum: { amount: 5, period: 'basket' } },
  },
  {
    ...{ ...plain, ruleId: 'least', currencyId: 'bonus', give: 4, per: 'amount', every: 30 },
    ...{ minimumSpend: { amount: 150, kinds: [0, 1] } },
  },
  {
    ...{ ...plain, ruleId: 'first', currencyId: 'medals', give: 3, per: 'units', every: 2 },
    ...{ kinds: [2], maximum: { amount: 9, period: 'ever' } },
  },
  {
    ...{ ...plain, ruleId: 'large', currencyId: 'medals', give: 7, per: 'visit', every: 1 },
    ...{ kinds: [1, 2], minimumSpend: { amount: 300, kinds: null }, cooldownMinutes: 60 },
  },
]

export const exchanges = [
  {
    exchangeId: 'one',
    from: { currencyId: 'stamps', amount: 4 },
    to: { currencyId: 'bonus', amount: 3 },
    validDays: 3,
  },
  {
    ...{ exchangeId: 'two', from: { currencyId: 'points', amount: 6 }, to: { currencyId: 'stamps', amount: 1 } },
    validDays: null,
  },
] as const

/** Time zones of venues. Without clock changes where rules count to the moment; midnight is never in a gap in the others. */
export const timeZones = ['Asia/Tokyo', 'America/Bogota', 'UTC'] as const

export function matches(kinds: readonly number[] | null, kind: number): boolean {
  return kinds === null || kinds.includes(kind)
}
