import type { Words } from '../../i18n/words.js'
import { countText } from '../../parts/figures.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { plainScaled } from './csv.js'
import type { SavedColumn } from './saved-rows.js'

interface WithCurrency {
  readonly currency: string
}

/** The currency of all rows, for the heads of their columns; null: there are several, so each row names its own. */
export function commonCurrency(rows: readonly WithCurrency[]): string | null {
  const currencies = new Set(rows.map(({ currency }) => currency))
  return currencies.size === 1 ? [...currencies][0]! : null
}

/** The currency of a row: on the screen only where the heads do not say it. */
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

/** The same column, left out where there is little room. */
export function extra<Row>(column: SavedColumn<Row>): SavedColumn<Row> {
  return { ...column, isExtra: true }
}
