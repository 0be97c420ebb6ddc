import type { Refusal } from '../index.js'
import type { JsonFault } from './json-fault.js'

/** The refusal of a malformed request, answered with 400 (wire decisions 3, check 9). */
export function invalidRequest(fault: JsonFault): Refusal {
  return refusal('invalid_request', fault)
}

/** The message repeats no value of the request, so that it can be logged. */
export function refusal(code: Refusal['code'], details: JsonFault): Refusal {
  return { code, message: `${details.field}: expected ${details.expected}`, details }
}
