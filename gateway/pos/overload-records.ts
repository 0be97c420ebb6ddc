import type { ExchangeRecord } from './response.js'

/** The record of a call that was refused for overload, for several such calls. */
export interface OverloadRecord extends ExchangeRecord {
  /** Calls refused for this reason since the record before, this one included. */
  readonly refused: number
}

/** Shortest interval between two records, in milliseconds. */
const everyMs = 1_000

/**
 * Thins out the records of calls refused at admission: one record each was a large part of a refusal's cost, in an overload. The first is
 * written at once, later ones once a second with their number; metrics count every one.
 *
 * @param nowMs  monotonic clock, milliseconds
 * @returns      the record to write; null: none this time
 */
export function createOverloadRecords(nowMs: () => number): (entry: ExchangeRecord) => OverloadRecord | null {
  let writtenAtMs = Number.NEGATIVE_INFINITY
  let refused = 0
  return (entry) => {
    refused += 1
    if (nowMs() - writtenAtMs < everyMs) return null
    const record = { ...entry, refused }
    writtenAtMs = nowMs()
    refused = 0
    return record
  }
}

/** True when it was refused at admission because too much was in flight, or waits on its connection. */
export function isOverload({ code, cause }: ExchangeRecord): boolean {
  return code === 'unavailable' && (cause === 'overloaded' || cause === 'pipelined')
}
