import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ProgrammeChangeKind } from '../../../../gateway/gen/loyalty/v1/programme_diff_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { type BenefitPart, namesOf } from '../../api/programme.js'
import { callOf, rolesOf, useAccess, useMay } from '../../api/use-commands.js'
import { useVenueDay } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Button, Dialog, TextLink } from '../../parts/controls.js'
import { Facts, Page, Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, NoPermission, Skeleton, Waiting } from '../../parts/states.js'
import { Id, Time, wordOf } from '../../parts/values.js'
import { isSharedCounter, ofMaximum, takenOf } from '../limits/units.js'
import builderStyles from '../programme/builder/builder.module.css'
import type { ProgrammePart } from '../programme/describe/saying.js'
import { benefitFacets, entryText } from '../programme/describe/summary.js'
import { readDocument, useSaying } from '../programme/describe/use-saying.js'
import { useDocument, useMaximumText, useNewest } from '../programme/use-document.js'
import { rangeOf } from '../reports/range.js'
import { BenefitFigures } from './benefit-figures.js'
import { StatusBadge } from './benefit-list.js'
import { type ChangeProps, EndDialog, PauseDialog } from './change-dialogs.js'
import { benefitText, copyOf } from './edit-programme.js'
import { budgetOf, type Counters, statusOf, useCounters } from './status.js'
import { useDraftWith } from './use-draft-with.js'

const daysShown = 28

export function Benefit() {
  const t = useWords()
  const { benefitId } = useParams({ from: '/benefits/$benefitId' })
  const newest = useNewest()
  const programme = newest.data?.programme
  const loaded = useDocument(programme)
  // The dialog of a publication stays while the new version loads.
  const [last, setLast] = useState<{ readonly document: string; readonly version: number } | null>(null)
  if (loaded !== null && programme !== undefined && programme.version !== last?.version) {
    setLast({ document: loaded, version: programme.version })
  }
  const benefit = useMemo(
    () => (last === null ? undefined : namesOf(last.document).benefits.get(benefitId)),
    [last, benefitId],
  )
  if (newest.isError || last === null) {
    return (
      <Page title={benefitId}>
        {newest.isError ? <ErrorPanel cause={newest.error} onRetry={() => void newest.refetch()} /> : <Skeleton />}
      </Page>
    )
  }
  const { document, version } = last
  return (
    <Page
      title={benefit?.text ?? benefitId}
      buttons={benefit !== undefined && <Actions {...{ benefit, document, version }} />}
    >
      {benefit === undefined ? (
        <Empty why={t('benefit.none')}>{t('benefit.noneWhat')}</Empty>
      ) : (
        <InForce benefit={benefit} document={document} />
      )}
      <Figures key={benefitId} benefitId={benefitId} />
      <LastChanges benefitId={benefitId} />
      {benefit !== undefined && (
        <Part level={2} title={t('draft.json')}>
          <pre className={builderStyles['raw']}>{outdented(benefitText(document, benefitId))}</pre>
        </Part>
      )}
    </Page>
  )
}

interface BenefitProps {
  readonly benefit: BenefitPart
  readonly document: string
}

function InForce({ benefit, document }: BenefitProps) {
  const t = useWords()
  const documents = useMemo(() => [readDocument(document) ?? {}], [document])
  const saying = useSaying(documents)
  const counters = useCounters()
  const { benefitId, campaign } = benefit
  const status = counters === null ? null : statusOf(benefit, budgetOf(benefit, counters))
  return (
    <>
      <p>
        <StatusBadge status={status} /> {entryText(saying, benefitFacets, benefit as unknown as ProgrammePart)}
      </p>
      <Facts
        facts={[
          [t('field.benefitId'), <Id key="id" id={benefitId} />],
          [t('field.campaign'), campaign ?? undefined],
        ]}
      />
      <Limits benefit={benefit} counters={counters} />
    </>
  )
}

