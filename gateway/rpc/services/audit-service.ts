import type { ConnectRouter } from '@connectrpc/connect'
import type { AuditFacts } from '../../../store/ledger/audit.js'
import type { Ledger } from '../../../store/ledger.js'
import { AuditService } from '../../gen/loyalty/v1/audit_service_pb.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { pageToken, readPage } from '../messages/page-token.js'

const kinds: readonly string[] = [
  'programme',
  'venue',
  'member',
  'codes',
  'sale',
  'webhook',
  'calculation',
] satisfies readonly AuditFacts['subjectKind'][]

export interface AuditParts {
  readonly ledger: Pick<Ledger, 'audit'>
}

/** Who changed what. */
export function auditRoutes({ ledger }: AuditParts): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AuditService, {
      async listAuditRecords(request) {
        const { subjectKind: kind, subjectId: id } = request
        const everything = kind === '' && id === ''
        if (!everything) {
          new FieldChecks()
            .expect('subject_kind', kinds.includes(kind), `one of ${kinds.join(', ')}`, kind)
            .id('subject_id', id)
            .done()
        }
        const filters = [kind, id]
        const page = readPage(request, 'ListAuditRecords', { filters, form: ['number'] })
        const found = await ledger.audit.list(everything ? null : { kind, id }, {
          after: page.after as readonly [number] | null,
          limit: page.size,
        })
        const last = found.records.at(-1)
        const isEnd = found.isLast || last === undefined
        const nextPageToken = isEnd ? '' : pageToken('ListAuditRecords', filters, [last.auditId])
        const records = found.records.map(({ auditId, at, before, after, ...rest }) => ({
          ...rest,
          auditId: BigInt(auditId),
          at: timestamp(at),
          beforeJson: before ?? '',
          afterJson: after ?? '',
        }))
        return { records, nextPageToken }
      },
    })
  }
}
