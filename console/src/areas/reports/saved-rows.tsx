import type { ReactNode } from 'react'
import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { Rows } from '../../parts/rows.js'
import { csvOf, download } from './csv.js'

/** A column that is shown, and saved. */
export interface SavedColumn<Row> {
  readonly key: string
  readonly head: string
  /** In the file; absent: the same. */
  readonly savedHead?: string
  readonly text: (row: Row) => string
  /** As it is shown, where that is more than a text. */
  readonly cell?: (row: Row) => ReactNode
  /** As other programs read it; absent: as it is shown. */
  readonly plain?: (row: Row) => string
  readonly isNumber?: boolean
  /** Left out where there is little room; never in the file. */
  readonly isExtra?: boolean
  /** Where it stands: on the screen, in the file; absent: both. */
  readonly only?: 'shown' | 'saved'
}

interface SavedRowsProps<Row> {
  readonly title: string
  /** Name of the file. */
  readonly file: string
  readonly columns: readonly SavedColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** A table that can be saved as CSV. */
export function SavedRows<Row>({ title, file, columns, rows, keyOf }: SavedRowsProps<Row>) {
  const t = useWords()
  const shown = columns.filter(({ only }) => only !== 'saved')
  const save = () => {
    const saved = columns.filter(({ only }) => only !== 'shown')
    const lines = rows.map((row) => saved.map(({ text, plain = text }) => plain(row)))
    download(
      file,
      csvOf(
        saved.map(({ head, savedHead = head }) => savedHead),
        lines,
      ),
    )
  }
  return (
    <Part level={2} title={title}>
      {rows.length === 0 ? (
        <p className="muted">{t('reports.nothing')}</p>
      ) : (
        <>
          <Rows
            label={title}
            columns={shown.map(({ text, cell = text, ...column }) => ({ ...column, cell }))}
            rows={rows}
            keyOf={keyOf}
          />
          <p>
            <button type="button" onClick={save} aria-label={t('reports.saveAs', { title })}>
              {t('reports.save')}
            </button>
          </p>
        </>
      )}
    </Part>
  )
}
