/** What gateways answered to baskets, by the minute, as their upkeep reports it. */
export interface PosTraffic {
  /** Adds what a process counted; what it has added to a minute before stays, so that an attempt may be repeated. */
  add(processId: string, minutes: readonly TrafficMinute[]): Promise<void>
}

/** The same, as internal services read it: of all gateways. */
export interface AdminTraffic {
  /** Minutes in which anything was answered, from this moment on, ascending; they are there for two days. */
  readMinutes(fromMs: number): Promise<readonly TrafficMinute[]>
}

/** Baskets answered in one minute. */
export interface TrafficMinute {
  /** When it began, milliseconds since the epoch. */
  readonly at: number
  /** By outcome. */
  readonly outcomes: Counts
  /** By the upper bound of the time of their answer in seconds; `+Inf`: longer. Each basket once. */
  readonly times: Counts
}

type Counts = Readonly<Record<string, number>>
