import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import { VenueService } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useVenues } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/money.js'
import { emptyBody, readBody, withProduct } from './build-basket.js'
import styles from './programme.module.css'

interface BasketBuilderProps {
  readonly body: string
  readonly onBody: (body: string) => void
}

const quantityMax = 1_000

/** Builds the body of a basket from the price list of a venue. */
export function BasketBuilder({ body, onBody }: BasketBuilderProps) {
  const t = useWords()
  const venues = useVenues()
  const [productId, setProductId] = useState('')
  const [quantity, setQuantity] = useState('1')
  const venueId = readBody(body)?.context.venueId ?? ''
  const { data } = useQuery(VenueService.method.getVenue, { venueId }, { enabled: venueId !== '' })
  const products = data?.venue?.products ?? []
  const product = products.find((one) => one.productId === productId) ?? products[0]
  const units = Number(quantity)
  const isWhole = Number.isInteger(units) && units >= 1 && units <= quantityMax
  return (
    <div className={styles['form']}>
      <label>
        {t('try.venue')}
        <select
          value={venueId}
          onChange={(event) => {
            const venue = venues.find((one) => one.venueId === event.target.value)
            if (venue !== undefined) onBody(emptyBody(venue))
          }}
        >
          <option value="">{t('try.chooseVenue')}</option>
          {venues.map((venue) => (
            <option key={venue.venueId} value={venue.venueId}>
              {venue.name || venue.venueId}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('try.product')}
        <select value={product?.productId ?? ''} onChange={(event) => setProductId(event.target.value)}>
          {products.map((one) => (
            <option key={one.productId} value={one.productId}>
              {`${one.name || one.productId} ${formatScaled(one.unitPrice, digitsOf(data!.venue!.currency), t.locale)}`}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('try.quantity')}
        <input inputMode="numeric" value={quantity} onChange={(event) => setQuantity(event.target.value)} />
      </label>
      <button
        type="button"
        disabled={product === undefined || !isWhole}
        onClick={() => product !== undefined && onBody(withProduct(body, product, units))}
      >
        {t('try.add')}
      </button>
    </div>
  )
}
