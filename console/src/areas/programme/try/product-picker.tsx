import { useState } from 'react'
import type { VenueProduct } from '../../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useWords } from '../../../i18n/words.js'
import { digitsOf, formatScaled } from '../../../parts/scaled.js'
import styles from './try.module.css'

/** More are found by typing. */
const shownMax = 12

interface ProductPickerProps {
  readonly products: readonly VenueProduct[]
  readonly currency: string
  readonly onPick: (product: VenueProduct) => void
}

/** The price list of a venue, found by typing a name, an id or a group; Enter takes the first. */
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
      <label>
        {t('try.product')}
        <input
          type="search"
          value={typed}
          placeholder={t('try.find')}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            if (matching[0] !== undefined) pick(matching[0])
          }}
        />
      </label>
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
