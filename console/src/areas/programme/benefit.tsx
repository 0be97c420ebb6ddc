import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type BenefitPart, namesOf } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { Facts, Part } from '../../parts/detail.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Page } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { storeDraft, useProgrammeDraft } from './draft-store.js'
import styles from './form/form.module.css'
import { find, type Node, readJson } from './form/json-text.js'
import type { ProgrammePart } from './say/parts-of.js'
import { benefitFacets } from './say/say-parts.js'
import { entryText } from './say/summary.js'
import { readDocument, useSaying } from './say/use-saying.js'
import { useDocument } from './use-document.js'
import { useMaximumText } from './use-maximum-text.js'
import { useNewest } from './use-newest.js'

/** A benefit of the programme in force: what it is, its limits, and the way to change it. */
export function Benefit() {
  const t = useWords()
  const { benefitId } = useParams({ from: '/programme/benefits/$benefitId' })
  const newest = useNewest()
  const document = useDocument(newest.data?.programme)
  const documents = useMemo(() => (document === null ? [] : [readDocument(document) ?? {}]), [document])
  const saying = useSaying(documents)
  if (newest.isError || document === null) {
    return (
      <Page title={benefitId}>
        {newest.isError ? <ErrorPanel cause={newest.error} onRetry={() => void newest.refetch()} /> : <Skeleton />}
      </Page>
    )
  }
  const benefit = namesOf(document).benefits.get(benefitId)
  const place = placeOf(document, benefitId)
  if (benefit === undefined || place === null) {
    return (
      <Page title={benefitId}>
        <Empty why={t('benefit.none')}>{t('benefit.noneWhat')}</Empty>
      </Page>
    )
  }
  const { text, campaign, enabled } = benefit
  const version = newest.data!.programme!.version
  const what = entryText(saying, benefitFacets, benefit as unknown as ProgrammePart)
  return (
    <Page title={text} buttons={<EditButton benefitId={benefitId} document={document} version={version} />}>
      <p>{what}</p>
      <Facts
        facts={[
          [t('field.benefitId'), <Id key="id" id={benefitId} />],
          [t('field.campaign'), campaign ?? '–'],
          [t('field.enabled'), t(enabled === false ? 'versions.no' : 'versions.yes')],
        ]}
      />
      <Limits benefit={benefit} />
      <Part level={2} title={t('draft.json')}>
        <pre className={styles['raw']}>{outdented(document.slice(place.node.start, place.node.end))}</pre>
      </Part>
    </Page>
  )
}

/** What limits it, in the currency of its venues. */
function Limits({ benefit }: { readonly benefit: BenefitPart }) {
  const t = useWords()
  const maximumText = useMaximumText()
  const { venueIds } = benefit
  const limits = benefit.limits ?? []
  if (limits.length === 0) return null
  return (
    <Part level={2} title={t('field.limits')}>
      <Rows
        label={t('field.limits')}
        columns={[
          {
            key: 'limit',
            head: t('field.limitId'),
            cell: ({ limitId }) => (
              <Link to="/limits" search={{ limitId }}>
                {limitId}
              </Link>
            ),
          },
          { key: 'scope', head: t('field.scope'), cell: ({ scope }) => t.of('option', scope) },
          { key: 'period', head: t('field.period'), cell: ({ period }) => t.of('option', period) },
          { key: 'counts', head: t('field.counts'), cell: ({ counts }) => t.of('option', counts) },
          {
            key: 'maximum',
            head: t('field.maximum'),
            cell: ({ maximum, counts }) => maximumText(maximum, counts, venueIds),
            isNumber: true,
          },
        ]}
        rows={limits}
        keyOf={({ limitId }) => limitId}
      />
    </Part>
  )
}

interface EditButtonProps {
  readonly benefitId: string
  readonly document: string
  readonly version: number
}

/** Goes to the benefit in the form of the draft, which begins with the version in force where there is none. */
function EditButton({ benefitId, document, version }: EditButtonProps) {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const place = placeOf(draft?.document ?? document, benefitId)
  const edit = () => {
    if (draft === null) storeDraft({ document, baseVersion: version, isChanged: false })
    void navigate({ to: '/programme/draft', search: { part: 'benefits', entry: place?.entry ?? 0 } })
  }
  return (
    <button type="button" data-main disabled={place === null} onClick={edit}>
      {t('draft.edit')}
    </button>
  )
}

/** A value of a document as if it stood by itself. */
function outdented(json: string): string {
  const [, indent = ''] = /\n( *)\S*$/.exec(json) ?? []
  return json.replaceAll(`\n${indent}`, '\n')
}

/** Where a document has a benefit; null: nowhere. */
function placeOf(document: string, benefitId: string): { readonly entry: number; readonly node: Node } | null {
  const list = find(readJson(document) ?? undefined, ['benefits'])
  const items = list?.kind === 'list' ? list.items : []
  const entry = items.findIndex((item) => {
    const id = find(item, ['benefitId'])
    return id?.kind === 'text' && id.value === benefitId
  })
  return entry === -1 ? null : { entry, node: items[entry]! }
}
