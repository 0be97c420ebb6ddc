import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import {
  ProgrammeService,
  type ProgrammeVersion,
  type PublishProgrammeResponse,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { isPassing } from '../../api/query-client.js'
import { callError } from '../../api/transport.js'
import { useCommands, useReviewRequired } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Check, Dialog, Field, TextLink } from '../../parts/controls.js'
import { Waiting } from '../../parts/states.js'
import { forgetTyped, useDraft } from '../../parts/use-draft.js'
import { Changes, pathWords, Warnings, warningText } from './changes.js'
import { readDocument } from './describe/use-saying.js'
import { noteKey, type ProgrammeDraft } from './draft-store.js'
import { type Moment, Scheduled, useSchedule } from './schedule.js'
import { useNewest, useVersionDocument } from './use-document.js'
import { useWorstChecks } from './worst/worst-checks.js'

interface PublishDialogProps {
  /** Absent: that of a draft. */
  readonly title?: string
  readonly draft: Pick<ProgrammeDraft, 'document' | 'baseVersion'>
  readonly onPublished?: () => void
  readonly onClose: () => void
}

/** Publishes the draft where its writer has seen the version in force; else shows the changes of that version. */
export function PublishDialog({ title, draft, onPublished, onClose: close }: PublishDialogProps) {
  const t = useWords()
  const send = useSend()
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
  const worst = useWorstChecks(document)
  const { moment, ...schedule } = useSchedule(momentKey)
  // The next draft has a moment of its own.
  const onClose = () => {
    forgetTyped(momentKey)
    close()
  }
  const isTimed = isProposed || schedule.isReady
  const inForce = newest.data?.programme
  // The draft's own publication does not make it stale.
  const [isOwn, setOwn] = useState(false)
  const isStale = !isOwn && inForce !== undefined && inForce.version > baseVersion
  if (isStale) return <Stale draft={draft} inForce={inForce} onClose={onClose} />
  return (
    <CommandDialog
      title={title ?? t('publish.title')}
      verb={t(isProposed ? 'propose.do' : moment !== null ? 'schedule.do' : 'publish.do')}
      draftKey="publish"
      withReason={false}
      refresh="published"
      isReady={query.isSuccess && newest.isSuccess && isRequired !== undefined && worst.isReady && isTimed}
      onClose={onClose}
      run={async ({ requestId }) => {
        setOwn(true)
        try {
          const acknowledgements = [...worst.acknowledgements]
          const terms = { requestId, document, expectedVersion: baseVersion, acknowledgements }
          const outcome = await send(terms, isProposed ? note.trim() : moment)
          onPublished?.()
          return outcome
        } catch (cause) {
          // Without an answer it may be published all the same: another attempt will show it.
          if (!isPassing(callError(cause))) setOwn(false)
          throw cause
        }
      }}
    >
      <p>{t('publish.what', { next: String(baseVersion + 1), base: String(baseVersion) })}</p>
      <Waiting query={query} lines={3} />
      {query.isSuccess && <Changes {...query.data} base={base} changed={document} />}
      <Warnings document={document} />
      {worst.checks}
      <Review isRequired={isRequired === true} isProposed={isProposed} onWant={setWanted} />
      {!isProposed && schedule.fields}
      {isProposed && <Field label={t('propose.note')} value={note} maxLength={noteCharactersMax} onText={setNote} />}
    </CommandDialog>
  )
}

const momentKey = 'publish/moment'

interface Terms {
  readonly requestId: string
  readonly document: string
  readonly expectedVersion: number
  readonly acknowledgements: string[]
}

/** Proposes with a note, publishes at a moment, or with null publishes now; resolves to the outcome in words. */
function useSend() {
  const { programmes } = useCommands()
  return async (terms: Terms, how: string | Moment | null) => {
    const { document } = terms
    if (how === null) return <Published reply={await programmes.publishProgramme(terms)} document={document} />
    if (typeof how === 'string') {
      const { proposalId } = await programmes.proposeProgramme({ ...terms, note: how })
      return <Proposed proposalId={proposalId} />
    }
    const programme = { case: 'document', value: document } as const
    const { proposal } = await programmes.schedulePublication({ ...terms, programme, ...how })
    return <Scheduled proposal={proposal} />
  }
}

/** The service's own limit. */
const noteCharactersMax = 500

interface ReviewProps {
  readonly isRequired: boolean
  readonly isProposed: boolean
  readonly onWant: (isWanted: boolean) => void
}

function Review({ isRequired, isProposed, onWant }: ReviewProps) {
  const t = useWords()
  if (isRequired) return <p>{t('propose.required')}</p>
  return <Check text={t('propose.want')} checked={isProposed} onCheck={onWant} />
}

function Published({ reply, document }: { readonly reply: PublishProgrammeResponse; readonly document: string }) {
  const t = useWords()
  const programme = useMemo(() => readDocument(document), [document])
  const version = String(reply.version)
  return (
    <>
      <p>{t(reply.published ? 'publish.done' : 'publish.already', { version })}</p>
      <p>
        <TextLink to="/programme/$version" params={{ version }} text={t('versions.title', { version })} />
      </p>
      {reply.warnings.map(({ path, word, message }) => (
        <p key={`${path}/${word}`} className="muted">
          {pathWords(t, path, programme)}: {warningText(t, word, message)}
        </p>
      ))}
    </>
  )
}

interface StaleProps extends Pick<PublishDialogProps, 'draft' | 'onClose'> {
  readonly inForce: ProgrammeVersion
}

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
      <div className="box">
        <Waiting query={query} lines={3} />
        {query.isSuccess && <Changes {...query.data} {...texts} />}
      </div>
      <p className="muted">{t('stale.how', values)}</p>
      <div className="row">
        <Button onClick={onClose} text={t('dialog.close')} />
        <Button
          data-main
          onClick={() => {
            onClose()
            void navigate({ to: '/programme/draft/take-over' })
          }}
          text={t('stale.takeOver')}
        />
      </div>
    </Dialog>
  )
}

/** The result of a change that another person must approve. @param proposalId  empty: the document is the newest version already */
export function Proposed({ proposalId }: { readonly proposalId: string }) {
  const t = useWords()
  if (proposalId === '') return <p>{t('propose.already')}</p>
  return (
    <>
      <p>{t('propose.done')}</p>
      <p>
        <TextLink to="/programme/proposals/$proposalId" params={{ proposalId }} text={t('propose.look')} />
      </p>
    </>
  )
}
