import { Outlet, useBlocker, useMatchRoute } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Dialog, TextLink } from '../../parts/controls.js'
import { Page, Tabs } from '../../parts/page.js'
import { Empty, Waiting } from '../../parts/states.js'
import { type ProgrammeDraft, storeDraft, useProgrammeDraft } from './draft-store.js'
import { PublishDialog } from './publish-dialog.js'
import { editedBytesMax, useDocument, useNewest } from './use-document.js'

export function Draft() {
  const draft = useProgrammeDraft()
  const [isPublishing, setPublishing] = useState(false)
  // Publishing clears the draft while its dialog still shows the outcome.
  const [last, setLast] = useState(draft)
  if (draft !== null && draft !== last) setLast(draft)
  return (
    <>
      {draft === null ? (
        <NoDraft />
      ) : (
        <Written draft={draft} isPublishing={isPublishing} onPublish={() => setPublishing(true)} />
      )}
      {isPublishing && last !== null && <PublishDialog draft={last} onClose={() => setPublishing(false)} />}
    </>
  )
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
  return (
    <Page
      title={t('draft.title')}
      buttons={
        <>
          <Button onClick={() => setDropping(true)} text={t('draft.drop')} />
          {may('ProgrammeService/PublishProgramme') && (
            <Button data-main onClick={onPublish} text={t('publish.open')} />
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
      {!isTakingOver && <StaleBanner draft={draft} />}
      {!draft.isKept && <p role="status">{t('draft.notKept')}</p>}
      <Outlet />
      {isDropping && <DropDialog onClose={() => setDropping(false)} />}
      {!isDropping && !isPublishing && <LeaveDialog isChanged={draft.isChanged} />}
    </Page>
  )
}

function NoDraft() {
  const t = useWords()
  const newest = useNewest()
  const programme = newest.data?.programme
  const document = useDocument(programme)
  // A press before the text has come counts once it is here.
  const [isWanted, setWanted] = useState(false)
  const version = programme?.version
  useEffect(() => {
    if (isWanted && document !== null) storeDraft({ text: document, baseVersion: version!, isChanged: false })
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
    <Page title={t('draft.title')}>
      <Empty why={t('draft.none')}>{t('draft.noneWhat')}</Empty>
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

function LeaveDialog({ isChanged }: { readonly isChanged: boolean }) {
  const t = useWords()
  const blocker = useBlocker({
    shouldBlockFn: ({ next }) => isChanged && !next.pathname.includes('/programme/draft'),
    enableBeforeUnload: () => isChanged,
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

function DropDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords()
  return (
    <CommandDialog
      title={t('draft.dropTitle')}
      verb={t('draft.drop')}
      draftKey="drop-draft"
      withReason={false}
      onClose={onClose}
      run={async () => {
        storeDraft(null)
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
