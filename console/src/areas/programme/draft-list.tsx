import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import type { ProgrammeDraft } from '../../../../gateway/gen/loyalty/v1/programme_draft_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, TextLink } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import type { Column } from '../../parts/rows.js'
import { Time } from '../../parts/values.js'
import { openDraft } from './open-draft.js'

/** The drafts of all people. */
export function DraftList() {
  const t = useWords()
  const navigate = useNavigate()
  const query = useQuery(ProgrammeService.method.listDrafts, {}, { staleTime: 0 })
  const begin = () => {
    openDraft(null)
    void navigate({ to: '/programme/draft' })
  }
  return (
    <ListScreen
      title={t('drafts.title')}
      lead={t('drafts.lead')}
      query={query}
      columns={columnsOf(t)}
      rows={query.data?.drafts ?? []}
      keyOf={({ draftId }) => draftId}
      openKey={undefined}
      onOpen={({ draftId }) => void navigate({ to: '/programme/draft', search: { draftId } })}
      empty={[t('draft.none'), t('draft.noneWhat')]}
      filters={
        <>
          <Button onClick={begin} text={t('draft.begin')} />
          <TextLink to="/programme" className="button" text={t('proposals.versions')} />
        </>
      }
    />
  )
}

function columnsOf(t: Words): readonly Column<ProgrammeDraft>[] {
  const nameOf = ({ name, begunBy }: ProgrammeDraft) => name || t('drafts.of', { by: begunBy })
  return [
    {
      key: 'name',
      head: t('draft.called'),
      cell: (draft) => <TextLink to="/programme/draft" search={{ draftId: draft.draftId }} text={nameOf(draft)} />,
      value: nameOf,
    },
    { key: 'base', head: t('proposals.base'), value: ({ baseVersion }) => baseVersion, isNumber: true },
    { key: 'by', head: t('audit.actor'), value: ({ changedBy }) => changedBy },
    {
      key: 'at',
      head: t('drafts.at'),
      cell: ({ changedAt }) => <Time at={changedAt} />,
      value: ({ changedAt }) => Number(changedAt?.seconds ?? 0n),
    },
  ]
}
