import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Environment } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Venue, type VenueProduct, VenueService } from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useMay } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Detail, Facts, Part } from '../../parts/detail.js'
import { contractWord } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Rows } from '../../parts/rows.js'
import { Empty, Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { PriceListDialog } from './price-list-dialog.js'
import styles from './system.module.css'

/** A longer price list is looked through by typing. */
const productsShown = 200

/** A venue with its price list. */
export function VenueDetail() {
  const { venueId } = useParams({ from: '/system/venues/$venueId' })
  const query = useQuery(VenueService.method.getVenue, { venueId })
  if (query.isPending) return <Skeleton />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  return <Shown key={venueId} venue={query.data.venue!} />
}

function Shown({ venue }: { readonly venue: Venue }) {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const [isImporting, setImporting] = useState(false)
  const { venueId, name, environment, currency, timeZone, baxIds, products } = venue
  return (
    <Detail
      title={name || venueId}
      closeTo="/system/venues"
      onClose={() => void navigate({ to: '/system/venues' })}
      buttons={
        <>
          {may('VenueService/UpsertVenue') && (
            <button type="button" onClick={() => setImporting(true)}>
              {t('priceList.open')}
            </button>
          )}
          <Link to="/calculations" search={{ venueId }} className="button">
            {t('area.calculations')}
          </Link>
          <Link to="/sales" search={{ venueId }} className="button">
            {t('area.sales')}
          </Link>
        </>
      }
    >
      <Facts
        facts={[
          [t('venues.id'), venueId],
          [t('system.environment'), contractWord(Environment, environment)],
          [t('reports.currency'), currency],
          [t('venues.zone'), timeZone],
          [t('venues.baxIds'), baxIds.join(', ')],
        ]}
      />
      <Part title={t('venues.prices', { count: products.length })}>
        {products.length === 0 ? (
          <Empty why={t('venues.noPrices')}>{t('venues.noPricesWhat')}</Empty>
        ) : (
          <Prices products={products} currency={currency} />
        )}
      </Part>
      {isImporting && <PriceListDialog venue={venue} onClose={() => setImporting(false)} />}
    </Detail>
  )
}

interface PricesProps {
  readonly products: readonly VenueProduct[]
  readonly currency: string
}

function Prices({ products, currency }: PricesProps) {
  const t = useWords()
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const found = products.filter(({ productId, name, productGroupId = '' }) =>
    [productId, name, productGroupId].some((text) => text.toLowerCase().includes(wanted)),
  )
  return (
    <>
      <input
        type="search"
        className={styles['filter']}
        value={typed}
        placeholder={t('venues.filter')}
        aria-label={t('venues.filter')}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Rows
        label={t('venues.prices', { count: products.length })}
        columns={priceColumns(t, currency)}
        rows={found.slice(0, productsShown)}
        keyOf={({ productId }) => productId}
      />
      {found.length > productsShown && (
        <p className="muted">{t('venues.morePrices', { count: found.length - productsShown })}</p>
      )}
    </>
  )
}

function priceColumns(t: Words, currency: string): readonly Column<VenueProduct>[] {
  const refuses = ({ noDiscount, noPercentageDiscount }: VenueProduct) =>
    noDiscount ? t('venues.noDiscount') : noPercentageDiscount ? t('venues.noPercentage') : ''
  return [
    { key: 'name', head: t('venues.product'), cell: ({ name, productId }) => name || productId },
    { key: 'id', head: t('venues.productId'), cell: ({ productId }) => <code>{productId}</code> },
    { key: 'group', head: t('venues.group'), cell: ({ productGroupId }) => productGroupId },
    {
      key: 'price',
      head: t('venues.price', { currency }),
      cell: ({ unitPrice }) => <Money minor={unitPrice} currency={currency} />,
      isNumber: true,
    },
    { key: 'refuses', head: t('venues.discounts'), cell: refuses },
  ]
}
