import { useState } from 'react'
import type {
  PriceChange,
  PriceListFault,
  ReadPriceListResponse,
  Venue,
} from '../../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { AuditRecord } from '../../parts/audit-record.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Money } from '../../parts/money.js'
import { Rows } from '../../parts/rows.js'
import { Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import styles from './system.module.css'

interface PriceListDialogProps {
  readonly venue: Venue
  readonly onClose: () => void
}

type Reading =
  | { readonly kind: 'reading' }
  | { readonly kind: 'read'; readonly answer: ReadPriceListResponse }
  | { readonly kind: 'failed'; readonly cause: unknown }

/** Takes a price list of a spreadsheet in the place of the venue's, after saying what that changes. */
export function PriceListDialog({ venue, onClose }: PriceListDialogProps) {
  const t = useWords()
  const { venues, changed } = useCommands()
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
        await changed()
        return (
          <>
            <p>{t('priceList.done', { count: stored.products.length })}</p>
            <AuditRecord requestId={requestId} />
          </>
        )
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

interface PreviewProps {
  readonly answer: ReadPriceListResponse
  readonly currency: string
}

function Preview({ answer, currency }: PreviewProps) {
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
      <p className={styles['change']}>{t('priceList.changes', { added, changed, removed, unchanged })}</p>
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
