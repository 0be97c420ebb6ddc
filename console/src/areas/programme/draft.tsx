import { Outlet, useBlocker, useMatchRoute, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isNotFound, newId } from '../../api/transport.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Dialog, Field, TextLink } from '../../parts/controls.js'
import { Page, Tabs } from '../../parts/page.js'
import { Empty, ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { Time } from '../../parts/values.js'
import { beginDraft, changeDraft, closeDraft, type ProgrammeDraft, splitDraft, useOpenDraft } from './draft-store.js'
import { useOpenDraftId } from './open-draft.js'
import { PublishDialog } from './publish-dialog.js'
import { editedBytesMax, useDocument, useNewest } from './use-document.js'
import { useStoring } from './use-storing.js'

export function Draft() {
  const { draft, isLoading, error, refetch } = useOpenDraft()
  const [isPublishing, setPublishing] = useState(false)
  // As it is read before it is published: what others store meanwhile stays theirs.
  const [opened, setOpened] = useState<ProgrammeDraft | null>(null)
  if (isPublishing && opened === null && draft !== null) setOpened(draft)
  useAddress()
  const remove = useRemove()
  if (isLoading) return <Skeleton />
  if (error !== null && !isNotFound(error)) return <ErrorPanel cause={error} onRetry={refetch} />
  return (
    <>
      {draft === null ? (
        <NoDraft isGone={error !== null} />
      ) : (
        <Written draft={draft} isPublishing={isPublishing} onPublish={() => setPublishing(true)} />
      )}
      {isPublishing && opened !== null && (
        <PublishDialog
          draft={opened}
          // One that others have changed meanwhile is not deleted.
          onPublished={() => void remove(opened, newId()).catch(() => closeDraft(opened.draftId))}
          onClose={() => {
            setPublishing(false)
            setOpened(null)
          }}
        />
      )}
    </>
  )
}

/** Keeps the open draft in the address. */
function useAddress(): void {
  const navigate = useNavigate()
  const draftId = useOpenDraftId() ?? undefined
  useEffect(() => {
    void navigate({ to: '.', search: (known: object) => ({ ...known, draftId }), replace: true })
  }, [navigate, draftId])
}

/** Deletes the draft of the revision that is shown, and closes it. */
function useRemove() {
  const { programmes } = useCommands()
  return async ({ draftId, revision }: ProgrammeDraft, requestId: string) => {
    if (revision > 0) await programmes.deleteDraft({ requestId, draftId, expectedRevision: revision })
    closeDraft(draftId)
  }
}

interface WrittenProps {
  readonly draft: ProgrammeDraft
  readonly isPublishing: boolean
  readonly onPublish: () => void
}

function Written({ draft, isPublishing, onPublish }: WrittenProps) {
  const t = useWords()
  const may = useMay()
  const isTakingOver = useMatchRoute()({ to: '/programme/draft/take-over' }) !== false
  const [isDropping, setDropping] = useState(false)
  const store = useStoring(draft)
  return (
    <Page
      title={draft.name || t('draft.title')}
      buttons={
        <>
          <TextLink to="/programme/drafts" className="button" text={t('drafts.title')} />
          <Button onClick={() => setDropping(true)} text={t('draft.drop')} />
          {may('ProgrammeService/PublishProgramme') && (
            <Button data-main onClick={() => void store().then(onPublish)} text={t('publish.open')} />
          )}
        </>
      }
    >
      <Tabs
        label={t('draft.title')}
        tabs={[
          { to: '/programme/draft', title: t('draft.form'), exact: true },
          { to: '/programme/draft/json', title: t('draft.json') },
          { to: '/programme/draft/try', title: t('draft.try') },
          { to: '/programme/draft/shadow', title: t('draft.shadow') },
          { to: '/programme/draft/worst', title: t('draft.worst') },
        ]}
      />
      <DraftState draft={draft} />
      {!isTakingOver && <ChangedBanner draft={draft} />}
      {!isTakingOver && <StaleBanner draft={draft} />}
      <Outlet />
      {isDropping && <DropDialog draft={draft} onClose={() => setDropping(false)} />}
      {!isDropping && !isPublishing && <LeaveDialog draft={draft} />}
    </Page>
  )
}

const nameCharactersMax = 80

/** The name of the draft, and how much of it is stored. */
function DraftState({ draft }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const { name, isStored, isChanged, isKept, fault, stored } = draft
  const state = () => {
    if (isStored) return t('draft.stored', { by: stored!.changedBy })
    if (!isChanged) return t('draft.unchanged')
    if (fault === null) return t('draft.storing')
    if (!isKept) return t('draft.notKept')
    if (fault.reason === 'UNAVAILABLE') return t('draft.away')
    if (fault.reason === 'PERMISSION_DENIED') return t('draft.ownOnly')
    return t('draft.notStored')
  }
  return (
    <div className="row">
      <Field
        label={t('draft.called')}
        value={name}
        maxLength={nameCharactersMax}
        onText={(text) => changeDraft({ name: text })}
      />
      <span className="muted" role="status">
        {state()} {isStored && <Time at={stored!.changedAt} />}
      </span>
    </div>
  )
}

/** Others have stored, published or thrown away what this text was written over. */
function ChangedBanner({ draft: { fault } }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const isChanged = fault?.reason === 'DRAFT_CHANGED'
  if (fault === null || !(isChanged || fault.reason === 'DRAFT_NOT_FOUND' || fault.reason === 'TOO_MANY_DRAFTS'))
    return null
  const by = fault.metadata['changed_by'] ?? ''
  return (
    <p className="banner" role="alert">
      <span>{isChanged ? t('draft.changedBy', { by }) : t.of('fault', fault.reason)}</span>
      {isChanged && <TextLink to="/programme/draft/take-over" className="button" text={t('stale.takeOver')} />}
      {fault.reason !== 'TOO_MANY_DRAFTS' && <Button onClick={splitDraft} text={t('draft.split')} />}
    </p>
  )
}

function NoDraft({ isGone }: { readonly isGone: boolean }) {
  const t = useWords()
  const newest = useNewest()
  const programme = newest.data?.programme
  const document = useDocument(programme)
  // A press before the text has come counts once it is here.
  const [isWanted, setWanted] = useState(false)
  const version = programme?.version
  useEffect(() => {
    if (isWanted && document !== null) beginDraft({ text: document, baseVersion: version!, isChanged: false })
  }, [isWanted, document, version])
  if (!newest.isSuccess) return <Waiting query={newest} />
  if (programme!.documentBytes > editedBytesMax) {
    return (
      <Page title={t('draft.title')}>
        <Empty why={t('draft.tooLarge')}>{t('draft.tooLargeWhat')}</Empty>
      </Page>
    )
  }
  return (
    <Page
      title={t('draft.title')}
      buttons={<TextLink to="/programme/drafts" className="button" text={t('drafts.title')} />}
    >
      <Empty why={t(isGone ? 'draft.gone' : 'draft.none')}>{t('draft.noneWhat')}</Empty>
      <p>
        <Button
          data-main
          aria-busy={isWanted}
          onClick={() => setWanted(true)}
          text={t('draft.fromVersion', { version: String(version) })}
        />
      </p>
    </Page>
  )
}

/** A text that is being stored needs no question: its screen stores it as it is left. */
function LeaveDialog({ draft: { isStored, isChanged, fault } }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const isUnsent = !isStored && isChanged
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isUnsent && fault !== null && !next.pathname.includes('/programme/draft'),
    enableBeforeUnload: () => isUnsent,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title={t('leave.title')} onClose={blocker.reset}>
      <p>{t('leave.what')}</p>
      <div className="row">
        <Button onClick={blocker.proceed} text={t('leave.do')} />
        <Button data-main onClick={blocker.reset} text={t('leave.stay')} />
      </div>
    </Dialog>
  )
}

function DropDialog({ draft, onClose }: { readonly draft: ProgrammeDraft; readonly onClose: () => void }) {
  const t = useWords()
  const remove = useRemove()
  return (
    <CommandDialog
      title={t('draft.dropTitle')}
      verb={t('draft.drop')}
      draftKey="drop-draft"
      withReason={false}
      onClose={onClose}
      run={async ({ requestId }) => {
        await remove(draft, requestId)
        return null
      }}
    >
      <p>{t('draft.dropWhat')}</p>
    </CommandDialog>
  )
}

function StaleBanner({ draft }: { readonly draft: ProgrammeDraft }) {
  const t = useWords()
  const inForce = useNewest().data?.programme
  if (inForce === undefined || inForce.version <= draft.baseVersion) return null
  const values = { version: String(inForce.version), by: inForce.publishedBy, base: String(draft.baseVersion) }
  return (
    <p className="banner" role="status">
      <span>{t('stale.banner', values)}</span>
      <TextLink to="/programme/draft/take-over" className="button" text={t('stale.takeOver')} />
    </p>
  )
}
