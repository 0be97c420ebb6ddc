import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { AccessService } from '../../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { useWords } from '../../i18n/words.js'
import type { AuditSearch } from './search.js'

/** As the service has them. */
const kinds = ['programme', 'venue', 'member', 'codes', 'sale', 'webhook', 'calculation', 'proposal']

/** Who, what, when: what is typed counts with Enter, or when its field is left. */
export function AuditFilters({ search }: { readonly search: AuditSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState({ actor: '', call: '', subject: '', ...search })
  const [kind, setKind] = useState(search.kind ?? '')
  const apply = (change: Readonly<Partial<Record<keyof AuditSearch, string>>> = {}) => {
    const next = { ...typed, kind, ...change }
    const isWhole = next.kind !== '' && next.subject.trim() !== ''
    const subject = isWhole ? { kind: next.kind, subject: next.subject.trim() } : {}
    const others = { actor: next.actor.trim(), call: next.call.trim(), from: next.from ?? '', until: next.until ?? '' }
    const given = Object.fromEntries(Object.entries(others).filter(([, text]) => text !== ''))
    const wanted: AuditSearch = { ...subject, ...given }
    if (JSON.stringify(wanted) !== JSON.stringify(search)) void navigate({ to: '/system/audit', search: wanted })
  }
  const text = (key: 'actor' | 'call' | 'subject', label: string, list?: string) => (
    <input
      value={typed[key]}
      aria-label={label}
      placeholder={label}
      list={list}
      onChange={(event) => setTyped({ ...typed, [key]: event.target.value })}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
      onBlur={() => apply()}
    />
  )
  const day = (key: 'from' | 'until', label: string) => (
    <input
      type="date"
      value={search[key] ?? ''}
      aria-label={label}
      title={label}
      onChange={(event) => apply({ [key]: event.target.value })}
    />
  )
  return (
    <>
      {text('actor', t('audit.who'))}
      {text('call', t('audit.call'), 'audit-calls')}
      <Calls />
      <select
        aria-label={t('audit.kind')}
        value={kind}
        onChange={(event) => {
          setKind(event.target.value)
          apply({ kind: event.target.value })
        }}
      >
        <option value="">{t('audit.anyKind')}</option>
        {kinds.map((word) => (
          <option key={word} value={word}>
            {t.of('subject', word)}
          </option>
        ))}
      </select>
      {kind !== '' && text('subject', t('audit.subjectId'))}
      {day('from', t('reports.from'))}
      {day('until', t('reports.until'))}
    </>
  )
}

/** Calls to choose from: those that this token may make. */
function Calls() {
  const { data } = useQuery(AccessService.method.getAccess, {}, { staleTime: Number.POSITIVE_INFINITY })
  return (
    <datalist id="audit-calls">
      {data?.calls.map((call) => (
        <option key={call} value={call} />
      ))}
    </datalist>
  )
}
