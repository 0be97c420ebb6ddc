import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type {
  MoneyDifference,
  ShadowRunExample,
  ShadowRunReport,
  ValueDifference,
} from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { namesOf, type ProgrammeNames } from '../../api/programme.js'
import { useVenues } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Bars } from '../../parts/bars.js'
import { Part } from '../../parts/detail.js'
import { shortened } from '../../parts/id.js'
import { digitsOf, formatScaled, Money } from '../../parts/money.js'
import { Rows } from '../../parts/rows.js'
import { Empty } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { moneyText } from '../calculations/reasons.js'

interface ShadowReportProps {
  readonly report: ShadowRunReport
  readonly document: string
}

/** What the draft would have changed: in a sentence, by day, benefit and venue, and of what members collect. */
export function ShadowReport({ report, document }: ShadowReportProps) {
  const t = useWords()
  const names = useMemo(() => namesOf(document), [document])
  const venues = useVenues()
  const { calculations, changed, skipped, totals, byBenefit, byVenue, byDay, value, examples } = report
  if (calculations === 0n) return <Empty why={t('shadow.empty')}>{t('shadow.emptyWhat', { skipped })}</Empty>
  const venueName = (id: string) => venues.find(({ venueId }) => venueId === id)?.name || id
  const benefitName = (id: string) => names.benefits.get(id)?.text ?? id
  const differences = (title: string, rows: readonly MoneyDifference[], nameOf: (key: string) => string) =>
    rows.length > 0 && (
      <Part level={2} title={title}>
        <Rows
          label={title}
          columns={moneyColumns(t, nameOf)}
          rows={rows}
          keyOf={({ key, currency }) => `${key}/${currency}`}
        />
      </Part>
    )
  return (
    <>
      <p role="status">
        {t('shadow.lead', { calculations, changed, skipped })} {totals.map((total) => totalText(t, total)).join(' ')}
      </p>
      {totals.map(({ currency }) => (
        <ByDay key={currency} currency={currency} days={byDay.filter((day) => day.currency === currency)} />
      ))}
      {differences(t('shadow.byBenefit'), byBenefit, benefitName)}
      {differences(t('shadow.byVenue'), byVenue, venueName)}
      {differences(t('shadow.byDay'), byDay, (day) => day)}
      {value.length > 0 && (
        <Part level={2} title={t('shadow.value')}>
          <Rows
            label={t('shadow.value')}
            columns={valueColumns(t, names)}
            rows={value}
            keyOf={({ currencyId }) => currencyId}
          />
        </Part>
      )}
      {examples.length > 0 && (
        <Part level={2} title={t('shadow.examples')}>
          <Rows
            label={t('shadow.examples')}
            columns={exampleColumns(t)}
            rows={examples}
            keyOf={({ calculationId }) => calculationId}
          />
        </Part>
      )}
    </>
  )
}

function totalText(t: Words, { currency, discountThen, discountDraft }: MoneyDifference): string {
  const difference = discountDraft - discountThen
  const size = moneyText({ t, currency }, difference < 0n ? -difference : difference)
  const values = { size, given: moneyText({ t, currency }, discountThen) }
  return t(difference === 0n ? 'shadow.same' : difference > 0n ? 'shadow.more' : 'shadow.less', values)
}

interface ByDayProps {
  readonly currency: string
  readonly days: readonly MoneyDifference[]
}

function ByDay({ currency, days }: ByDayProps) {
  const t = useWords()
  const bars = days.map(({ key, discountThen, discountDraft }) => ({
    key,
    value: Number(discountDraft - discountThen),
    label: signed(t, currency, discountDraft - discountThen),
  }))
  return bars.length === 0 ? null : <Bars title={t('shadow.chart', { currency })} bars={bars} />
}

function signed(t: Words, currency: string, minor: bigint): string {
  return `${minor > 0n ? '+' : ''}${formatScaled(minor, digitsOf(currency), t.locale)}`
}

function moneyColumns(t: Words, nameOf: (key: string) => string): readonly Column<MoneyDifference>[] {
  return [
    { key: 'key', head: t('shadow.key'), cell: ({ key }) => nameOf(key) },
    { key: 'currency', head: t('reports.currency'), cell: ({ currency }) => currency },
    {
      key: 'then',
      head: t('shadow.then'),
      cell: ({ discountThen, currency }) => <Money minor={discountThen} currency={currency} />,
      isNumber: true,
    },
    {
      key: 'draft',
      head: t('shadow.draft'),
      cell: ({ discountDraft, currency }) => <Money minor={discountDraft} currency={currency} />,
      isNumber: true,
    },
    {
      key: 'difference',
      head: t('shadow.difference'),
      cell: ({ discountThen, discountDraft, currency }) => signed(t, currency, discountDraft - discountThen),
      isNumber: true,
    },
    { key: 'changed', head: t('shadow.changed'), cell: ({ changed }) => String(changed), isNumber: true },
  ]
}

function valueColumns(t: Words, { currencies }: ProgrammeNames): readonly Column<ValueDifference>[] {
  const column = (key: 'issuedThen' | 'issuedDraft' | 'spentThen' | 'spentDraft', head: string) => ({
    key,
    head,
    cell: (row: ValueDifference) => formatScaled(row[key], currencies.get(row.currencyId)?.scale ?? 0, t.locale),
    isNumber: true,
  })
  return [
    {
      key: 'currency',
      head: t('reports.currency'),
      cell: ({ currencyId }) => currencies.get(currencyId)?.name ?? currencyId,
    },
    column('issuedThen', t('shadow.issuedThen')),
    column('issuedDraft', t('shadow.issuedDraft')),
    column('spentThen', t('shadow.spentThen')),
    column('spentDraft', t('shadow.spentDraft')),
  ]
}

function exampleColumns(t: Words): readonly Column<ShadowRunExample>[] {
  return [
    {
      key: 'calculation',
      head: t('calculation.id'),
      cell: ({ calculationId }) => (
        <Link to="/calculations/$calculationId" params={{ calculationId }}>
          <code>{shortened(calculationId)}</code>
        </Link>
      ),
    },
    {
      key: 'then',
      head: t('shadow.netThen'),
      cell: ({ netThen, currency }) => <Money minor={netThen} currency={currency} withCurrency />,
      isNumber: true,
    },
    {
      key: 'draft',
      head: t('shadow.netDraft'),
      cell: ({ netDraft, currency }) => <Money minor={netDraft} currency={currency} withCurrency />,
      isNumber: true,
    },
  ]
}
