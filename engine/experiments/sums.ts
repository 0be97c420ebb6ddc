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
  readonly members: bigint
  readonly entry: bigint
  readonly entrySquared: bigint
  readonly past: bigint
  readonly pastByEntry: bigint
  readonly spend: bigint
  readonly spendSquared: bigint
  readonly spendByEntry: bigint
  readonly metric: bigint
  readonly metricSquared: bigint
  readonly metricByEntry: bigint
  readonly metricByPast: bigint
  readonly metricBySpend: bigint
  readonly given: bigint
  readonly givenSquared: bigint
  readonly givenByEntry: bigint
  readonly givenByPast: bigint
  readonly givenBySpend: bigint
  readonly metricByGiven: bigint
}

export interface DaySums {
  readonly day: number
  readonly arms: readonly ArmSums[]
}

export interface ArmShare {
  readonly armId: string
  readonly share: number
}
