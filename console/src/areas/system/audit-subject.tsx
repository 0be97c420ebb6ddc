import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../../../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { useWords } from '../../i18n/words.js'

const paths: Readonly<Record<string, string>> = {
  programme: '/programme',
  proposal: '/programme/proposals',
  venue: '/system/venues',
  member: '/members',
  sale: '/sales',
  calculation: '/calculations',
  webhook: '/system/webhooks',
}

/** What was changed, as a link where it has a screen. */
export function AuditSubject({ record }: { readonly record: AuditRecord }) {
  const t = useWords()
  const { subjectKind, subjectId } = record
  const text = `${t.of('subject', subjectKind)} ${subjectId}`
  const path = paths[subjectKind]
  if (path === undefined) return text
  const to: string = `${path}/${encodeURIComponent(subjectId)}`
  return <Link to={to}>{text}</Link>
}
