export interface Gateways {
  /** Reports one gateway to the others, renews its lease, and returns how far the others have written their answers. */
  meet(report: GatewayReport): Promise<GatewaysMet>
  leave(gatewayId: string): Promise<void>
}

export interface GatewayReport {
  readonly gatewayId: string
  /** True when it may answer from Redis before the ledger has the answer. */
  readonly usesCache: boolean
  /** Number of a flush request: all answers of this gateway before that request are in the ledger. */
  readonly flushedThrough: number
  /** True when it requests that every gateway writes its answers into the ledger. */
  readonly wishes: boolean
}

interface GatewaysMet {
  /** Number of the newest request, including the one just made. */
  readonly wished: number
  /** The request through which all other living gateways have written; Infinity where no other one answers from Redis. */
  readonly flushedByOthers: number
}

/** The running processes of gateways: reported for people, not for the gateways. */
export interface PosProcesses {
  /** Reports a process, at its start and then every few seconds; deletes processes that were silent for a day. */
  announce(process: GatewayProcess): Promise<void>
  withdraw(processId: string): Promise<void>
}

export interface GatewayProcess {
  readonly processId: string
  /** Processes of one host, pid and port are one gateway. */
  readonly host: string
  readonly pid: number
  readonly port: number
  /** Its place in the gateway, 1 and up: of two with one number only the newer one counts. */
  readonly number: number
  readonly version: string
  readonly nodeVersion: string
  readonly processes: number
  readonly programmeVersion: number
  readonly cache: CacheReach
  readonly uptimeMs: number
  readonly traffic: TrafficCounts
}

type CacheReach = 'up' | 'down' | 'absent'

export interface AdminProcesses {
  /** Gateways with a report within a day, ascending by host, port and pid; at most `limit`. */
  listGateways(limit: number): Promise<readonly RunningGateway[]>
}

/** The processes of a gateway together. Silent ones count only where all of them are. Times are milliseconds since the epoch. */
export interface RunningGateway {
  readonly host: string
  readonly pid: number
  readonly port: number
  /** From its newest process, like the next three. */
  readonly version: string
  readonly nodeVersion: string
  readonly processesWanted: number
  readonly processes: number
  /** The oldest in force in a process. */
  readonly programmeVersion: number
  readonly cache: CacheReach
  readonly startedAtMs: number
  readonly seenAtMs: number
  readonly isSilent: boolean
}

export interface PosTraffic {
  /** Adds the counts of a process; earlier counts of a minute stay, so that an attempt may be repeated. */
  add(processId: string, minutes: readonly TrafficMinute[]): Promise<void>
  /** Adds an event `service.failing` where a minute of all gateways had errors in more than 1 % of its calls, and the one before not. */
  judge(): Promise<void>
}

export interface AdminTraffic {
  readMinutes(fromMs: number): Promise<readonly TrafficMinute[]>
  readLatest(): Promise<readonly TrafficCounts[]>
}

export interface TrafficMinute extends TrafficCounts {
  readonly at: number
}

/** Counts that add up over processes and minutes. */
export interface TrafficCounts {
  readonly outcomes: Counts
  /** Baskets by the upper bound of the time of their answer in seconds; `+Inf`: longer. Each once. */
  readonly times: Counts
  /** `all`, and by `["venue","register","code"]` with a code or `slow`; of such a place also its calls (code '') and times (`<=`). */
  readonly calls: Counts
}

type Counts = Readonly<Record<string, number>>

export interface Changes {
  /** The current revision, and the changes after `revision`; `changes` null where that is too old. */
  since(revision: number): Promise<{ readonly revision: number; readonly changes: readonly Change[] | null }>
  /** The work that waits. Apart from `since`, because it takes longer where rows are not vacuumed yet. */
  due(): Promise<readonly Due[]>
}

/**
 * `calculations` to expire, `value` to announce or expire, `sums` to add sales to, `withheld` baskets to price, scheduled `publications` to make,
 * `webhooks` that may have deliveries.
 */
export type Due = 'calculations' | 'value' | 'sums' | 'withheld' | 'publications' | 'webhooks'

/** `id`: the version, the venueId, or a loyaltyId (every old and new one of a changed member); '' means every loyaltyId. */
export type Change = { readonly kind: 'programme' | 'venue' | 'member'; readonly id: string }

export interface AdminServer {
  describe(): Promise<LedgerServer>
  inspect(): Promise<LedgerSetup>
}

export interface LedgerSetup {
  readonly version: string
  readonly nowMs: number
  /** Names of settings that are off and let acknowledged commits be lost, such as `fsync`; '': none. */
  readonly unsafe: string
  /** synchronous_standby_names; '': a commit waits for no standby. */
  readonly standbyNames: string
  /** Standbys that have every acknowledged commit; null: the role may not see them. */
  readonly standbys: number | null
  readonly archives: boolean
  /** Seconds since the last file of the log was archived; null: none was. */
  readonly archivedS: number | null
  /** The file that could not be archived since; null: none. */
  readonly archiveFailed: string | null
}

export interface LedgerServer {
  readonly version: string
  readonly bytes: number
}
