import { useState } from 'react'
import type { VenueProduct } from '../../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useWords } from '../../../i18n/words.js'
import { Field } from '../../../parts/controls.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'
import { Money } from '../../../parts/values.js'
import { type PricedVenue, sumOfLine, type TypedLine } from './basket.js'
import styles from './try.module.css'

interface LineListProps {
  readonly lines: readonly TypedLine[]
  readonly venue: PricedVenue
  readonly nameOf: (productId: string) => string
  readonly onLines: (lines: readonly TypedLine[]) => void
}

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
          <th scope="col">{t('venues.product')}</th>
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

const shownMax = 12

interface ProductPickerProps {
  readonly products: readonly VenueProduct[]
  readonly currency: string
  readonly onPick: (product: VenueProduct) => void
}

export function ProductPicker({ products, currency, onPick }: ProductPickerProps) {
  const t = useWords()
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const matching = products.filter(({ name, productId, productGroupId = '' }) =>
    `${name} ${productId} ${productGroupId}`.toLowerCase().includes(wanted),
  )
  const pick = (product: VenueProduct) => {
    onPick(product)
    setTyped('')
  }
  return (
    <div className={styles['picker']}>
      <Field
        label={t('venues.product')}
        type="search"
        value={typed}
        placeholder={t('try.find')}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (matching[0] !== undefined) pick(matching[0])
        }}
        onText={setTyped}
      />
      <ul aria-label={t('venues.prices', { count: matching.length })}>
        {matching.slice(0, shownMax).map((product) => (
          <li key={product.productId}>
            <button type="button" onClick={() => pick(product)}>
              <span>{product.name || product.productId}</span>
              <span className="muted small">{formatScaled(product.unitPrice, digitsOf(currency), t.locale)}</span>
            </button>
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p className="muted">{t('try.noProduct', { typed })}</p>}
      {matching.length > shownMax && (
        <p className="muted small">{t('venues.morePrices', { count: matching.length - shownMax })}</p>
      )}
    </div>
  )
}
