/** Which processes of gateways run: reported for people, not for the gateways. */
export interface PosProcesses {
  /** Reports a process, at its start and then every few seconds; deletes what has been silent for a day. */
  announce(process: GatewayProcess): Promise<void>
  /** A process ends in order: its report is deleted. */
  withdraw(processId: string): Promise<void>
}

/** What a process reports of itself. */
export interface GatewayProcess {
  /** A UUID that no other process has. */
  readonly processId: string
  /** Processes of one host, pid and port are one gateway. */
  readonly host: string
  /** Of the process that started them, or of the only one. */
  readonly pid: number
  /** Of the REST address. */
  readonly port: number
  /** Its place in the gateway, 1 and up: of two with one number only the newer one counts. */
  readonly number: number
  /** Of the service, with its commit: `0.1.0+412f2d88a1b2`. */
  readonly version: string
  readonly nodeVersion: string
  /** How many processes the gateway is to have. */
  readonly processes: number
  /** In force in this process. */
  readonly programmeVersion: number
  readonly cache: CacheReach
  /** For how long it has run, in milliseconds. */
  readonly uptimeMs: number
}

/** Whether Redis answers a process; `absent`: it has none. */
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
  /** Of the first of its processes. */
  readonly startedAtMs: number
  /** Of the last report. */
  readonly seenAtMs: number
  /** No process has reported for a minute. */
  readonly isSilent: boolean
}
