import { useWords } from '../../../i18n/words.js'
import { Money } from '../../../parts/money.js'
import { digitsOf } from '../../../parts/scaled.js'
import { type PricedVenue, sumOfLine, type TypedLine } from './basket.js'
import styles from './try.module.css'

interface LineListProps {
  readonly lines: readonly TypedLine[]
  readonly venue: PricedVenue
  readonly nameOf: (productId: string) => string
  readonly onLines: (lines: readonly TypedLine[]) => void
}

/** The lines of the basket: units or weight, what the POS takes off already, and what they come to. */
export function LineList({ lines, venue, nameOf, onLines }: LineListProps) {
  const t = useWords()
  const { currency } = venue
  const change = (at: number, change: Partial<TypedLine>) =>
    onLines(lines.map((line, other) => (other === at ? { ...line, ...change } : line)))
  if (lines.length === 0) return <p className="muted">{t('try.noLines')}</p>
  return (
    <table className={styles['lines']}>
      <caption className="hidden">{t('try.lines')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('try.product')}</th>
          <th scope="col">{t('try.quantity')}</th>
          <th scope="col">{t('try.discount', { currency })}</th>
          <th scope="col" className="number">
            {t('try.sum', { currency })}
          </th>
          <th scope="col">
            <span className="hidden">{t('form.remove')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => {
          const sum = sumOfLine(line, venue, digitsOf(currency))
          const name = nameOf(line.productId)
          const input = (field: 'quantity' | 'discount') => (
            <input
              inputMode="decimal"
              value={line[field]}
              placeholder={field === 'discount' ? t('try.discount', { currency }) : ''}
              aria-label={t(field === 'quantity' ? 'try.quantityOf' : 'try.discountOf', { name })}
              aria-invalid={sum === null}
              onChange={({ target }) => change(at, { [field]: target.value })}
            />
          )
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a product may stand on several lines
            <tr key={at}>
              <td>{name}</td>
              <td>{input('quantity')}</td>
              <td>{input('discount')}</td>
              <td className="number">
                {sum === null ? (
                  <span className="lost">{t('try.noLine')}</span>
                ) : (
                  <Money minor={sum.gross - sum.discount} currency={currency} />
                )}
              </td>
              <td>
                <button
                  type="button"
                  data-plain
                  aria-label={t('form.take', { value: name })}
                  onClick={() => onLines(lines.filter((_, other) => other !== at))}
                >
                  <span aria-hidden="true">✕</span>
                </button>
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
