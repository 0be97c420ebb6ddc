import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useInfiniteQuery } from '@connectrpc/connect-query'
import { AuditService } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useHouseZone } from '../../api/venues.js'
import { endOfDay, momentAt } from '../../parts/offsets.js'
import type { AuditSearch } from './search.js'

/** Audit records, newest first; what was changed counts when both its parts are there. Days are those of the venues. */
export function useAudit({ kind = '', subject = '', actor = '', call = '', from, until }: AuditSearch) {
  const zone = useHouseZone()
  return useInfiniteQuery(
    AuditService.method.listAuditRecords,
    {
      ...{ pageSize, pageToken: '', actor, call },
      ...(kind !== '' && subject !== '' ? { subjectKind: kind, subjectId: subject } : {}),
      ...(from === undefined ? {} : { from: timestampFromDate(momentAt(`${from}T00:00`, zone)) }),
      ...(until === undefined ? {} : { until: timestampFromDate(endOfDay(until, zone)) }),
    },
    pages,
  )
}
