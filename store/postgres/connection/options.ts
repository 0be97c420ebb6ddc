export interface LedgerOptions {
  /** LOYALTY_EXPIRY_S: how long a calculation holds its reservations, in seconds. */
  readonly expiryS: number
  /** LOYALTY_IDEMPOTENCY_S: how long a stored answer is given again, in seconds. */
  readonly idempotencyS: number
  /** Days for which request, answer, inputs and explanation of a calculation are kept, at least as long as `idempotencyS`. Default `bodyDaysDefault`. */
  readonly bodyDays?: number
  /**
   * Days for which calculations and sales are stored at all, `recordDaysMin` or more; 0: for ever. After them a GUID counts as new.
   * Default 0.
   */
  readonly recordDays?: number
  /** LOYALTY_EVENT_DAYS: days for which events are kept, `eventDaysMin` or more. Default `eventDaysDefault`. */
  readonly eventDays?: number
  /** Time for a look-up on a server that answers others meanwhile, in milliseconds; one that hangs is given up sooner. Default `readMsDefault`. */
  readonly readMs?: number
  /** Time for a sale event or a withdrawal, in milliseconds. Default `saleMsDefault`. */
  readonly saleMs?: number
  /** Pause between two slices of the recount, whichever gateway makes them, in milliseconds. Default `recountPauseDefaultMs`. */
  readonly recountPauseMs?: number
  readonly onFault?: (error: unknown) => void
}

/** A quarter: so long receipts are questioned and past baskets priced again. At 50 calls a second a day is about 10 GB (docs/benches.md). */
export const bodyDaysDefault = 90
/** Each day is a partition: with 400 of them a confirmation that is short took 6 ms instead of 2.6, with 100 it took no more. */
export const bodyDaysMax = 400
/** Longer than any body is kept, and than any period of a limit lasts. */
export const recordDaysMin = 400
export const recordDaysMax = 36_500
/** A month: for as long a reader of the feed may be away. */
export const eventDaysDefault = 30
/** Longer than a webhook is retried, with room for those that could not be attempted. */
export const eventDaysMin = 7
export const readMsDefault = 300
export const saleMsDefault = 300
const recountPauseDefaultMs = 5_000

const secondsPerDay = 86_400

/** The options with their defaults; a body is never dropped before its answer's time is over. */
export function completeOptions(options: LedgerOptions): Required<LedgerOptions> {
  const { expiryS, idempotencyS, bodyDays = bodyDaysDefault, onFault = () => {} } = options
  return {
    expiryS,
    idempotencyS,
    bodyDays: Math.max(bodyDays, Math.ceil(idempotencyS / secondsPerDay) + 1),
    recordDays: options.recordDays ?? 0,
    eventDays: options.eventDays ?? eventDaysDefault,
    readMs: options.readMs ?? readMsDefault,
    saleMs: options.saleMs ?? saleMsDefault,
    recountPauseMs: options.recountPauseMs ?? recountPauseDefaultMs,
    onFault,
  }
}

/**
 * A `postgres://` URL of one host, between the last `@` and the path. Behind the host `@` is written %40: else a password with a slash would
 * be taken for a host or a database, which faults name.
 */
const serverUrlForm = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@,]+(?:[/?#][^@]*)?$/

export function serverUrl(text: string): URL | null {
  return serverUrlForm.test(text) && URL.canParse(text) ? new URL(text) : null
}
