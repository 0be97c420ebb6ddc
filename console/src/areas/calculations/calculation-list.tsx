import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useInfiniteQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useMemo } from 'react'
import {
  CalculationService,
  type CalculationSummary,
} from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationState, CalculationStatus } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { pageSize, pages } from '../../api/use-pages.js'
import { useHouseZone, useVenueNames, useVenueZone } from '../../api/venues.js'
import { type MessageKey, useWords, type Words } from '../../i18n/words.js'
import { Button, Select, TextLink, VenueSelect } from '../../parts/controls.js'
import { FormDayField } from '../../parts/day-field.js'
import { dayText } from '../../parts/days.js'
import { ListScreen } from '../../parts/list-screen.js'
import { localOf, withLocal } from '../../parts/offsets.js'
import type { Column } from '../../parts/rows.js'
import { moneyColumn } from '../../parts/rows.js'
import { SavedViews } from '../../parts/saved-views.js'
import { enumOf, StateBadge, shortened, Time, wordOf } from '../../parts/values.js'
import type { CalculationSearch } from '../../search.js'
import styles from './calculations.module.css'

export function CalculationList() {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/calculations' })
  const { calculationId } = useParams({ strict: false })
  const query = useInfiniteQuery(CalculationService.method.listCalculations, requestOf(search), pages)
  const rows = useMemo(() => query.data?.pages.flatMap(({ calculations }) => calculations) ?? [], [query.data])
  const venueName = useVenueNames()
  const columns = useMemo(() => columnsOf(t, venueName), [t, venueName])
  // One call looks at a limited number of calculations; where none of them fits, the next call looks at older ones.
  const lookOn = (
    <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetching} text={t('calculations.lookOn')} />
  )
  return (
    <ListScreen
      title={t('area.calculations')}
      lead={<TextLink to="/requests" text={t('requests.title')} />}
      query={query}
      columns={columns}
      rows={rows}
      keyOf={(row) => row.calculationId}
      openKey={calculationId}
      onOpen={(row) =>
        void navigate({ to: '/calculations/$calculationId', params: { calculationId: row.calculationId }, search })
      }
      empty={
        query.hasNextPage ? [t('calculations.noneYet'), lookOn] : [t('calculations.empty'), t('calculations.emptyWhat')]
      }
      filters={
        <>
          <Filters search={search} />
          <SavedViews list="calculations" />
        </>
      }
    />
  )
}

function requestOf(search: CalculationSearch) {
  const { venueId = '', registerId = '', memberId = '', loyaltyId = '', benefitId = '', transaction = '' } = search
  return {
    pageSize,
    pageToken: '',
    ...{ venueId, memberId, loyaltyId, benefitId },
    cashRegisterId: registerId,
    transactionId: transaction,
    status: enumOf(CalculationStatus, search.status),
    state: enumOf(CalculationState, search.state),
    ...(search.receipt === undefined ? {} : { receiptNumber: BigInt(search.receipt) }),
    ...(search.from === undefined ? {} : { from: timestampFromDate(new Date(search.from)) }),
    ...(search.until === undefined ? {} : { until: timestampFromDate(new Date(search.until)) }),
  }
}

function columnsOf(t: Words, venueName: (venueId: string) => string): readonly Column<CalculationSummary>[] {
  return [
    {
      key: 'at',
      head: t('calculation.at'),
      cell: (row) => (
        <TextLink
          to="/calculations/$calculationId"
          params={{ calculationId: row.calculationId }}
          search
          text={<Time at={row.answeredAt} venueId={row.venueId} />}
        />
      ),
      value: (row) => Number(row.answeredAt?.seconds ?? 0n),
    },
    {
      key: 'status',
      head: t('calculation.status'),
      cell: ({ status }) => (
        <StateBadge group="status" values={CalculationStatus} value={status} live={[CalculationStatus.APPLIED]} />
      ),
      value: (row) => wordOf(t, 'status', CalculationStatus, row.status),
    },
    {
      key: 'member',
      head: t('calculation.member'),
      cell: (row) => row.memberId ?? row.loyaltyId ?? t('calculation.nobody'),
      value: (row) => row.memberId ?? row.loyaltyId ?? '',
    },
    { key: 'venue', head: t('sale.venue'), value: (row) => venueName(row.venueId), isExtra: true },
    { key: 'register', head: t('sale.register'), value: (row) => row.cashRegisterId, isExtra: true },
    ...amountColumns(t),
    {
      key: 'state',
      head: t('calculation.state'),
      cell: ({ state }) => (
        <StateBadge group="state" values={CalculationState} value={state} live={[CalculationState.OPEN]} />
      ),
      value: (row) => wordOf(t, 'state', CalculationState, row.state),
      isExtra: true,
    },
    {
      key: 'id',
      head: t('calculation.id'),
      cell: (row) => <code>{shortened(row.calculationId)}</code>,
      value: (row) => row.calculationId,
      isExtra: true,
    },
  ]
}

