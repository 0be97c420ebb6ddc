import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords } from '../../i18n/words.js'
import { Button } from '../../parts/controls.js'
import { Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { changeDraft, type ProgrammeDraft, useProgrammeDraft } from './draft-store.js'
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
  const draft = useProgrammeDraft()
  if (draft === null) return null
  return draft.fault?.reason === 'DRAFT_CHANGED' ? <OfOthers draft={draft} /> : <OfVersion draft={draft} />
}

interface DraftProps {
  readonly draft: ProgrammeDraft
}

/** Takes the version in force over into the draft. */
function OfVersion({ draft }: DraftProps) {
  const t = useWords()
  const newest = useNewest()
  const inForce = newest.data?.programme
  const base = useVersionDocument(draft.baseVersion)
  const theirs = useVersionDocument(inForce?.version)
  const error = newest.error ?? base.error ?? theirs.error
  if (error !== null) return <ErrorPanel cause={error} onRetry={() => void newest.refetch()} />
  if (base.isTooLarge || theirs.isTooLarge) return <Empty why={t('draft.tooLarge')}>{t('draft.tooLargeWhat')}</Empty>
  if (inForce === undefined || base.document === null || theirs.document === null) return <Skeleton />
  const version = String(inForce.version)
  if (inForce.version <= draft.baseVersion) return <UpToDate version={version} />
  return (
    <Compared
      key={version}
      sides={{ base: base.document, theirs: theirs.document, mine: draft.text }}
      choiceKey={`programme/take-over/${draft.baseVersion}/${version}`}
      their={t('takeOver.version', { version })}
      lead={t('takeOver.lead', { version, by: inForce.publishedBy, base: String(draft.baseVersion) })}
      onTake={(text) => changeDraft({ text, baseVersion: inForce.version })}
    />
  )
}

/** Takes what another person has stored over into what was written meanwhile. */
function OfOthers({ draft }: DraftProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { draftId, fault, before, baseVersion, text: mine } = draft
  const query = useQuery(ProgrammeService.method.getDraft, { draftId }, { staleTime: 0 })
  // The browser could not keep the revision that this was written over.
  const begun = useVersionDocument(before === null ? baseVersion : undefined)
  const stored = query.data?.draft
  const base = before ?? begun.document
  if (query.error !== null) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  if (stored === undefined || stored.revision < Number(fault?.metadata['revision']) || base === null)
    return <Skeleton />
  const { revision, changedBy: by } = stored
  const theirs = query.data!.document
  return (
    <Compared
      key={revision}
      sides={{ base, theirs, mine }}
      choiceKey={`programme/take-over/${draftId}/${revision}`}
      their={by}
      lead={t('takeOver.ofOthers', { by })}
      onTake={(text) => {
        const version = Math.max(baseVersion, stored.baseVersion)
        const name = draft.isNamed ? draft.name : stored.name
        changeDraft({ text, baseVersion: version, name }, { revision, before: theirs })
        void navigate({ to: '/programme/draft' })
      }}
    />
  )
}

function UpToDate({ version }: { readonly version: string }) {
  const t = useWords()
  return (
    <div role="status">
      <Empty why={t('takeOver.done', { version })}>
        <Link to="/programme/draft">{t('draft.goOn')}</Link>
      </Empty>
    </div>
  )
}

interface ComparedProps {
  readonly sides: Sides
  readonly choiceKey: string
  /** The other side: a version, or a person. */
  readonly their: string
  readonly lead: string
  readonly onTake: (text: string) => void
}

type Choices = Readonly<Record<string, 'theirs' | 'mine'>>
const keyOf = ({ list, id }: EntryName) => `${list}/${id}`

function Compared({ sides, choiceKey, their, lead, onTake }: ComparedProps) {
  const t = useWords()
  const { base, theirs, mine } = sides
  const comparison = useMemo(() => compareSides({ base, theirs, mine }), [base, theirs, mine])
  const [stored, store] = useDraft(choiceKey, '{}')
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
  return (
    <form
      className={styles['takeOver']}
      onSubmit={(event) => {
        event.preventDefault()
        const wanted = conflicts.filter((conflict) => choices[keyOf(conflict)] === 'theirs')
        onTake(withTheirs(sides, [...comparison.theirs, ...wanted]))
      }}
    >
      <p>{lead}</p>
      <Alone comparison={comparison} their={their} />
      {conflicts.length > 0 && (
        <Part level={2} title={t('takeOver.conflicts', { count: conflicts.length })}>
          {conflicts.map((conflict) => (
            <Choice
              key={keyOf(conflict)}
              conflict={conflict}
              their={their}
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
  readonly their: string
}

function Alone({ comparison: { theirs, mine }, their }: AloneProps) {
  const t = useWords()
  return (
    <>
      <Part level={2} title={t('takeOver.theirs', { their })}>
        <Entries entries={theirs} none={t('audit.nothing')} />
      </Part>
      <Part level={2} title={t('takeOver.mine')}>
        <Entries entries={mine} none={t('audit.nothing')} />
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
  readonly their: string
  readonly chosen: 'theirs' | 'mine' | undefined
  readonly onChoose: (side: 'theirs' | 'mine') => void
}

function Choice({ conflict, their, chosen, onChoose }: ChoiceProps) {
  const t = useWords()
  const { theirs, mine } = conflict
  const sides = [
    ['theirs', t(theirs === null ? 'takeOver.theirsGone' : 'takeOver.asTheirs', { their })],
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
          { key: 'theirs', head: their, cell: (field) => value(field.theirs) },
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
