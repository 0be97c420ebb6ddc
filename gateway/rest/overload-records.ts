import type { ExchangeRecord } from './response.js'

/** The record of a call that was refused for overload, and of those like it. */
export interface OverloadRecord extends ExchangeRecord {
  /** Calls refused so since the record before, this one included. */
  readonly refused: number
}

/** At least so long from one record to the next, in milliseconds. */
const everyMs = 1_000

/**
 * Thins out the records of calls that are refused at the door: a record each was a great part of what a refusal costs, just when nothing is
 * to spare. The first is written at once, later ones once a second with their number; metrics count every one.
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

/** Whether it was refused at the door because too much was in flight, or waits on its connection. */
export function isOverload({ code, cause }: ExchangeRecord): boolean {
  return code === 'unavailable' && (cause === 'overloaded' || cause === 'pipelined')
}
