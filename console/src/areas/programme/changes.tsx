import {
  type ProgrammeChange,
  ProgrammeChangeKind,
  ProgrammePart,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { Rows } from '../../parts/rows.js'
import styles from './programme.module.css'

interface ChangesProps {
  readonly changes: readonly ProgrammeChange[]
}

const kinds = [
  [ProgrammeChangeKind.ADDED, 'changes.adds'],
  [ProgrammeChangeKind.CHANGED, 'changes.changes'],
  [ProgrammeChangeKind.REMOVED, 'changes.removes'],
] as const

/** What is added, changed and removed, by name; what changes in a part field by field. */
export function Changes({ changes }: ChangesProps) {
  const t = useWords()
  if (changes.length === 0) return <p>{t('changes.none')}</p>
  const changed = changes.filter(({ fields }) => fields.length > 0)
  return (
    <div className={styles['changes']}>
      {kinds.map(([kind, message]) => {
        const names = changes.filter((change) => change.kind === kind).map((change) => nameOf(t, change))
        return names.length === 0 ? null : (
          <p key={kind}>{t(message, { count: names.length, names: names.join(', ') })}</p>
        )
      })}
      {changed.map((change) => (
        <details key={`${change.part}/${change.id}`} open={changed.length === 1}>
          <summary>{nameOf(t, change)}</summary>
          <Rows
            label={change.id}
            columns={[
              { key: 'path', head: t('changes.field'), cell: ({ path }) => <code>{path}</code> },
              { key: 'before', head: t('changes.before'), cell: ({ beforeJson }) => <code>{beforeJson || '–'}</code> },
              { key: 'after', head: t('changes.after'), cell: ({ afterJson }) => <code>{afterJson || '–'}</code> },
            ]}
            rows={change.fields}
            keyOf={({ path }) => path}
          />
        </details>
      ))}
    </div>
  )
}

/** A benefit by its name, everything else with what it is. */
function nameOf(t: Words, { part, name, id }: ProgrammeChange): string {
  const own = name === '' ? id : `${name} (${id})`
  return part === ProgrammePart.BENEFIT ? own : `${wordOf(t, 'part', ProgrammePart, part)} ${own}`
}
