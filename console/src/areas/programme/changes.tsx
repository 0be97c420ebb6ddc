import {
  type FieldChange,
  type ProgrammeChange,
  ProgrammeChangeKind,
  ProgrammePart,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords, type Words } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import { Rows } from '../../parts/rows.js'
import styles from './programme.module.css'
import { useMaximumText } from './use-maximum-text.js'

interface ChangesProps {
  readonly changes: readonly ProgrammeChange[]
  /** What they change; 0: nothing. */
  readonly baseVersion: number
}

const kinds = [
  [ProgrammeChangeKind.ADDED, 'changes.adds'],
  [ProgrammeChangeKind.CHANGED, 'changes.changes'],
  [ProgrammeChangeKind.REMOVED, 'changes.removes'],
] as const

/** What is added, changed and removed, by name; what changes in a part field by field. */
export function Changes({ changes, baseVersion }: ChangesProps) {
  const t = useWords()
  const valueText = useValueText(baseVersion)
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

/** A value as it is written, but the maximum of a limit that counts money as money. */
function useValueText(baseVersion: number) {
  const { benefits } = useProgrammeNames(baseVersion)
  const maximumText = useMaximumText()
  return ({ part, id, fields }: ProgrammeChange, { path }: FieldChange, json: string): string => {
    if (json === '') return '–'
    const [, at] = /^limits\[(\d+)\]\.maximum$/.exec(path) ?? []
    const benefit = part === ProgrammePart.BENEFIT ? benefits.get(id) : undefined
    const limit = at === undefined ? undefined : benefit?.limits?.[Number(at)]
    // Another limit stands in this place now.
    const isAnother = fields.some((other) => other.path === `limits[${at}].limitId`)
    return limit === undefined || isAnother ? json : maximumText(Number(json), limit.counts, benefit?.venueIds)
  }
}

/** A benefit by its name, everything else with what it is. */
function nameOf(t: Words, { part, name, id }: ProgrammeChange): string {
  const own = name === '' ? id : `${name} (${id})`
  return part === ProgrammePart.BENEFIT ? own : `${wordOf(t, 'part', ProgrammePart, part)} ${own}`
}
