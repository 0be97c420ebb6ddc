import { Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Page, Tabs } from '../../parts/page.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { storeDraft, useProgrammeDraft } from './draft-store.js'
import { DropDialog } from './drop-dialog.js'
import { LeaveDialog } from './leave-dialog.js'
import { PublishDialog } from './publish-dialog.js'
import { editedBytesMax, useDocument } from './use-document.js'
import { useNewest } from './use-newest.js'

/** A programme that is being written: edit it, try it, publish it. */
export function Draft() {
  const t = useWords()
  const may = useMay()
  const draft = useProgrammeDraft()
  const [open, setOpen] = useState<'publish' | 'drop' | null>(null)
  if (draft === null) return <NoDraft />
  return (
    <Page
      title={t('draft.title')}
      buttons={
        <>
          <button type="button" onClick={() => setOpen('drop')}>
            {t('draft.drop')}
          </button>
          {may('ProgrammeService/PublishProgramme') && (
            <button type="button" data-main onClick={() => setOpen('publish')}>
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
      {!draft.isKept && <p role="status">{t('draft.notKept')}</p>}
      <Outlet />
      {open === 'publish' && <PublishDialog draft={draft} onClose={() => setOpen(null)} />}
      {open === 'drop' && <DropDialog onClose={() => setOpen(null)} />}
      {open === null && <LeaveDialog isChanged={draft.isChanged} />}
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
