import type { Refusal } from '../index.js'
import type { JsonFault } from './read-json.js'

/** A request that does not fit its form (wire decisions 3, check 9), as a 400 answers it. */
export function invalidRequest(fault: JsonFault): Refusal {
  return refusal('invalid_request', fault)
}

/** The message repeats no value that was sent, so that it can be logged. */
export function refusal(code: Refusal['code'], details: JsonFault): Refusal {
  return { code, message: `${details.field}: expected ${details.expected}`, details }
}
