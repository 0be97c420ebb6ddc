import { useInfiniteQuery } from '@connectrpc/connect-query'
import { AuditService } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { pageSize, pages } from '../../api/use-pages.js'
import type { AuditSearch } from './search.js'

/** Audit records, newest first; a filter counts when both its parts are there. */
export function useAudit({ kind = '', subject = '' }: AuditSearch) {
  const filter = kind !== '' && subject !== '' ? { subjectKind: kind, subjectId: subject } : {}
  return useInfiniteQuery(AuditService.method.listAuditRecords, { pageSize, pageToken: '', ...filter }, pages)
}
