import type { Refusal } from '../index.js'
import { faultsMax, type JsonFault } from './json-faults.js'

/**
 * The refusal of a malformed request, answered with 400 (wire decisions 3, check 9).
 *
 * @param faults  in order, at least one; the first `faultsMax` are listed
 */
export function invalidRequest(faults: readonly JsonFault[]): Refusal {
  const listed = faults.slice(0, faultsMax)
  return refusal('invalid_request', { ...listed[0]!, faults: listed })
}

/**
 * The message repeats no value of the request, so that it can be logged.
 *
 * @param rule  the rule for the field, in words; null: `expected` is enough
 */
export function refusal(code: Refusal['code'], details: Refusal['details'], rule: string | null = null): Refusal {
  const why = rule === null ? '' : ` (${rule})`
  return { code, message: `${details.field}: expected ${details.expected}${why}`, details }
}
