import type { AuditFacts, AuditFilter } from '../../../store/ledger/audit.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { AuditService, type ListAuditRecordsRequest } from '../../gen/loyalty/v1/audit_service_pb.js'
import { FieldChecks, microsecondsFrom } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageToken, readPage } from '../messages/page-token.js'

const kinds: readonly string[] = [
  'programme',
  'venue',
  'member',
  'codes',
  'sale',
  'webhook',
  'calculation',
  'proposal',
  'draft',
  'view',
] satisfies readonly AuditFacts['subjectKind'][]

export interface AuditParts {
  readonly adminLedger: Pick<AdminLedger, 'audit'>
}

export function auditRoutes({ adminLedger }: AuditParts) {
  return routeOf(AuditService, {
    async listAuditRecords(request) {
      const { subject, ...filter } = filterFrom(request)
      const filters = [request.subjectKind, request.subjectId, filter.actor, filter.call, filter.from, filter.until]
      const page = readPage(request, 'ListAuditRecords', { filters, form: ['number'] })
      const found = await adminLedger.audit.list(
        subject,
        { after: page.after as readonly [number] | null, limit: page.size },
        filter,
      )
      const nextPageToken = found.next === null ? '' : pageToken('ListAuditRecords', filters, [found.next])
      return { records: found.records.map(messageFromFacts), nextPageToken }
    },
  })
}

export function messageFromFacts(facts: AuditFacts) {
  const { before, after, cards } = facts
  return {
    ...facts,
    beforeJson: before,
    afterJson: after,
    changes: facts.subjectKind === 'member' ? fieldChanges(before, after) : [],
    cards: cards.map(({ loyaltyId, from, to }) => ({ loyaltyId, fromMemberId: from, toMemberId: to })),
  }
}

/** The fields that differ between two snapshots of a member, or of one of its accounts. */
function fieldChanges(before: string | null, after: string | null) {
  const [had, has] = [before, after].map(fieldsOf) as [Fields, Fields]
  return [...new Set([...had.keys(), ...has.keys()])]
    .map((path) => ({ path, beforeJson: had.get(path) ?? '', afterJson: has.get(path) ?? '' }))
    .filter(({ beforeJson, afterJson }) => beforeJson !== afterJson)
}

type Fields = ReadonlyMap<string, string>

/** JSON of each field, including those of the profile. */
function fieldsOf(snapshot: string | null): Fields {
  const { profile = {}, ...fields } = JSON.parse(snapshot ?? '{}') as { readonly profile?: object }
  return new Map(Object.entries({ ...fields, ...profile }).map(([path, value]) => [path, JSON.stringify(value)]))
}

function filterFrom(
  request: ListAuditRecordsRequest,
): AuditFilter & { readonly subject: { readonly kind: string; readonly id: string } | null } {
  const { subjectKind: kind, subjectId: id, actor, call } = request
  const isAny = kind === '' && id === ''
  const [from, until] = [request.from, request.until].map((at) => microsecondsFrom(at))
  const checks = new FieldChecks()
    .expect('actor', actorForm.test(actor), 'at most 200 characters without control characters', actor)
    .expect('call', call === '' || callForm.test(call), 'a call such as MemberService/BlockMember', call)
  if (!isAny) {
    checks.expect('subject_kind', kinds.includes(kind), `one of ${kinds.join(', ')}`, kind).id('subject_id', id)
  }
  checks.done()
  return {
    subject: isAny ? null : { kind, id },
    ...{ actor, call },
    from: from === null ? null : Math.floor(from! / 1_000),
    until: until === null ? null : Math.ceil(until! / 1_000),
  }
}

const actorForm = /^[^\p{Cc}\p{Cs}]{0,200}$/u
const callForm = /^[\w./-]{1,128}$/
