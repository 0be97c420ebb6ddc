import { useWords } from '../../i18n/words.js'
import { Part } from '../../parts/detail.js'
import { Rows } from '../../parts/rows.js'
import { csvOf, download } from './csv.js'

/** A column that is shown, and saved. */
export interface SavedColumn<Row> {
  readonly key: string
  readonly head: string
  readonly text: (row: Row) => string
  /** As other programs read it; absent: as it is shown. */
  readonly plain?: (row: Row) => string
  readonly isNumber?: boolean
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
  const save = () => {
    const lines = rows.map((row) => columns.map(({ text, plain = text }) => plain(row)))
    download(
      file,
      csvOf(
        columns.map(({ head }) => head),
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
            columns={columns.map(({ key, head, text, isNumber = false }) => ({ key, head, cell: text, isNumber }))}
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
