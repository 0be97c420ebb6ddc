import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  ProgrammeService,
  type ProgrammeVersion,
  type PublishProgrammeResponse,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { callError } from '../../api/call-error.js'
import { isPassing } from '../../api/query-client.js'
import { useCommands, useReviewRequired } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog, Dialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Changes } from './changes.js'
import { noteKey, type ProgrammeDraft, storeDraft } from './draft-store.js'
import styles from './programme.module.css'
import { Proposed } from './proposed.js'
import { useVersionDocument } from './use-document.js'
import { useNewest } from './use-newest.js'
import { Warnings } from './warnings.js'

interface PublishDialogProps {
  readonly draft: ProgrammeDraft
  readonly onClose: () => void
}

/** Publishes the draft where its writer has seen the version in force; else shows what that one changed. */
export function PublishDialog({ draft, onClose }: PublishDialogProps) {
  const t = useWords()
  const { programmes, published } = useCommands()
  const isRequired = useReviewRequired()
  const [isWanted, setWanted] = useState(false)
  const [note, setNote] = useDraft(noteKey, '')
  const isProposed = isRequired === true || isWanted
  const newest = useNewest()
  const { document, baseVersion } = draft
  const query = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion, changed: { case: 'draftDocument', value: document } },
    { staleTime: 0, gcTime: 0 },
  )
  const base = useVersionDocument(baseVersion).document
  const inForce = newest.data?.programme
  // Its own publication makes no draft stale.
  const [isOwn, setOwn] = useState(false)
  const isStale = !isOwn && inForce !== undefined && inForce.version > baseVersion
  if (isStale) return <Stale draft={draft} inForce={inForce} onClose={onClose} />
  return (
    <CommandDialog
      title={t('publish.title')}
      verb={t(isProposed ? 'propose.do' : 'publish.do')}
      draftKey="publish"
      withReason={false}
      isReady={query.isSuccess && newest.isSuccess && isRequired !== undefined}
      onClose={onClose}
      run={async ({ requestId }) => {
        setOwn(true)
        try {
          const terms = { requestId, document, expectedVersion: baseVersion }
          if (isProposed) {
            const { proposalId } = await programmes.proposeProgramme({ ...terms, note: note.trim() })
            storeDraft(null)
            return <Proposed proposalId={proposalId} requestId={requestId} />
          }
          const reply = await programmes.publishProgramme(terms)
          storeDraft(null)
          return <Published reply={reply} requestId={requestId} />
        } catch (cause) {
          // Without an answer it may be published all the same: another attempt tells.
          if (!isPassing(callError(cause))) setOwn(false)
          throw cause
        } finally {
          await published()
        }
      }}
    >
      <p>{t('publish.what', { next: String(baseVersion + 1), base: String(baseVersion) })}</p>
      {query.isPending && <Skeleton lines={3} />}
      {query.isError && <ErrorPanel cause={query.error} />}
      {query.isSuccess && <Changes {...query.data} base={base} changed={document} />}
      <Warnings document={document} />
      <Review isRequired={isRequired === true} isProposed={isProposed} onWant={setWanted} />
      {isProposed && (
        <label>
          {t('propose.note')}
          <input value={note} maxLength={noteCharactersMax} onChange={(event) => setNote(event.target.value)} />
        </label>
      )}
    </CommandDialog>
  )
}

/** As the service has it. */
const noteCharactersMax = 500

interface ReviewProps {
  readonly isRequired: boolean
  readonly isProposed: boolean
  readonly onWant: (isWanted: boolean) => void
}

/** Whether another person publishes the draft: a choice, unless the service allows nothing else. */
function Review({ isRequired, isProposed, onWant }: ReviewProps) {
  const t = useWords()
  if (isRequired) return <p>{t('propose.required')}</p>
  return (
    <label data-check>
      <input type="checkbox" checked={isProposed} onChange={(event) => onWant(event.target.checked)} />
      {t('propose.want')}
    </label>
  )
}

interface PublishedProps {
  readonly reply: PublishProgrammeResponse
  readonly requestId: string
}

function Published({ reply, requestId }: PublishedProps) {
  const t = useWords()
  const version = String(reply.version)
  return (
    <>
      <p>{t(reply.published ? 'publish.done' : 'publish.already', { version })}</p>
      <p>
        <Link to="/programme/$version" params={{ version }}>
          {t('versions.title', { version })}
        </Link>
      </p>
      {reply.warnings.map(({ path, word, message }) => (
        <p key={`${path}/${word}`} className="muted">
          <code>{path}</code> {message}
        </p>
      ))}
      <AuditRecord requestId={requestId} />
    </>
  )
}

interface StaleProps extends PublishDialogProps {
  readonly inForce: ProgrammeVersion
}

/** Somebody else has published since the draft was begun: what they changed, before anything of it is lost. */
function Stale({ draft, inForce, onClose }: StaleProps) {
  const t = useWords()
  const navigate = useNavigate()
  const query = useQuery(ProgrammeService.method.diffProgrammes, {
    baseVersion: draft.baseVersion,
    changed: { case: 'version', value: inForce.version },
  })
  const texts = {
    base: useVersionDocument(draft.baseVersion).document,
    changed: useVersionDocument(inForce.version).document,
  }
  const values = { version: String(inForce.version), by: inForce.publishedBy, base: String(draft.baseVersion) }
  return (
    <Dialog title={t('stale.title')} onClose={onClose}>
      <p>{t('stale.what', values)}</p>
      <div className={styles['stale']}>
        {query.isPending && <Skeleton lines={3} />}
        {query.isError && <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && <Changes {...query.data} {...texts} />}
      </div>
      <p className="muted">{t('stale.how', values)}</p>
      <div className={styles['form']}>
        <button type="button" onClick={onClose}>
          {t('dialog.close')}
        </button>
        <button
          type="button"
          data-main
          onClick={() => {
            onClose()
            void navigate({ to: '/programme/draft/take-over' })
          }}
        >
          {t('stale.takeOver')}
        </button>
      </div>
    </Dialog>
  )
}
