import { createQueryOptions, useInfiniteQuery, useQuery, useTransport } from '@connectrpc/connect-query'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { ProposalState } from '../../../../gateway/gen/loyalty/v1/programme_proposal_pb.js'
import { ProgrammeService, type ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Select, TextLink } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import type { Column } from '../../parts/rows.js'
import { Waiting } from '../../parts/states.js'
import { Time } from '../../parts/values.js'
import { Changes, changesLine } from './changes.js'
import { beginDraft, useOpenDraft, useProgrammeDraft } from './draft-store.js'
import { useProposals } from './schedule.js'
import { editedBytesMax, useDocument, useNewest, useVersionDocument } from './use-document.js'

export function VersionDetail() {
  const { version } = useParams({ from: '/programme/$version' })
  const query = useQuery(ProgrammeService.method.getProgramme, { version: Number(version), withoutDocument: true })
  if (!query.isSuccess) return <Waiting query={query} />
  return <Version key={version} programme={query.data.programme!} />
}

function Version({ programme }: { readonly programme: ProgrammeVersion }) {
  const t = useWords()
  const may = useMay()
  const newest = useNewest().data?.programme?.version
  const [isRollingBack, setRollingBack] = useState(false)
  const { version, publishedAt, publishedBy, rolledBackTo, documentBytes } = programme
  const mayRollBack = may('ProgrammeService/RollBack') && newest !== undefined && newest !== version
  return (
    <Detail
      title={t('versions.title', { version: String(version) })}
      closeTo="/programme"
      buttons={
        <>
          <DraftButton programme={programme} />
          {mayRollBack && <Button onClick={() => setRollingBack(true)} text={t('rollBack.open')} />}
        </>
      }
    >
      <Facts
        facts={[
          [t('versions.at'), <Time key="at" at={publishedAt} />],
          [t('audit.actor'), publishedBy],
          [t('versions.bytes'), new Intl.NumberFormat(t.locale).format(documentBytes)],
          [
            t('field.kind'),
            rolledBackTo === 0 ? t('versions.published') : t('versions.rolledBack', { version: rolledBackTo }),
          ],
          [t('versions.inForce'), t(newest === version ? 'versions.yes' : 'versions.no')],
        ]}
      />
      {newest === version && version > 1 && may('ProgrammeService/RollBack') && (
        <p>
          <TextLink
            to="/programme/$version"
            params={{ version: String(version - 1) }}
            text={t('rollBack.before', { version: String(version - 1) })}
          />
        </p>
      )}
      <Compared version={version} newest={newest ?? version} />
      {isRollingBack && <RollBackDialog version={version} newest={newest!} onClose={() => setRollingBack(false)} />}
    </Detail>
  )
}

/** Begins a draft with the document of a version; the newest version is the one its writer has seen. */
function DraftButton({ programme }: { readonly programme: ProgrammeVersion }) {
  const t = useWords()
  const navigate = useNavigate()
  const { draft, isLoading } = useOpenDraft()
  const newest = useNewest().data?.programme?.version
  const document = useDocument(programme)
  const go = () => void navigate({ to: '/programme/draft' })
  if (draft !== null) {
    return <Button onClick={go} text={t('draft.goOn')} />
  }
  return (
    <Button
      disabled={isLoading || document === null || newest === undefined}
      onClick={() => {
        beginDraft({ text: document!, baseVersion: newest!, isChanged: false })
        go()
      }}
      text={t('draft.edit')}
    />
  )
}

function Compared({ version, newest }: { readonly version: number; readonly newest: number }) {
  const t = useWords()
  const navigate = useNavigate()
  const { base = version - 1 } = useSearch({ from: '/programme/$version' })
  const query = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion: base, changed: { case: 'version', value: version } },
    { enabled: base > 0 },
  )
  const texts = { base: useVersionDocument(base).document, changed: useVersionDocument(version).document }
  const others = Array.from({ length: newest }, (_, at) => newest - at).filter((other) => other !== version)
  return (
    <Part title={t('versions.changes')}>
      {others.length > 0 && (
        <div className="row">
          <Select
            label={t('versions.against')}
            value={base}
            onText={(text) => void navigate({ to: '.', search: { base: Number(text) } })}
            options={[
              ...(base === 0 ? [[0, t('says.nothing')] as const] : []),
              ...others.map((other) => [other, other] as const),
            ]}
          />
        </div>
      )}
      {base === 0 ? (
        <p className="muted">{t('versions.first')}</p>
      ) : !query.isSuccess ? (
        <Waiting query={query} lines={4} />
      ) : (
        <Changes {...query.data} {...texts} />
      )}
    </Part>
  )
}

interface RollBackDialogProps {
  readonly version: number
  /** The version in force as shown; the service refuses any other one. */
  readonly newest: number
  readonly onClose: () => void
}

