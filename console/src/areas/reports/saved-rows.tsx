import type { ReactNode } from 'react'
import { useWords, type Words } from '../../i18n/words.js'
import { Button } from '../../parts/controls.js'
import { download } from '../../parts/download.js'
import { Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { countText, digitsOf, formatScaled } from '../../parts/scaled.js'

export interface SavedColumn<Row> {
  readonly key: string
  readonly head: string
  /** Its head in the file; absent: the same. */
  readonly savedHead?: string
  readonly text: (row: Row) => string
  /** On the screen, where that is more than a text. */
  readonly cell?: (row: Row) => ReactNode
  /** In the file, for other programs; absent: as shown. */
  readonly plain?: (row: Row) => string
  readonly isNumber?: boolean
  /** Left out where there is little room; never in the file. */
  readonly isExtra?: boolean
  /** Its place: on the screen, or in the file; absent: both. */
  readonly only?: 'shown' | 'saved'
}

interface SavedRowsProps<Row> {
  readonly title: string
  readonly file: string
  readonly columns: readonly SavedColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

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
      'text/csv',
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
            <Button onClick={save} aria-label={t('reports.saveAs', { title })} text={t('reports.save')} />
          </p>
        </>
      )}
    </Part>
  )
}

/** Rows as CSV by RFC 4180; a cell that a spreadsheet would take for a formula begins with an apostrophe. */
function csvOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, ...rows]
    .map((row) => row.map(cellOf).join(','))
    .join('\r\n')
    .concat('\r\n')
}

function cellOf(text: string): string {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** An amount in units of 10^-scale with a decimal point, for other programs. */
export function plainScaled(amount: bigint, scale: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount < 0n ? -amount : amount).padStart(scale + 1, '0')
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

interface WithCurrency {
  readonly currency: string
}

/** The currency of all rows, for the heads of their columns; null: there are several, so each row has its own. */
export function commonCurrency(rows: readonly WithCurrency[]): string | null {
  const currencies = new Set(rows.map(({ currency }) => currency))
  return currencies.size === 1 ? [...currencies][0]! : null
}

/** The currency of a row: on the screen only where the heads do not have it. */
export function currencyColumn<Row extends WithCurrency>(t: Words, common: string | null): SavedColumn<Row> {
  return {
    key: 'currency',
    head: t('reports.currency'),
    text: ({ currency }) => currency,
    ...(common === null ? {} : { only: 'saved' as const }),
  }
}

interface Column<Row> {
  readonly key: string
  readonly head: string
  readonly of: (row: Row) => bigint
}

export function moneyColumn<Row extends WithCurrency>(
  t: Words,
  common: string | null,
  { key, head, of }: Column<Row>,
): SavedColumn<Row> {
  return {
    key,
    head: common === null ? head : t('reports.inCurrency', { head, currency: common }),
    savedHead: head,
    text: (row) => formatScaled(of(row), digitsOf(row.currency), t.locale),
    plain: (row) => plainScaled(of(row), digitsOf(row.currency)),
    isNumber: true,
  }
}

export function countColumn<Row>(t: Words, { key, head, of }: Column<Row>): SavedColumn<Row> {
  return { key, head, text: (row) => countText(t, of(row)), plain: (row) => String(of(row)), isNumber: true }
}

export function extra<Row>(column: SavedColumn<Row>): SavedColumn<Row> {
  return { ...column, isExtra: true }
}
