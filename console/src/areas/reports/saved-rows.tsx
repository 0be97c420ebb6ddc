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
  /** In the file; absent: as shown. */
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
    const head = saved.map(({ head, savedHead = head }) => savedHead)
    download(file, csvOf(t, [head, ...lines]), 'text/csv')
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

/**
 * Rows as a spreadsheet of this language opens them: UTF-8 with its mark, a semicolon where a comma separates decimals. A cell that would
 * be taken for a formula begins with an apostrophe.
 */
export function csvOf(t: Words, rows: readonly (readonly string[])[]): string {
  const separator = decimalIn(t) === ',' ? ';' : ','
  return `\ufeff${rows.map((row) => `${row.map((text) => cellOf(text, separator)).join(separator)}\r\n`).join('')}`
}

function cellOf(text: string, separator: string): string {
  const isNumber = /^-?\d+([.,]\d+)?$/.test(text)
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** An amount in units of 10^-scale, without separators of thousands. */
export function plainScaled(t: Words, amount: bigint, scale: number): string {
  const sign = amount < 0n ? '-' : ''
  const digits = String(amount < 0n ? -amount : amount).padStart(scale + 1, '0')
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}${decimalIn(t)}${digits.slice(-scale)}`
}

function decimalIn({ locale }: Words): string {
  return new Intl.NumberFormat(locale).format(1.5).charAt(1)
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
    plain: (row) => plainScaled(t, of(row), digitsOf(row.currency)),
    isNumber: true,
  }
}

export function countColumn<Row>(t: Words, { key, head, of }: Column<Row>): SavedColumn<Row> {
  return { key, head, text: (row) => countText(t, of(row)), plain: (row) => String(of(row)), isNumber: true }
}

/** An id beside its name, only in the file. */
export function idColumn<Row>(t: Words, text: (row: Row) => string): SavedColumn<Row> {
  return { key: 'id', head: t('reports.id'), text, only: 'saved' }
}

export function extra<Row>(column: SavedColumn<Row>): SavedColumn<Row> {
  return { ...column, isExtra: true }
}
