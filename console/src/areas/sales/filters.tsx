import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Discrepancy } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useWords } from '../../i18n/words.js'
import { contractWord } from '../../parts/enum-word.js'
import { VenueOptions } from '../../parts/venue-options.js'
import type { SaleSearch } from './search.js'

const discrepancies = Object.values(Discrepancy)
  .filter((value) => typeof value === 'number')
  .filter((value) => value !== Discrepancy.UNSPECIFIED)
  .map((value) => contractWord(Discrepancy, value))
const statuses = ['applied', 'unchanged', 'member_not_found', 'failed', 'cancelled']

/** What narrows the list of sales: every filter is in the address. */
export function Filters({ search }: { readonly search: SaleSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof SaleSearch, string | undefined>>) =>
    void navigate({ to: '.', search: { ...search, ...change } })
  const areAll = search.discrepancy === undefined
  return (
    <>
      <select
        aria-label={t('sale.discrepancies')}
        value={search.discrepancy ?? ''}
        onChange={({ target }) =>
          set({ discrepancy: target.value || undefined, status: undefined, receipt: undefined })
        }
      >
        <option value="">{t('filter.allSales')}</option>
        <option value="any">{t('filter.anyDiscrepancy')}</option>
        {discrepancies.map((word) => (
          <option key={word} value={word}>
            {t.of('discrepancy', word)}
          </option>
        ))}
      </select>
      {areAll && (
        <select
          aria-label={t('sale.status')}
          value={search.status ?? ''}
          onChange={({ target }) => set({ status: target.value || undefined })}
        >
          <option value="">{t('filter.anyStatus')}</option>
          {statuses.map((word) => (
            <option key={word} value={word}>
              {t.of('saleStatus', word)}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label={t('sale.venue')}
        value={search.venueId ?? ''}
        onChange={({ target }) => set({ venueId: target.value || undefined })}
      >
        <VenueOptions />
      </select>
      <Field label={t('sale.register')} value={search.registerId} onSet={(registerId) => set({ registerId })} />
      {areAll && <Field label={t('filter.receipt')} value={search.receipt} onSet={(receipt) => set({ receipt })} />}
    </>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onSet: (value: string | undefined) => void
}

/** A filter that is typed: it counts by Enter, or when the field is left. */
function Field({ label, value = '', onSet }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const apply = () => {
    if (typed !== null && typed.trim() !== value) onSet(typed.trim() || undefined)
    setTyped(null)
  }
  return (
    <input
      aria-label={label}
      placeholder={label}
      value={typed ?? value}
      maxLength={64}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  )
}