function amountColumns(t: Words): readonly Column<CalculationSummary>[] {
  return [
    moneyColumn({
      key: 'before',
      head: t('changes.before'),
      currency: (row) => row.currency,
      minor: (row) => row.netBefore,
      isExtra: true,
    }),
    moneyColumn({
      key: 'after',
      head: t('calculation.after'),
      currency: (row) => row.currency,
      minor: (row) => row.netAfter,
      withCurrency: true,
    }),
    moneyColumn({
      key: 'discount',
      head: t('sum.discount'),
      currency: (row) => row.currency,
      minor: (row) => row.givenTotal,
      isExtra: true,
    }),
  ]
}

type Change = Partial<Record<Exclude<keyof CalculationSearch, 'tool'>, string | undefined>>

const rare = {
  from: 'field.from',
  until: 'filter.until',
  registerId: 'sale.register',
  benefitId: 'filter.benefit',
  receipt: 'filter.receipt',
  transaction: 'filter.transaction',
  loyaltyId: 'sale.loyaltyId',
  memberId: 'field.memberId',
} as const satisfies Partial<Record<keyof CalculationSearch, MessageKey>>
type Rare = keyof typeof rare
const rareNames = Object.keys(rare) as readonly Rare[]

function Filters({ search }: { readonly search: CalculationSearch }) {
  const t = useWords()
  const navigate = useNavigate()
  const set = (change: Change) => void navigate({ to: '.', search: { ...search, ...change } })
  const choice = (name: 'status' | 'state', label: string, words: readonly string[], any: string) => (
    <Select
      aria-label={label}
      value={search[name] ?? ''}
      onText={(text) => set({ [name]: text || undefined })}
      options={[['', any], ...words.map((word) => [word, t.of(name, word)] as const)]}
    />
  )
  return (
    <>
      {choice('status', t('calculation.status'), statuses, t('filter.anyStatus'))}
      {choice('state', t('calculation.state'), states, t('filter.anyState'))}
      <VenueSelect value={search.venueId ?? ''} onText={(venueId) => set({ venueId: venueId || undefined })} />
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
  const time = (name: 'from' | 'until') => (
    <FormDayField label={t(rare[name])} name={name} title={zone} first={localOf(search[name] ?? '') ?? ''} withTime />
  )
  const text = (name: Rare) => field(name, <input name={name} defaultValue={search[name] ?? ''} maxLength={64} />)
  return (
    <details className={styles['rarely']}>
      <summary>{t('filter.more')}</summary>
      <form onSubmit={submit} key={JSON.stringify(search)}>
        {time('from')}
        {time('until')}
        {text('registerId')}
        <Select
          label={t(rare.benefitId)}
          name="benefitId"
          defaultValue={search.benefitId ?? ''}
          options={[
            ['', t('filter.anyBenefit')],
            ...[...benefits.values()].map(({ benefitId, text: shown }) => [benefitId, shown] as const),
          ]}
        />
        {field(
          'receipt',
          <input name="receipt" inputMode="numeric" pattern="\d{1,15}" defaultValue={search.receipt ?? ''} />,
        )}
        {text('transaction')}
        {text('loyaltyId')}
        {text('memberId')}
        <Button type="submit" text={t('filter.apply')} />
      </form>
      <p className="muted small">{t('filter.zone', { zone })}</p>
    </details>
  )
}

function Chosen({ search, onSet }: PartProps) {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const shown = (name: Rare, value: string) => {
    if (name === 'benefitId') return benefits.get(value)?.text ?? value
    return name === 'from' || name === 'until' ? dayText(localOf(value) ?? value, t.locale) : value
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

function useZone({ venueId }: CalculationSearch): string {
  const house = useHouseZone()
  return useVenueZone(venueId) ?? house
}