function Limits({ benefit, counters }: { readonly benefit: BenefitPart; readonly counters: Counters | null }) {
  const t = useWords()
  const maximumText = useMaximumText()
  const { venueIds } = benefit
  const limits = benefit.limits ?? []
  if (limits.length === 0) return null
  const taken = (limitId: string) => {
    const shared = counters?.get(limitId)?.filter(isSharedCounter) ?? []
    return shared.map((counter) => ofMaximum(t, counter, takenOf(counter))).join('; ') || '–'
  }
  return (
    <Part level={2} title={t('field.limits')}>
      <Rows
        label={t('field.limits')}
        columns={[
          {
            key: 'limit',
            head: t('field.limitId'),
            cell: ({ limitId }) => <TextLink to="/limits" search={{ limitId }} text={limitId} />,
          },
          { key: 'scope', head: t('field.scope'), cell: ({ scope }) => t.of('option', scope) },
          { key: 'period', head: t('field.period'), cell: ({ period }) => t.of('option', period) },
          { key: 'counts', head: t('field.counts'), cell: ({ counts }) => t.of('option', counts), isExtra: true },
          {
            key: 'maximum',
            head: t('field.maximum'),
            cell: ({ maximum, counts }) => maximumText(maximum, counts, venueIds),
            isNumber: true,
          },
          { key: 'taken', head: t('limits.taken'), cell: ({ limitId }) => taken(limitId), isNumber: true },
        ]}
        rows={limits}
        keyOf={({ limitId }) => limitId}
      />
    </Part>
  )
}

function Figures({ benefitId }: { readonly benefitId: string }) {
  const search = useSearch({ from: '/benefits/$benefitId' })
  return <BenefitFigures benefitId={benefitId} range={rangeOf(search, useVenueDay(), daysShown)} />
}

function LastChanges({ benefitId }: { readonly benefitId: string }) {
  const t = useWords()
  const query = useQuery(ProgrammeService.method.listBenefitChanges, { benefitId })
  return (
    <Part level={2} title={t('benefits.changes')}>
      {!query.isSuccess ? (
        <Waiting query={query} lines={3} />
      ) : query.data.changes.length === 0 ? (
        <p className="muted">{t('reports.nothing')}</p>
      ) : (
        <Rows
          label={t('benefits.changes')}
          columns={[
            {
              key: 'version',
              head: t('versions.version'),
              cell: ({ programme }) => (
                <TextLink
                  to="/programme/$version"
                  params={{ version: String(programme!.version) }}
                  text={t('versions.title', { version: String(programme!.version) })}
                />
              ),
            },
            {
              key: 'kind',
              head: t('field.kind'),
              cell: ({ kind }) => wordOf(t, 'change', ProgrammeChangeKind, kind),
            },
            { key: 'at', head: t('versions.at'), cell: ({ programme }) => <Time at={programme!.publishedAt} /> },
            { key: 'by', head: t('audit.actor'), cell: ({ programme }) => programme!.publishedBy },
          ]}
          rows={query.data.changes}
          keyOf={({ programme }) => String(programme!.version)}
        />
      )}
    </Part>
  )
}

interface ActionsProps extends BenefitProps {
  readonly version: number
}

/** The draft is the browser's own; a pause or an end is published, or proposed, apart from it. */
function Actions({ benefit, document, version }: ActionsProps) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const { benefitId, enabled } = benefit
  const { do: open } = useSearch({ from: '/benefits/$benefitId' })
  const draft = useDraftWith()
  const edit = draft?.opener(benefitId) ?? null
  const mayChange = may(proposing)
  const set = (dialog: 'pause' | 'end' | undefined) =>
    void navigate({ to: '.', search: (before) => ({ ...before, do: dialog }) as object })
  const shared = { benefit, document, version, onClose: () => set(undefined) }
  return (
    <>
      {mayChange && (
        <>
          <Button onClick={() => set('pause')} text={t(enabled === false ? 'benefits.resume' : 'benefits.pause')} />
          <Button onClick={() => set('end')} text={t('benefits.end')} />
          <Button
            disabled={draft === null}
            onClick={() => draft!.add(copyOf(document, benefitId))}
            text={t('benefits.duplicate')}
          />
        </>
      )}
      <Button data-main disabled={edit === null} onClick={() => edit!()} text={t('draft.edit')} />
      {open !== undefined && <ChangeDialog name={open} {...shared} />}
    </>
  )
}

const proposing = callOf(ProgrammeService.method.proposeProgramme)

interface ChangeDialogProps extends ChangeProps {
  readonly name: 'pause' | 'end'
}

function ChangeDialog({ name, ...props }: ChangeDialogProps) {
  const t = useWords()
  const may = useAccess()(proposing)
  if (may === undefined) return null
  if (!may) {
    return (
      <Dialog title={t(`benefits.${name}`)} onClose={props.onClose}>
        <NoPermission roles={rolesOf(ProgrammeService.method.proposeProgramme).join(',')} />
        <Button onClick={props.onClose} text={t('dialog.close')} />
      </Dialog>
    )
  }
  return name === 'pause' ? <PauseDialog {...props} /> : <EndDialog {...props} />
}

/** A value of a document with the indentation of a document of its own. */
function outdented(json: string): string {
  const [, indent = ''] = /\n( *)\S*$/.exec(json) ?? []
  return json.replaceAll(`\n${indent}`, '\n')
}
