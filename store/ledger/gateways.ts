export interface Gateways {
  /** Reports one gateway to the others, renews its lease, and returns how far the others have written what they answered. */
  meet(report: GatewayReport): Promise<GatewaysMet>
  /** A gateway ends: nobody waits for it any more. */
  leave(gatewayId: string): Promise<void>
}

export interface GatewayReport {
  readonly gatewayId: string
  /** Whether it may answer from Redis before the ledger has the answer. */
  readonly usesCache: boolean
  /** Number of a wish: all answers that this gateway gave before that wish are in the ledger. */
  readonly flushedThrough: number
  /** Whether it makes a wish: that every gateway writes what it has answered into the ledger. */
  readonly wishes: boolean
}

interface GatewaysMet {
  /** Number of the newest wish, the one just made included. */
  readonly wished: number
  /** The wish through which all other living gateways have written; Infinity where no other one answers from Redis. */
  readonly flushedByOthers: number
}

/** Which processes of gateways run: reported for people, not for the gateways. */
export interface PosProcesses {
  /** Reports a process, at its start and then every few seconds; deletes what has been silent for a day. */
  announce(process: GatewayProcess): Promise<void>
  withdraw(processId: string): Promise<void>
}

export interface GatewayProcess {
  readonly processId: string
  /** Processes of one host, pid and port are one gateway. */
  readonly host: string
  /** Of the process that started them, or of the only one. */
  readonly pid: number
  /** Of the REST address. */
  readonly port: number
  /** Its place in the gateway, 1 and up: of two with one number only the newer one counts. */
  readonly number: number
  readonly version: string
  readonly nodeVersion: string
  readonly processes: number
  readonly programmeVersion: number
  readonly cache: CacheReach
  readonly uptimeMs: number
}

type CacheReach = 'up' | 'down' | 'absent'

export interface AdminProcesses {
  /** Gateways of which a process reported within a day, ascending by host, port and pid; at most `limit`. */
  listGateways(limit: number): Promise<readonly RunningGateway[]>
}

/** The processes of a gateway together. Those that are silent count only where all of them are. Times are milliseconds since the epoch. */
export interface RunningGateway {
  readonly host: string
  readonly pid: number
  readonly port: number
  /** Of its newest process, as the next three. */
  readonly version: string
  readonly nodeVersion: string
  readonly processesWanted: number
  /** Those that reported within a minute. */
  readonly processes: number
  /** The oldest in force in a process. */
  readonly programmeVersion: number
  /** The worst of its processes. */
  readonly cache: CacheReach
  readonly startedAtMs: number
  readonly seenAtMs: number
  readonly isSilent: boolean
}

/** What gateways answered to baskets, by the minute, as their upkeep reports it. */
export interface PosTraffic {
  /** Adds what a process counted; what it has added to a minute before stays, so that an attempt may be repeated. */
  add(processId: string, minutes: readonly TrafficMinute[]): Promise<void>
}

export interface AdminTraffic {
  /** Minutes in which anything was answered, from this moment on, ascending; they are there for two days. */
  readMinutes(fromMs: number): Promise<readonly TrafficMinute[]>
}

export interface TrafficMinute {
  /** When it began, milliseconds since the epoch. */
  readonly at: number
  readonly outcomes: Counts
  /** By the upper bound of the time of their answer in seconds; `+Inf`: longer. Each basket once. */
  readonly times: Counts
}

type Counts = Readonly<Record<string, number>>

export interface Changes {
  /** Revision now, and what has changed after `revision`; `changes` null where that is too far back to tell. */
  since(revision: number): Promise<{ readonly revision: number; readonly changes: readonly Change[] | null }>
}

/** `id`: the version, the venueId, or a loyaltyId (every old and new one of a changed member); '' stands for every loyaltyId. */
export type Change = { readonly kind: 'programme' | 'venue' | 'member'; readonly id: string }

export interface AdminServer {
  describe(): Promise<LedgerServer>
}

export interface LedgerServer {
  readonly version: string
  readonly bytes: number
}
