import { useInfiniteQuery, useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Environment } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  type PriceChange,
  type PriceListFault,
  type ReadPriceListResponse,
  type Venue,
  type VenueProduct,
  VenueService,
} from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useCommands, useMay } from '../../api/use-commands.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, FirstVenue, TextLink } from '../../parts/controls.js'
import { ListScreen } from '../../parts/list-screen.js'
import { Detail, Facts, Part } from '../../parts/page.js'
import { type Column, moneyColumn, Rows } from '../../parts/rows.js'
import { Empty, ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { contractWord, Money } from '../../parts/values.js'
import styles from './system.module.css'

const productsShown = 200

export function VenueDetail() {
  const { venueId } = useParams({ from: '/system/venues/$venueId' })
  const query = useQuery(VenueService.method.getVenue, { venueId })
  if (!query.isSuccess) return <Waiting query={query} />
  return <Shown key={venueId} venue={query.data.venue!} />
}

function Shown({ venue }: { readonly venue: Venue }) {
  const t = useWords()
  const may = useMay()
  const [isImporting, setImporting] = useState(false)
  const { venueId, name, environment, currency, timeZone, dayStartsAt, baxIds, products } = venue
  return (
    <Detail
      title={name || venueId}
      closeTo="/system/venues"
      buttons={
        <>
          {may('VenueService/UpsertVenue') && <Button onClick={() => setImporting(true)} text={t('priceList.open')} />}
          <TextLink to="/calculations" search={{ venueId }} className="button" text={t('area.calculations')} />
          <TextLink to="/sales" search={{ venueId }} className="button" text={t('area.sales')} />
        </>
      }
    >
      <Facts
        facts={[
          [t('venues.id'), venueId],
          [t('system.environment'), contractWord(Environment, environment)],
          [t('reports.currency'), currency],
          [t('venues.zone'), timeZone],
          [t('field.dayStartsAt'), dayStartsAt],
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

function Prices({ products, currency }: { readonly products: readonly VenueProduct[]; readonly currency: string }) {
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
    moneyColumn({ key: 'price', head: t('venues.price', { currency }), currency, minor: ({ unitPrice }) => unitPrice }),
    { key: 'refuses', head: t('venues.discounts'), cell: refuses },
  ]
}

export function VenueList() {
  const t = useWords()
  const navigate = useNavigate()
  const { venueId } = useParams({ strict: false })
  const query = useInfiniteQuery(VenueService.method.listVenues, { pageSize, pageToken: '' }, pages)
  return (
    <ListScreen
      title={t('system.venues')}
      query={query}
      columns={columnsOf(t)}
      rows={query.data?.pages.flatMap(({ venues }) => venues) ?? []}
      keyOf={(row) => row.venueId}
      openKey={venueId}
      onOpen={(row) => void navigate({ to: '/system/venues/$venueId', params: { venueId: row.venueId } })}
      empty={[t('venues.empty'), <FirstVenue key="first" />]}
    />
  )
}

function columnsOf(t: Words): readonly Column<Venue>[] {
  return [
    {
      key: 'name',
      head: t('venues.name'),
      cell: ({ venueId, name }) => (
        <TextLink to="/system/venues/$venueId" params={{ venueId }} text={name || venueId} />
      ),
      value: ({ venueId, name }) => name || venueId,
    },
    { key: 'id', head: t('venues.id'), value: ({ venueId }) => venueId },
    {
      key: 'environment',
      head: t('system.environment'),
      value: ({ environment }) => contractWord(Environment, environment),
      isExtra: true,
    },
    { key: 'currency', head: t('reports.currency'), value: ({ currency }) => currency, isExtra: true },
    { key: 'zone', head: t('venues.zone'), value: ({ timeZone }) => timeZone, isExtra: true },
  ]
}

type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly answer: ReadPriceListResponse }
  | { readonly kind: 'failed'; readonly cause: unknown }

function PriceListDialog({ venue, onClose }: { readonly venue: Venue; readonly onClose: () => void }) {
  const t = useWords()
  const { venues } = useCommands()
  const [reading, setReading] = useState<Reading | null>(null)
  const { venueId, name, currency } = venue
  const answer = reading?.kind === 'read' ? reading.answer : null

  async function read(file: File | undefined) {
    if (file === undefined) return setReading(null)
    setReading({ kind: 'reading' })
    try {
      const csv = new Uint8Array(await file.arrayBuffer())
      setReading({ kind: 'read', answer: await venues.readPriceList({ venueId, csv }) })
    } catch (cause) {
      setReading({ kind: 'failed', cause })
    }
  }
  return (
    <CommandDialog
      title={t('priceList.title', { venue: name || venueId })}
      verb={t('priceList.do')}
      draftKey={`priceList/${venueId}`}
      withReason={false}
      isReady={answer?.venue !== undefined && changesIn(answer) > 0}
      onClose={onClose}
      run={async ({ requestId }) => {
        const stored = answer!.venue!
        await venues.upsertVenue({ requestId, venue: stored })
        return <p>{t('priceList.done', { count: stored.products.length })}</p>
      }}
    >
      <p>{t('priceList.what', { currency })}</p>
      <label>
        {t('priceList.file')}
        <input
          type="file"
          accept=".csv,.txt,text/csv"
          onChange={(event) => void read(event.target.files?.[0] ?? undefined)}
        />
      </label>
      {reading?.kind === 'reading' && <Skeleton lines={2} />}
      {reading?.kind === 'failed' && <ErrorPanel cause={reading.cause} />}
      {answer !== null && <Preview answer={answer} currency={currency} />}
    </CommandDialog>
  )
}

function changesIn({ added, changed, removed }: ReadPriceListResponse): number {
  return added + changed + removed
}

function Preview({ answer, currency }: { readonly answer: ReadPriceListResponse; readonly currency: string }) {
  const t = useWords()
  const { venue, added, changed, removed, unchanged, changes, faults, moreFaults } = answer
  if (venue === undefined) {
    return (
      <div role="status">
        <p className="lost">{t('priceList.faults', { count: faults.length + moreFaults })}</p>
        <Rows
          label={t('priceList.faultsLabel')}
          columns={faultColumns(t)}
          rows={faults}
          keyOf={({ row, column, expected }) => `${row}/${column}/${expected}`}
        />
      </div>
    )
  }
  return (
    <div role="status">
      <p className="box">{t('priceList.changes', { added, changed, removed, unchanged })}</p>
      {changes.length > 0 && (
        <Rows
          label={t('priceList.changesLabel')}
          columns={changeColumns(t, currency)}
          rows={changes}
          keyOf={({ productId }) => productId}
        />
      )}
      {changesIn(answer) > changes.length && (
        <p className="muted">{t('priceList.more', { count: changesIn(answer) - changes.length })}</p>
      )}
    </div>
  )
}

function faultColumns(t: Words): readonly Column<PriceListFault>[] {
  return [
    { key: 'row', head: t('priceList.row'), cell: ({ row }) => String(row), isNumber: true },
    { key: 'column', head: t('priceList.column'), cell: ({ column }) => <code>{column || '–'}</code> },
    { key: 'expected', head: t('priceList.expected'), cell: ({ expected }) => expected },
    { key: 'received', head: t('priceList.received'), cell: ({ received }) => received },
  ]
}

function changeColumns(t: Words, currency: string): readonly Column<PriceChange>[] {
  const kindOf = ({ before, after }: PriceChange) =>
    t(before === undefined ? 'priceList.isNew' : after === undefined ? 'priceList.goes' : 'priceList.differs')
  const price = (product: PriceChange['before']) =>
    product === undefined ? '–' : <Money minor={product.unitPrice} currency={currency} />
  return [
    { key: 'name', head: t('venues.product'), cell: ({ before, after }) => (after ?? before)?.name },
    { key: 'id', head: t('venues.productId'), cell: ({ productId }) => <code>{productId}</code> },
    { key: 'kind', head: t('priceList.kind'), cell: kindOf },
    { key: 'before', head: t('priceList.before', { currency }), cell: ({ before }) => price(before), isNumber: true },
    { key: 'after', head: t('priceList.after', { currency }), cell: ({ after }) => price(after), isNumber: true },
  ]
}
