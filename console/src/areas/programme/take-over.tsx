import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { ProgrammeVersion } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Button } from '../../parts/controls.js'
import { Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { type ProgrammeDraft, storeDraft, useProgrammeDraft } from './draft-store.js'
import {
  type Comparison,
  type Conflict,
  compareSides,
  type EntryName,
  fieldsOf,
  type OneSided,
  type Sides,
  withTheirs,
} from './merge.js'
import styles from './programme.module.css'
import { useNewest, useVersionDocument } from './use-document.js'

export function TakeOver() {
  const t = useWords()
  const draft = useProgrammeDraft()
  const newest = useNewest()
  const inForce = newest.data?.programme
  const base = useVersionDocument(draft?.baseVersion)
  const theirs = useVersionDocument(inForce?.version)
  if (draft === null) return null
  const error = newest.error ?? base.error ?? theirs.error
  if (error !== null) return <ErrorPanel cause={error} onRetry={() => void newest.refetch()} />
  if (base.isTooLarge || theirs.isTooLarge) return <Empty why={t('draft.tooLarge')}>{t('draft.tooLargeWhat')}</Empty>
  if (inForce === undefined || base.document === null || theirs.document === null) return <Skeleton />
  if (inForce.version <= draft.baseVersion) return <UpToDate version={inForce.version} />
  const sides = { base: base.document, theirs: theirs.document, mine: draft.text }
  return <Compared key={inForce.version} sides={sides} draft={draft} inForce={inForce} />
}

function UpToDate({ version }: { readonly version: number }) {
  const t = useWords()
  return (
    <div role="status">
      <Empty why={t('takeOver.done', { version: String(version) })}>
        <Link to="/programme/draft">{t('takeOver.goOn')}</Link>
      </Empty>
    </div>
  )
}

interface ComparedProps {
  readonly sides: Sides
  readonly draft: ProgrammeDraft
  readonly inForce: ProgrammeVersion
}

type Choices = Readonly<Record<string, 'theirs' | 'mine'>>
const keyOf = ({ list, id }: EntryName) => `${list}/${id}`

function Compared({ sides, draft, inForce }: ComparedProps) {
  const t = useWords()
  const { base, theirs, mine } = sides
  const comparison = useMemo(() => compareSides({ base, theirs, mine }), [base, theirs, mine])
  const [stored, store] = useDraft(`programme/take-over/${draft.baseVersion}/${inForce.version}`, '{}')
  const choices = JSON.parse(stored) as Choices
  if (comparison === null) {
    return (
      <Empty why={t('takeOver.broken')}>
        <Link to="/programme/draft/json">{t('draft.json')}</Link>
      </Empty>
    )
  }
  const { conflicts } = comparison
  const isChosen = conflicts.every((conflict) => choices[keyOf(conflict)] !== undefined)
  const values = { version: String(inForce.version), by: inForce.publishedBy, base: String(draft.baseVersion) }
  return (
    <form
      className={styles['takeOver']}
      onSubmit={(event) => {
        event.preventDefault()
        const wanted = conflicts.filter((conflict) => choices[keyOf(conflict)] === 'theirs')
        const document = withTheirs(sides, [...comparison.theirs, ...wanted])
        storeDraft({ text: document, baseVersion: inForce.version, isChanged: true })
      }}
    >
      <p>{t('takeOver.lead', values)}</p>
      <Alone comparison={comparison} version={values.version} />
      {conflicts.length > 0 && (
        <Part level={2} title={t('takeOver.conflicts', { count: conflicts.length })}>
          {conflicts.map((conflict) => (
            <Choice
              key={keyOf(conflict)}
              conflict={conflict}
              version={values.version}
              chosen={choices[keyOf(conflict)]}
              onChoose={(side) => store(JSON.stringify({ ...choices, [keyOf(conflict)]: side }))}
            />
          ))}
        </Part>
      )}
      <p>
        <Button type="submit" data-main disabled={!isChosen} text={t('takeOver.do')} />{' '}
        <span className="muted">{t(isChosen ? 'takeOver.what' : 'takeOver.choose')}</span>
      </p>
    </form>
  )
}

interface AloneProps {
  readonly comparison: Comparison
  readonly version: string
}

function Alone({ comparison: { theirs, mine }, version }: AloneProps) {
  const t = useWords()
  return (
    <>
      <Part level={2} title={t('takeOver.theirs', { version })}>
        <Entries entries={theirs} none={t('takeOver.theirsNone')} />
      </Part>
      <Part level={2} title={t('takeOver.mine')}>
        <Entries entries={mine} none={t('takeOver.mineNone')} />
      </Part>
    </>
  )
}

function Entries({ entries, none }: { readonly entries: readonly OneSided[]; readonly none: string }) {
  const t = useWords()
  if (entries.length === 0) return <p className="muted">{none}</p>
  return (
    <ul className="reasons">
      {entries.map((entry) => (
        <li key={keyOf(entry)}>
          <span>{nameIn(entry)}</span>
          <span className="muted">
            {t.of('field', entry.list || entry.id)}, {t.of('change', entry.kind)}
          </span>
        </li>
      ))}
    </ul>
  )
}

interface ChoiceProps {
  readonly conflict: Conflict
  readonly version: string
  readonly chosen: 'theirs' | 'mine' | undefined
  readonly onChoose: (side: 'theirs' | 'mine') => void
}

function Choice({ conflict, version, chosen, onChoose }: ChoiceProps) {
  const t = useWords()
  const { theirs, mine } = conflict
  const sides = [
    ['theirs', t(theirs === null ? 'takeOver.theirsGone' : 'takeOver.asTheirs', { version })],
    ['mine', t(mine === null ? 'takeOver.mineGone' : 'takeOver.asMine')],
  ] as const
  const value = (json: string) => <code>{json === '' ? '–' : json}</code>
  return (
    <fieldset className={styles['choice']}>
      <legend>{nameIn(conflict)}</legend>
      <Rows
        label={nameIn(conflict)}
        columns={[
          { key: 'path', head: t('changes.field'), cell: ({ path }) => <code>{path}</code> },
          { key: 'base', head: t('takeOver.before'), cell: ({ base }) => value(base) },
          { key: 'theirs', head: t('versions.title', { version }), cell: (field) => value(field.theirs) },
          { key: 'mine', head: t('draft.title'), cell: (field) => value(field.mine) },
        ]}
        rows={fieldsOf(conflict)}
        keyOf={({ path }) => path}
      />
      <div className={styles['sides']}>
        {sides.map(([side, text]) => (
          <label key={side}>
            <input type="radio" name={keyOf(conflict)} checked={chosen === side} onChange={() => onChoose(side)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function nameIn({ name, id }: EntryName): string {
  return name === id ? id : `${name} (${id})`
}
