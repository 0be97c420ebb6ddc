import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Fault, Faults, InexactNumber, Place } from '../../../engine/programme/place.js'
import type { Warning } from '../../../engine/programme/warning.js'
import type { ProgrammeWarningSchema } from '../../gen/loyalty/v1/programme_proposal_pb.js'
import type { Unpublished } from '../../use-cases/publish-programme.js'
import { invalidFields, refusal } from '../errors.js'
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
export function programmeFaulty(
  { faults, more = 0 }: { readonly faults: readonly Fault[]; readonly more?: number },
  field = 'document',
): ReturnType<typeof refusal> {
  const violations = faults.map((fault) => {
    const { description } = violationFromFault(fault)
    return { field: fault.path === 'document' ? field : `${field}.${fault.path}`, description }
  })
  const count = faults.length + more
  return refusal('PROGRAMME_FAULTY', `the programme has ${count} fault${count === 1 ? '' : 's'}`, {
    violations,
    metadata: { faults: String(count) },
  })
}

const acknowledgementsMax = 100

export function checkAcknowledgements(checks: FieldChecks, { length }: readonly string[]): FieldChecks {
  return checks.expect('acknowledgements', length <= acknowledgementsMax, `at most ${acknowledgementsMax}`, `${length}`)
}

/** The refusal of a document before or while it was sent. @param field  the field that holds the document */
export function notPublished(
  reply: Unpublished | { readonly kind: 'faulty'; readonly faults: readonly Fault[] },
  field?: string,
): ReturnType<typeof refusal> {
  switch (reply.kind) {
    case 'faulty':
      return programmeFaulty(reply, field)
    case 'search_busy':
      return searchBusy()
    case 'unacknowledged': {
      const { length } = reply.worst
      const text = `${length} worst basket${length === 1 ? ' is' : 's are'} not acknowledged`
      const violations = reply.worst.map(({ name, sentence }) => ({
        field: 'acknowledgements',
        description: `${name}: ${sentence}`,
      }))
      return refusal('WORST_UNACKNOWLEDGED', text, { violations })
    }
  }
}

const searchRetryAfterS = 10

export function searchBusy(): ReturnType<typeof refusal> {
  return refusal('TOO_MANY_CALLS', 'a search of worst baskets runs already', { retryAfterS: searchRetryAfterS })
}

export function reviewRequired(): ReturnType<typeof refusal> {
  return refusal(
    'REVIEW_REQUIRED',
    'a programme is published here by ApproveProposal, by another person than its author',
  )
}

export function versionMismatch(current: number): ReturnType<typeof refusal> {
  return refusal('VERSION_MISMATCH', `version ${current} is in force`, {
    metadata: { current_version: String(current) },
  })
}

export function messageFromWarning({ path, word, message }: Warning): MessageInitShape<typeof ProgrammeWarningSchema> {
  return { path, word, message }
}
