import { type Fault, Faults, InexactNumber, Place } from '../../../engine/programme/place.js'
import type { Member } from '../../gen/loyalty/v1/member_service_pb.js'
import { invalidFields } from '../errors.js'
import type { FieldChecks } from './fields.js'

/**
 * Reads a part of a request like the same part of a programme document (benefits 1): one set of rules for venues and members from both.
 * Ends the call with every fault as a field violation.
 *
 * @param field  name of the part in the request
 * @param value  the part in the names of the programme document
 */
export function readPart<T>(field: string, value: unknown, read: (place: Place) => T): T {
  const faults = new Faults()
  const part = read(Place.root({}, faults).below(field, value))
  if (faults.count > 0) throw invalidFields(faults.listed.map(violationFromFault))
  return part
}

function violationFromFault({ path, expected, received }: Fault): { field: string; description: string } {
  return { field: snakeCase(path), description: `expected ${expected}; received ${received}` }
}

/** An int64 as a number for the programme's readers. */
export function numberFromInt64(value: bigint): number | InexactNumber {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : new InexactNumber(String(value))
}

/** The programme's `loyaltyIds` is `loyalty_ids` in a request. Names in quotes are the sender's own and stay. */
function snakeCase(path: string): string {
  return path.replace(/"(?:[^"\\]|\\.)*"|[A-Z]/g, (part) => (part.length > 1 ? part : `_${part.toLowerCase()}`))
}

/** The first faults as field violations, below the field that holds the document. */
export function faultyProgramme(
  { faults, more = 0 }: { readonly faults: readonly Fault[]; readonly more?: number },
  field: string,
) {
  const violations = faults.map((fault) => {
    const { description } = violationFromFault(fault)
    return { field: fault.path === 'document' ? field : `${field}.${fault.path}`, description }
  })
  const count = faults.length + more
  const message = `the programme has ${count} fault${count === 1 ? '' : 's'}`
  return { message, violations, metadata: { faults: String(count) } }
}

const acknowledgementsMax = 100

export function checkAcknowledgements(checks: FieldChecks, { length }: readonly string[]): FieldChecks {
  return checks.expect('acknowledgements', length <= acknowledgementsMax, `at most ${acknowledgementsMax}`, `${length}`)
}

/** A request whose use case adds the digest of its document, which may have tens of megabytes. */
export function withoutDocument<Request extends { readonly document: string }>(request: Request): Request {
  return { ...request, document: '' }
}

/** A member of a request in the form of a programme document. */
export function partFromMember({ $typeName: _, $unknown: __, segments, ...member }: Member) {
  return { ...member, segments: segments.length === 0 ? undefined : segments }
}
