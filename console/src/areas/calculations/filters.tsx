import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import { useProgrammeNames } from '../../api/programme.js'
import { useHouseZone, useVenueZone } from '../../api/venues.js'
import { type MessageKey, useWords } from '../../i18n/words.js'
import { localOf, withLocal } from '../../parts/offsets.js'
import { VenueOptions } from '../../parts/venue-options.js'
import styles from './calculation.module.css'
import type { CalculationFilter, CalculationSearch } from './search.js'

type Change = Partial<Record<CalculationFilter, string | undefined>>

/** Filters that are seldom used, with their labels: they are in a form of their own. */
const rare = {
  from: 'filter.from',
  until: 'filter.until',
  registerId: 'calculation.register',
  benefitId: 'filter.benefit',
  receipt: 'filter.receipt',
  transaction: 'filter.transaction',
  loyaltyId: 'filter.loyaltyId',
  memberId: 'filter.memberId',
} as const satisfies Partial<Record<CalculationFilter, MessageKey>>
type Rare = keyof typeof rare
const rareNames = Object.keys(rare) as readonly Rare[]

/** What narrows the list of calculations: every filter is in the address. */
export function Filters({ search }: { readonly search: CalculationSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Change) => void navigate({ to: '.', search: { ...search, ...change } })
  const choice = (name: 'status' | 'state', label: string, words: readonly string[], any: string) => (
    <select
      aria-label={label}
      value={search[name] ?? ''}
      onChange={({ target }) => set({ [name]: target.value || undefined })}
    >
      <option value="">{any}</option>
      {words.map((word) => (
        <option key={word} value={word}>
          {t.of(name, word)}
        </option>
      ))}
    </select>
  )
  return (
    <>
      {choice('status', t('calculation.status'), statuses, t('filter.anyStatus'))}
      {choice('state', t('calculation.state'), states, t('filter.anyState'))}
      <select
        aria-label={t('calculation.venue')}
        value={search.venueId ?? ''}
        onChange={({ target }) => set({ venueId: target.value || undefined })}
      >
        <VenueOptions />
      </select>
      <Rarely search={search} onSet={set} />
      <Chosen search={search} onSet={set} />
    </>
  )
}

const statuses = ['applied', 'unchanged', 'member_not_found']
const states = ['open', 'finalised', 'abandoned', 'superseded', 'expired']

interface PartProps {
  readonly search: CalculationSearch
  readonly onSet: (change: Change) => void
}

function Rarely({ search, onSet }: PartProps) {
  const t = useWords()
  const zone = useZone(search)
  const { benefits } = useProgrammeNames(0)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const typed = (name: Rare) => String(form.get(name) ?? '').trim()
    const text = (name: Rare) => (name === 'from' || name === 'until' ? withLocal('', typed(name), zone) : typed(name))
    onSet(Object.fromEntries(rareNames.map((name) => [name, text(name) || undefined])))
  }
  const field = (name: Rare, input: ReactNode) => (
    // biome-ignore lint/a11y/noLabelWithoutControl: every input that it is given is one
    <label key={name}>
      {t(rare[name])}
      {input}
    </label>
  )
  const time = (name: 'from' | 'until') =>
    field(
      name,
      <input type="datetime-local" name={name} title={zone} defaultValue={localOf(search[name] ?? '') ?? ''} />,
    )
  const text = (name: Rare) => field(name, <input name={name} defaultValue={search[name] ?? ''} maxLength={64} />)
  return (
    <details className={styles['rarely']}>
      <summary>{t('filter.more')}</summary>
      <form onSubmit={submit} key={JSON.stringify(search)}>
        {time('from')}
        {time('until')}
        {text('registerId')}
        {field(
          'benefitId',
          <select name="benefitId" defaultValue={search.benefitId ?? ''}>
            <option value="">{t('filter.anyBenefit')}</option>
            {[...benefits.values()].map(({ benefitId, text: shown }) => (
              <option key={benefitId} value={benefitId}>
                {shown}
              </option>
            ))}
          </select>,
        )}
        {field(
          'receipt',
          <input name="receipt" inputMode="numeric" pattern="\d{1,15}" defaultValue={search.receipt ?? ''} />,
        )}
        {text('transaction')}
        {text('loyaltyId')}
        {text('memberId')}
        <button type="submit">{t('filter.apply')}</button>
      </form>
      <p className="muted small">{t('filter.zone', { zone })}</p>
    </details>
  )
}

/** Each filter of the form that is set, with a way to take it away. */
function Chosen({ search, onSet }: PartProps) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const shown = (name: Rare, value: string) => {
    if (name === 'benefitId') return benefits.get(value)?.text ?? value
    return name === 'from' || name === 'until' ? (localOf(value)?.replace('T', ' ') ?? value) : value
  }
  return rareNames.flatMap((name) => {
    const value = search[name]
    if (value === undefined) return []
    const filter = `${t(rare[name])}: ${shown(name, value)}`
    return (
      <button
        key={name}
        type="button"
        aria-label={t('filter.take', { filter })}
        onClick={() => onSet({ [name]: undefined })}
      >
        {filter} ✕
      </button>
    )
  })
}

/** The zone in which times are typed: that of the venue, where one is chosen. */
function useZone({ venueId }: CalculationSearch): string {
  const house = useHouseZone()
  return useVenueZone(venueId) ?? house
}
