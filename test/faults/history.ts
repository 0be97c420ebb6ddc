/** Requests and answers of a run as its client saw them, independent of the ledger. Moments are of its monotonic clock, ms. */
export type Endpoint = 'basket' | 'sale'

/** One request on the wire, from its sending to an answer, or to nothing. */
export interface Attempt {
  readonly gateway: number
  readonly sentAt: number
  /** null: reset, refused, or given up by us. */
  answer: SeenAnswer | null
  /** Where there is none: what the connection died of. */
  lost?: string
  endedAt: number | null
}

export interface SeenAnswer {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
  readonly retryAfter: string | null
  readonly replayed: boolean
}

/** One wish of a POS, with all its attempts; several calls may share a key. */
export interface Call {
  readonly endpoint: Endpoint
  readonly key: string
  /** The body, byte for byte the same in every attempt. */
  readonly body: string
  /** The calculation that this basket supersedes. */
  readonly supersedes: string | null
  readonly attempts: Attempt[]
}

/** The answer that settled a call: the first that is neither 503, 429 nor 408; null while there is none. */
export function finalAnswer(call: Call): SeenAnswer | null {
  return call.attempts.find(({ answer }) => answer !== null && isFinal(answer))?.answer ?? null
}

/** 408 says that the request has not arrived whole, as happens where a whole machine stands still: it was not looked at. */
function isFinal({ status }: SeenAnswer): boolean {
  return status !== 503 && status !== 429 && status !== 408
}

/** Every attempt that got a 200. */
export function answered(call: Call): readonly (Attempt & { readonly answer: SeenAnswer; readonly endedAt: number })[] {
  return call.attempts.filter(
    (attempt): attempt is Attempt & { answer: SeenAnswer; endedAt: number } => attempt.answer?.status === 200,
  )
}
