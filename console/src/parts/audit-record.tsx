import { useQuery } from '@connectrpc/connect-query'
import { AuditService } from '../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { useWords } from '../i18n/words.js'
import { Time } from './time.js'

/** Among so many newest records a change that was just made is found. */
const recordsLooked = 50

/** The audit record of a change that was just made. */
export function AuditRecord({ requestId }: { readonly requestId: string }) {
  const t = useWords()
  const { data } = useQuery(
    AuditService.method.listAuditRecords,
    { pageSize: recordsLooked },
    { staleTime: 0, refetchOnMount: 'always' },
  )
  const record = data?.records.find((one) => one.requestId === requestId)
  if (record === undefined) return null
  return (
    <p className="muted">
      {t('audit.record', { id: String(record.auditId), call: record.call, actor: record.actor })}{' '}
      <Time at={record.at} />
    </p>
  )
}
