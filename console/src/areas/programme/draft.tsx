import { Outlet, useMatchRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Page, Tabs } from '../../parts/page.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { type ProgrammeDraft, storeDraft, useProgrammeDraft } from './draft-store.js'
import { DropDialog } from './drop-dialog.js'
import { LeaveDialog } from './leave-dialog.js'
import { PublishDialog } from './publish-dialog.js'
import { StaleBanner } from './stale-banner.js'
import { editedBytesMax, useDocument } from './use-document.js'
import { useNewest } from './use-newest.js'

/** A programme that is being written: edit it, try it, publish it. */
export function Draft() {
  const draft = useProgrammeDraft()
  const [isPublishing, setPublishing] = useState(false)
  // Publishing clears the draft, while its dialog still says what became of it.
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
          <button type="button" onClick={() => setDropping(true)}>
            {t('draft.drop')}
          </button>
          {may('ProgrammeService/PublishProgramme') && (
            <button type="button" data-main onClick={onPublish}>
              {t('publish.open')}
            </button>
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

/** Begins a draft with the version in force. */
function NoDraft() {
  const t = useWords()
  const newest = useNewest()
  const programme = newest.data?.programme
  const document = useDocument(programme)
  if (newest.isPending) return <Skeleton />
  if (newest.isError) return <ErrorPanel cause={newest.error} onRetry={() => void newest.refetch()} />
  const version = programme!.version
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
        <button
          type="button"
          data-main
          disabled={document === null}
          onClick={() => storeDraft({ document: document!, baseVersion: version, isChanged: false })}
        >
          {t('draft.fromVersion', { version: String(version) })}
        </button>
      </p>
    </Page>
  )
}
