import { useQuery } from '@connectrpc/connect-query'
import { useMemo } from 'react'
import {
  type FieldChange,
  type ProgrammeChange,
  ProgrammeChangeKind,
  ProgrammePart,
} from '../../../../gateway/gen/loyalty/v1/programme_diff_pb.js'
import { ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Part as Section } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { wordOf } from '../../parts/values.js'
import { listIn, type ProgrammePart as Part, textIn } from './describe/saying.js'
import { summaryOf } from './describe/summary.js'
import { readDocument, useSaying } from './describe/use-saying.js'
import styles from './programme.module.css'
import { useMaximumText } from './use-document.js'

interface ChangesProps {
  readonly changes: readonly ProgrammeChange[]
  /** The changed version; 0: none. */
  readonly baseVersion: number
  /** Texts of the base and of the compared programme; null: too large to be read here, so that changes are only named. */
  readonly base: string | null
  readonly changed: string | null
}

const kinds = [
  [ProgrammeChangeKind.ADDED, 'changes.adds'],
  [ProgrammeChangeKind.CHANGED, 'changes.changes'],
  [ProgrammeChangeKind.REMOVED, 'changes.removes'],
] as const

export function Changes({ changes, baseVersion, base, changed }: ChangesProps) {
  const t = useWords()
  const valueText = useValueText(baseVersion)
  const differing = changes.filter(({ fields }) => fields.length > 0)
  return (
    <div className={styles['changes']}>
      {base !== null && changed !== null ? (
        <SummaryList base={base} changed={changed} />
      ) : changes.length === 0 ? (
        <p>{t('changes.none')}</p>
      ) : (
        <p>{changesLine(t, changes)}</p>
      )}
      {differing.map((change) => (
        <details key={`${change.part}/${change.id}`}>
          <summary>{nameOf(t, change)}</summary>
          <Rows
            label={change.id}
            columns={[
              { key: 'path', head: t('changes.field'), cell: ({ path }) => pathWords(t, path) },
              {
                key: 'before',
                head: t('changes.before'),
                cell: (field) => <code>{valueText(change, field, field.beforeJson)}</code>,
              },
              {
                key: 'after',
                head: t('changes.after'),
                cell: (field) => <code>{valueText(change, field, field.afterJson)}</code>,
              },
            ]}
            rows={change.fields}
            keyOf={({ path }) => path}
          />
        </details>
      ))}
    </div>
  )
}

/**
 * A path of the service in the labels of its fields, such as "Limits 1, Maximum" for `limits[0].maximum`.
 *
 * @param document  names the entry of a path that begins at the top
 */
export function pathWords(t: Words, path: string, document: Part | null = null): string {
  const steps = [...path.matchAll(/([^.[\]]+)(?:\[(\d+)\])?/g)]
  const words = steps.map(([, name = '', index], at) => {
    const entry =
      at === 0 && document !== null && index !== undefined ? listIn(document, name)[Number(index)] : undefined
    const own = entry && (textIn(entry, 'text') || textIn(entry, 'name') || textIn(entry, `${name.slice(0, -1)}Id`))
    return own || [t.of('field', name), ...(index === undefined ? [] : [String(Number(index) + 1)])].join(' ')
  })
  return words.join(', ')
}

/** Names of added, changed and removed entries in one line. @param namesMax  of each; the others are counted */
export function changesLine(
  t: Words,
  changes: readonly ProgrammeChange[],
  namesMax = Number.POSITIVE_INFINITY,
): string {
  return kinds
    .flatMap(([kind, message]) => {
      const names = changes.filter((change) => change.kind === kind).map(({ name, id }) => name || id)
      const shown = names.slice(0, namesMax).join(', ')
      const more = names.length > namesMax ? ` ${t('changes.more', { count: names.length - namesMax })}` : ''
      return names.length === 0 ? [] : [t(message, { count: names.length, names: shown + more })]
    })
    .join(' ')
}

/** A value as written; the maximum of a limit of money as an amount. */
function useValueText(baseVersion: number) {
  const { benefits } = useProgrammeNames(baseVersion)
  const maximumText = useMaximumText()
  return ({ part, id, fields }: ProgrammeChange, { path }: FieldChange, json: string): string => {
    if (json === '') return '–'
    const [, at] = /^limits\[(\d+)\]\.maximum$/.exec(path) ?? []
    const benefit = part === ProgrammePart.BENEFIT ? benefits.get(id) : undefined
    const limit = at === undefined ? undefined : benefit?.limits?.[Number(at)]
    // The place now holds another limit.
    const isAnother = fields.some((other) => other.path === `limits[${at}].limitId`)
    return limit === undefined || isAnother ? json : maximumText(Number(json), limit.counts, benefit?.venueIds)
  }
}

function nameOf(t: Words, { part, name, id }: ProgrammeChange): string {
  const own = name === '' ? id : `${name} (${id})`
  return part === ProgrammePart.BENEFIT ? own : `${wordOf(t, 'part', ProgrammePart, part)} ${own}`
}

function SummaryList({ base, changed }: { readonly base: string; readonly changed: string }) {
  const t = useWords()
  const documents = useMemo(
    () => [changed, base].map(readDocument).filter((document) => document !== null),
    [base, changed],
  )
  const saying = useSaying(documents)
  const sentences = useMemo(() => {
    const [after, before] = [readDocument(changed), readDocument(base)]
    return after === null ? [] : summaryOf(saying, before, after)
  }, [saying, base, changed])
  if (sentences.length === 0) return <p>{t('changes.none')}</p>
  return (
    <ul className={styles['sentences']}>
      {sentences.map(({ key, kind, text }) => (
        <li key={key} data-kind={kind}>
          {text}
        </li>
      ))}
    </ul>
  )
}

/** A warning of the service in one sentence. */
export function warningText(t: Words, word: string, message: string): string {
  const ended = word === 'benefit_expired' ? /\d{4}-\d\d-\d\dT\S+/.exec(message) : null
  if (ended === null) return `${t.of('warning', word).replace(/\.$/, '')}: ${message}`
  const format = new Intl.DateTimeFormat(t.locale, { dateStyle: 'medium', timeStyle: 'short' })
  return t('draft.benefitEnded', { at: format.format(new Date(ended[0])) })
}

export function Warnings({ document }: { readonly document: string }) {
  const t = useWords()
  const { data } = useQuery(ProgrammeService.method.validateProgramme, { document }, { staleTime: 0, gcTime: 0 })
  const programme = useMemo(() => readDocument(document), [document])
  const warnings = data?.warnings ?? []
  if (warnings.length === 0) return null
  return (
    <Section level={3} title={t('publish.warnings', { count: warnings.length })}>
      <ul className={styles['warnings']}>
        {warnings.map(({ path, word, message }) => (
          <li key={`${path}/${word}`}>
            {warningText(t, word, message)}
            <span className="muted small">{pathWords(t, path, programme)}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