function RollBackDialog({ version, newest, onClose }: RollBackDialogProps) {
  const t = useWords()
  const { programmes } = useCommands()
  const query = useQuery(
    ProgrammeService.method.diffProgrammes,
    { baseVersion: newest, changed: { case: 'version', value: version } },
    { staleTime: 0 },
  )
  const texts = { base: useVersionDocument(newest).document, changed: useVersionDocument(version).document }
  return (
    <CommandDialog
      title={t('rollBack.title', { version: String(version) })}
      verb={t('rollBack.do')}
      draftKey={`roll-back/${version}`}
      withReason={false}
      refresh="published"
      isReady={query.isSuccess}
      onClose={onClose}
      run={async ({ requestId }) => {
        const reply = await programmes.rollBack({ requestId, version, expectedVersion: newest })
        return <p>{t(reply.published ? 'publish.done' : 'publish.already', { version: String(reply.version) })}</p>
      }}
    >
      <p>{t('rollBack.what', { version: String(version), next: String(newest + 1) })}</p>
      <Waiting query={query} lines={3} />
      {query.isSuccess && <Changes {...query.data} {...texts} />}
    </CommandDialog>
  )
}

export function VersionList() {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const { version } = useParams({ strict: false })
  const query = useInfiniteQuery(ProgrammeService.method.listProgrammes, { pageSize, pageToken: '' }, pages)
  const rows = useMemo(() => query.data?.pages.flatMap(({ programmes }) => programmes) ?? [], [query.data])
  const [newest] = rows
  const lines = useVersionLines(rows)
  return (
    <ListScreen
      title={t('area.programme')}
      lead={newest && t('versions.lead', { version: String(newest.version), by: newest.publishedBy })}
      query={query}
      columns={columnsOf(t, lines, version !== undefined)}
      rows={rows}
      keyOf={(row) => String(row.version)}
      openKey={version}
      onOpen={(row) => void navigate({ to: '/programme/$version', params: { version: String(row.version) } })}
      empty={[t('versions.empty'), t('versions.emptyWhat')]}
      filters={
        <>
          <TextLink to="/programme/draft" className="button" text={t(draft === null ? 'draft.begin' : 'draft.goOn')} />
          <TextLink to="/programme/drafts" className="button" text={t('drafts.title')} />
          <ProposalsLink />
        </>
      }
    />
  )
}

function ProposalsLink() {
  const t = useWords()
  const [failed, waiting, scheduled] = [
    useProposals(ProposalState.FAILED).length,
    useProposals(ProposalState.OPEN).length,
    useProposals(ProposalState.SCHEDULED).length,
  ]
  const text = () => {
    if (failed > 0) return t('lead.unpublished', { count: failed })
    if (waiting > 0) return t('proposals.waiting', { count: waiting })
    return scheduled > 0 ? t('proposals.scheduled', { count: scheduled }) : t('proposals.title')
  }
  return <TextLink to="/programme/proposals" className="button" text={text()} />
}

function columnsOf(
  t: Words,
  lines: ReadonlyMap<number, string>,
  isOneOpen: boolean,
): readonly Column<ProgrammeVersion>[] {
  return [
    {
      key: 'version',
      head: t('versions.version'),
      cell: ({ version }) => <TextLink to="/programme/$version" params={{ version: String(version) }} text={version} />,
      value: ({ version }) => version,
    },
    {
      key: 'at',
      head: t('versions.at'),
      cell: ({ publishedAt }) => <Time at={publishedAt} />,
      value: ({ publishedAt }) => Number(publishedAt?.seconds ?? 0n),
    },
    { key: 'by', head: t('audit.actor'), value: ({ publishedBy }) => publishedBy, isExtra: true },
    { key: 'changes', head: t('versions.changes'), value: (row) => lineOf(t, row, lines), isExtra: isOneOpen },
    {
      key: 'bytes',
      head: t('versions.bytes'),
      cell: ({ documentBytes }) => new Intl.NumberFormat(t.locale).format(documentBytes),
      value: ({ documentBytes }) => documentBytes,
      isNumber: true,
      isExtra: true,
    },
  ]
}

function lineOf(t: Words, { version, rolledBackTo }: ProgrammeVersion, lines: ReadonlyMap<number, string>): string {
  const kind = rolledBackTo === 0 ? [] : [`${t('versions.rolledBack', { version: rolledBackTo })}.`]
  return [...kind, version === 1 ? t('versions.first') : (lines.get(version) ?? '')].join(' ').trim()
}

const namesMax = 2

/**
 * The changes of each version to the one before, in one line, by version. Read one after the other, newest first: each is a heavy call,
 * and none of them ever changes.
 */
function useVersionLines(versions: readonly ProgrammeVersion[]): ReadonlyMap<number, string> {
  const t = useWords()
  const transport = useTransport()
  const queryClient = useQueryClient()
  const [lines, setLines] = useState<ReadonlyMap<number, string>>(new Map())
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      for (const { version, documentBytes } of versions) {
        if (version === 1 || documentBytes > editedBytesMax) continue
        const input = { baseVersion: version - 1, changed: { case: 'version', value: version } } as const
        const options = createQueryOptions(ProgrammeService.method.diffProgrammes, input, { transport })
        const found = await queryClient
          .fetchQuery({ ...options, staleTime: Number.POSITIVE_INFINITY })
          .catch(() => null)
        if (!isCurrent) return
        const line = found === null ? '' : changesLine(t, found.changes, namesMax) || t('changes.none')
        setLines((known) => new Map(known).set(version, line))
      }
    }
    void ask()
    return () => {
      isCurrent = false
    }
  }, [versions, t, transport, queryClient])
  return lines
}
