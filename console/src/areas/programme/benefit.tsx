import { useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type BenefitPart, namesOf } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { Button, TextLink } from '../../parts/controls.js'
import { Facts, Page, Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { Id } from '../../parts/values.js'
import type { ProgrammePart } from './describe/saying.js'
import { benefitFacets, entryText } from './describe/summary.js'
import { readDocument, useSaying } from './describe/use-saying.js'
import { storeDraft, useProgrammeDraft } from './draft-store.js'
import styles from './form/form.module.css'
import { itemsOf, type Node, readJson, textIn } from './form/json-text.js'
import { useDocument, useMaximumText, useNewest } from './use-document.js'

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
            cell: ({ limitId }) => <TextLink to="/limits" search={{ limitId }} text={limitId} />,
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

/** Opens the benefit in the form of the draft; without a draft, begins one with the version in force. */
function EditButton({ benefitId, document, version }: EditButtonProps) {
  const t = useWords()
  const navigate = useNavigate()
  const draft = useProgrammeDraft()
  const place = placeOf(draft?.document ?? document, benefitId)
  const edit = () => {
    if (draft === null) storeDraft({ text: document, baseVersion: version, isChanged: false })
    void navigate({ to: '/programme/draft', search: { part: 'benefits', entry: place?.entry ?? 0 } })
  }
  return <Button data-main disabled={place === null} onClick={edit} text={t('draft.edit')} />
}

/** A value of a document with the indentation of a document of its own. */
function outdented(json: string): string {
  const [, indent = ''] = /\n( *)\S*$/.exec(json) ?? []
  return json.replaceAll(`\n${indent}`, '\n')
}

/** The place of a benefit in a document; null: not there. */
function placeOf(document: string, benefitId: string): { readonly entry: number; readonly node: Node } | null {
  const items = itemsOf(readJson(document), ['benefits'])
  const entry = items.findIndex((item) => textIn(item, 'benefitId') === benefitId)
  return entry === -1 ? null : { entry, node: items[entry]! }
}
