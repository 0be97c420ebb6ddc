/**
 * Sums over the members of one arm that entered by the end of one day, from which an experiment is answered.
 *
 * Each is an exact integer; squares and products pass 2^53, so all are bigint (in SQL numeric, in JSON decimal strings). A member gives
 *   e: whole days from the experiment's first day to the day of entry, 0 or more;
 *   y: the experiment's metric since entry, a running total: net paid in minor units less returns, or visits;
 *   g: what the experiment's benefits gave since entry in minor units, less what returns took back; 0 in a holdout;
 *   x: net spend in minor units of the 8 weeks before entry, and h = 1, if they were a member for that long; otherwise x = 0, h = 0.
 *
 * Entering adds e, h and x to the sums that have neither y nor g. A sale or return that changes y by dy and g by dg adds
 *   metric dy, metricSquared 2*y*dy + dy*dy, metricByGiven y*dg + g*dy + dy*dg, metricByEntry e*dy, metricByPast h*dy, metricBySpend x*dy,
 * and the same for `given`. A member that leaves (merged, in two arms) subtracts its row on the day it leaves. Everything counts on the
 * day the service records it: a day that is over never changes, and later days include it.
 */
export interface ArmSums {
  /** Members entered: the sum of 1. */
  readonly members: bigint
  /** Sum of e. */
  readonly entry: bigint
  /** Sum of e². */
  readonly entrySquared: bigint
  /** Sum of h: members with a spend before. */
  readonly past: bigint
  /** Sum of h e. */
  readonly pastByEntry: bigint
  /** Sum of x. */
  readonly spend: bigint
  /** Sum of x². */
  readonly spendSquared: bigint
  /** Sum of x e. */
  readonly spendByEntry: bigint
  /** Sum of y. */
  readonly metric: bigint
  /** Sum of y². */
  readonly metricSquared: bigint
  /** Sum of y e. */
  readonly metricByEntry: bigint
  /** Sum of y h. */
  readonly metricByPast: bigint
  /** Sum of y x. */
  readonly metricBySpend: bigint
  /** Sum of g. */
  readonly given: bigint
  /** Sum of g². */
  readonly givenSquared: bigint
  /** Sum of g e. */
  readonly givenByEntry: bigint
  /** Sum of g h. */
  readonly givenByPast: bigint
  /** Sum of g x. */
  readonly givenBySpend: bigint
  /** Sum of y g. */
  readonly metricByGiven: bigint
}

/** The sums of every arm at the end of one day, running totals since the first day. */
export interface DaySums {
  /** Whole days since the experiment's first day: 0 for that day itself. */
  readonly day: number
  /** In the order of the experiment's arms, a holdout first; each day has all of them. */
  readonly arms: readonly ArmSums[]
}

/** An arm and the share of members it is assigned. */
export interface ArmShare {
  readonly armId: string
  /** 0 to 1, both excluded; the shares of an experiment add up to 1. */
  readonly share: number
}
