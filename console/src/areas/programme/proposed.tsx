import { Link } from '@tanstack/react-router'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'

interface ProposedProps {
  /** Empty: the document is the newest version already. */
  readonly proposalId: string
  readonly requestId: string
}

/** What a change says that another person must approve. */
export function Proposed({ proposalId, requestId }: ProposedProps) {
  const t = useWords()
  if (proposalId === '') return <p>{t('propose.already')}</p>
  return (
    <>
      <p>{t('propose.done')}</p>
      <p>
        <Link to="/programme/proposals/$proposalId" params={{ proposalId }}>
          {t('propose.look')}
        </Link>
      </p>
      <AuditRecord requestId={requestId} />
    </>
  )
}
