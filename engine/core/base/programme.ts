import type { Money, Percentage } from './money.js'

/** Lines that a benefit looks at (benefits 1, Selector). Without lists and collections: every line. Lists are never empty. */
export interface Selector {
  readonly productMasterIds?: readonly string[]
  readonly eans?: readonly string[]
  readonly productIds?: readonly string[]
  readonly productGroupIds?: readonly string[]
  readonly collections?: readonly Selector[]
  readonly fields?: readonly FieldTest[]
  readonly fullPrice?: boolean
  readonly includeNoDiscount?: boolean
  /** Also lines below a matching line in the parentLineId tree: they follow it. */
  readonly children?: boolean
  readonly not?: Selector
}

export interface FieldTest {
  readonly name: string
  readonly values: readonly string[]
}

export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'

/** On the venue's wall clock, minutes since midnight; `until` is exclusive, and on the next day if <= from. */
export interface ScheduleWindow {
  readonly days: readonly Weekday[]
  readonly from: number
  readonly until: number
}

export interface SelectedUnits {
  readonly select?: Selector
  readonly quantity: number
}

/** Units, or with `measure` thousandths of weighed lines and others alike. */
export interface RequiredQuantity extends SelectedUnits {
  readonly measure?: boolean
}

export type Reward =
  | {
      readonly kind: 'line_percentage'
      readonly select?: Selector
      readonly percentage: Percentage
      readonly maximumAmount?: Money
      readonly maximumUnits?: number
    }
  | {
      readonly kind: 'line_amount'
      readonly select?: Selector
      readonly amount: Money
      readonly per: 'unit' | 'line'
      /** Only with `per` unit. */
      readonly maximumUnits?: number
    }
  | {
      readonly kind: 'member_price'
      readonly select?: Selector
      readonly unitPrice: Money
      readonly maximumUnits?: number
    }
  | {
      readonly kind: 'price_override'
      readonly select?: Selector
      readonly unitPrice: Money
      readonly maximumUnits?: number
    }
  | {
      readonly kind: 'volume_percentage'
      readonly select?: Selector
      readonly tiers: readonly VolumeTier[]
      readonly measure?: boolean
      readonly maximumUnits?: number
    }
  | {
      readonly kind: 'buy_get'
      readonly buy: SelectedUnits
      readonly get: SelectedUnits & { readonly percentage: Percentage }
      readonly maximumTimes?: number
      /** All units of one time have one identity. */
      readonly sameProduct?: boolean
    }
  | {
      readonly kind: 'bundle_price'
      readonly components: readonly SelectedUnits[]
      readonly price: Money
      readonly maximumTimes?: number
      readonly sameProduct?: boolean
    }
  | {
      readonly kind: 'bundle_discount'
      readonly components: readonly SelectedUnits[]
      readonly off: { readonly amount: Money } | { readonly percentage: Percentage }
      readonly maximumTimes?: number
      readonly sameProduct?: boolean
    }
  | {
      readonly kind: 'order_percentage'
      readonly select?: Selector
      readonly percentage: Percentage
      readonly maximumAmount?: Money
    }
  | {
      readonly kind: 'order_amount'
      readonly select?: Selector
      readonly amount: Money
      readonly maximumTimes?: number
    }
  | {
      readonly kind: 'free_product'
      readonly productId: string
      readonly quantity: number
      readonly per?: SelectedUnits
    }

export type RewardOf<Kind extends Reward['kind']> = Extract<Reward, { readonly kind: Kind }>

export interface VolumeTier {
  readonly quantity: number
  readonly percentage: Percentage
}

/** Calendar periods, but for `birthday`: the window of an audience around a member's birthday or anniversary. */
export type Period = 'ever' | 'day' | 'week' | 'month' | 'year' | 'birthday'

export interface Limit {
  readonly limitId: string
  readonly scope: 'everyone' | 'member' | 'venue'
  readonly period: Period
  readonly counts: 'baskets' | 'units' | 'amount'
  readonly maximum: number
}

export interface Between {
  readonly from?: number
  readonly to?: number
}

export interface DaysAround {
  readonly daysBefore: number
  readonly daysAfter: number
}

/** Days are the venue's (`dayAt`). */
export interface Audience {
  readonly tiers?: readonly string[]
  readonly segments?: readonly string[]
  readonly memberIds?: readonly string[]
  readonly visits?: Between
  readonly birthday?: DaysAround
  /** Around the day of the year on which the member joined, from the first year on. */
  readonly anniversary?: DaysAround
  readonly joinedWithinDays?: number
  readonly lastVisit?: { readonly atLeastDays?: number; readonly atMostDays?: number }
  readonly balances?: readonly ({ readonly currencyId: string } & Between)[]
}

export interface Cost {
  readonly currencyId: string
  readonly amount: number
  /** `unit`: for each unit that a limit of units would count; `times`: of rewards given in times. */
  readonly per: 'unit' | 'times' | 'basket'
  readonly worth: Money
}

export interface Benefit {
  readonly benefitId: string
  readonly text: string
  readonly campaign: string | null
  readonly priority: number
  readonly sequence: number
  readonly group: string | null
  readonly validFrom: number | null
  readonly validUntil: number | null
  readonly schedule: readonly ScheduleWindow[] | null
  readonly venueIds: readonly string[] | null
  readonly channels: readonly string[] | null
  readonly audience: Audience | null
  readonly conditions: {
    readonly minimumSpend?: { readonly amount: Money; readonly select?: Selector }
    readonly requires?: readonly RequiredQuantity[]
  } | null
  readonly existingDiscounts: 'replace' | 'keep' | 'add'
  readonly combination: 'normal' | 'stackable' | 'exclusive'
  readonly reward: Reward
  readonly limits: readonly Limit[]
  readonly costs: Cost | null
}

export interface Experiment {
  readonly experimentId: string
  readonly name: string
  readonly from: number | null
  readonly until: number | null
  readonly metric: 'net' | 'visits'
  /** Two or more; their percentages sum to 100 %. The others are compared with the first. */
  readonly arms: readonly ExperimentArm[]
}

export interface ExperimentArm {
  readonly armId: string
  readonly percentage: Percentage
  /** Benefits that its members have; the others of the experiment are withheld from them. null: every benefit. */
  readonly benefitIds: readonly string[] | null
}

export interface Guard {
  readonly guardId: string
  readonly select?: Selector
  readonly rule: GuardRule
}

export type GuardRule =
  | { readonly kind: 'never_discounted' }
  | { readonly kind: 'at_most'; readonly percentage: Percentage }
  /** With the POS's own discounts up to a part of the gross, the net is at least this part of the gross. */
  | { readonly kind: 'net_at_least'; readonly percentage: Percentage; readonly posDiscount: Percentage | null }
