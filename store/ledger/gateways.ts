/** The list of living gateways. */
export interface Gateways {
  /** Reports one gateway to the others, renews its lease, and returns how far the others have written what they answered. */
  meet(report: GatewayReport): Promise<GatewaysMet>
  /** A gateway ends: nobody waits for it any more. */
  leave(gatewayId: string): Promise<void>
}

/** What a gateway reports of itself to the others. */
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
