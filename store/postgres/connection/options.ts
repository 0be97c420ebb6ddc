export interface LedgerOptions {
  readonly expiryS: number
  readonly idempotencyS: number
  readonly bodyDays?: number
  /** Days for which calculations and sales are stored, `recordDaysMin` or more; 0: for ever. Default 0. */
  readonly recordDays?: number
  readonly eventDays?: number
  readonly readMs?: number
  readonly saleMs?: number
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

/** One host, between the last `@` and the path, with %40 for `@` behind it: a password with a slash must not look like a host. */
const serverUrlForm = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@,]+(?:[/?#][^@]*)?$/

export function serverUrl(text: string): URL | null {
  return serverUrlForm.test(text) && URL.canParse(text) ? new URL(text) : null
}
