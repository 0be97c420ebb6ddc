import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type BenefitChange, ProgrammeService } from '../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  type BenefitSum,
  ReportService,
  type SaleSum,
  SumsBy,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { type BenefitPart, useProgrammeNames } from '../../api/programme.js'
import { useMay } from '../../api/use-commands.js'
import { useVenueDay } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Sparkline, Swatch, useBenefitColour } from '../../parts/charts.js'
import { TextLink } from '../../parts/controls.js'
import { List } from '../../parts/list-screen.js'
import { Split } from '../../parts/page.js'
import type { Column } from '../../parts/rows.js'
import { countText, percentText } from '../../parts/scaled.js'
import { Badge, Time } from '../../parts/values.js'
import { moneyText } from '../calculations/reasons.js'
import { useMaximumText } from '../programme/use-document.js'
import { eachDay, rangeOf } from '../reports/range.js'
import styles from './benefits.module.css'
import { type Budget, budgetOf, type Status, statusOf, useCounters } from './status.js'
import { TemplateDialog } from './template-dialog.js'

const daysShown = 28
const againMs = 30_000

interface Row {
  readonly benefitId: string
  /** undefined: the programme in force has no such benefit. */
  readonly benefit: BenefitPart | undefined
  readonly status: Status | null
  readonly budget: Budget | null
  readonly sums: readonly BenefitSum[]
  readonly change: BenefitChange | undefined
  /** Redemptions of each day; null: not known. */
  readonly trend: readonly bigint[] | null
}

export function BenefitList() {
  const t = useWords()
  const navigate = useNavigate()
  const may = useMay()
  const { do: dialog } = useSearch({ from: '/benefits' })
  const { query, rows, sales } = useRows()
  const columns = useColumns()
  const running = rows.filter(({ status }) => status === 'running' || status === 'endsSoon').length
  const list = (
    <List
      title={t('area.benefits')}
      query={query}
      columns={columns}
      rows={query.isSuccess ? rows : []}
      keyOf={({ benefitId }) => benefitId}
      openKey={undefined}
      onOpen={({ benefitId }) => void navigate({ to: '/benefits/$benefitId', params: { benefitId } })}
      empty={[t('benefits.empty'), t('benefits.emptyWhat')]}
      filters={
        may('ProgrammeService/ProposeProgramme') && (
          <TextLink to="/benefits" search={{ do: 'new' }} className="button" text={t('benefits.new')} />
        )
      }
    />
  )
  const lead = query.isSuccess ? leadText(t, running, sales) : undefined
  return (
    <>
      <Split title={t('area.benefits')} lead={lead} list={list} open={null} />
      {dialog === 'new' && <TemplateDialog onClose={() => void navigate({ to: '/benefits' })} />}
    </>
  )
}

function leadText(t: Words, running: number, sales: readonly SaleSum[]): string {
  const given = sales.map(({ currency, discount }) => moneyText({ t, currency }, discount))
  return t('benefits.lead', {
    running,
    days: daysShown,
    given: given.length === 0 ? countText(t, 0) : given.join(' + '),
  })
}

function useRows() {
  const { benefits } = useProgrammeNames(0)
  const counters = useCounters()
  const range = rangeOf({}, useVenueDay(), daysShown)
  const days = { fromDay: range.from, untilDay: range.until }
  const options = { refetchInterval: againMs }
  const query = useQuery(ReportService.method.reportSums, { ...days, by: [SumsBy.BENEFIT] }, options)
  const total = useQuery(ReportService.method.reportSums, days, options)
  const byDay = useQuery(ReportService.method.reportSums, { ...days, by: [SumsBy.BENEFIT, SumsBy.DAY] }, options)
  const changes = useQuery(ProgrammeService.method.listBenefitChanges, {})
  const [from, until] = [range.from, range.until]
  const rows = useMemo(() => {
    const sums = Map.groupBy(query.data?.benefits ?? [], ({ benefitId }) => benefitId)
    const trends = byDay.data && Map.groupBy(byDay.data.benefits, ({ benefitId }) => benefitId)
    const changed = new Map(changes.data?.changes.map((change) => [change.benefitId, change]))
    const ids = new Set([...benefits.keys(), ...sums.keys()])
    return [...ids].map((benefitId): Row => {
      const benefit = benefits.get(benefitId)
      const budget = benefit === undefined || counters === null ? null : budgetOf(benefit, counters)
      return {
        ...{ benefitId, benefit, budget },
        status: counters === null ? null : statusOf(benefit, budget),
        sums: sums.get(benefitId) ?? [],
        change: changed.get(benefitId),
        trend: trends === undefined ? null : trendOf(eachDay({ from, until }), trends.get(benefitId) ?? []),
      }
    })
  }, [benefits, counters, query.data, byDay.data, changes.data, from, until])
  return { query, rows, sales: total.data?.sales ?? [] }
}

/** Redemptions of each day, of all currencies. */
function trendOf(days: readonly string[], sums: readonly BenefitSum[]): readonly bigint[] {
  const byDay = Map.groupBy(sums, ({ day }) => day)
  return days.map((day) => redemptionsOf(byDay.get(day) ?? []))
}

function redemptionsOf(sums: readonly BenefitSum[]): bigint {
  return sums.reduce((sum, { redemptions }) => sum + redemptions, 0n)
}

/** Minor units given a redemption, rounded. */
export function perSaleOf({ discount, redemptions }: BenefitSum): bigint {
  return redemptions === 0n ? 0n : (2n * discount + redemptions) / (2n * redemptions)
}

function useColumns(): readonly Column<Row>[] {
  const t = useWords()
  const colourOf = useBenefitColour()
  const maximumText = useMaximumText()
  return useMemo(() => {
    const nameOf = ({ benefit, benefitId }: Row) => benefit?.text ?? benefitId
    const wordsOf = ({ status }: Row) => (status === null ? '' : t.of('benefitStatus', status))
    const moneyOf = (amount: (sum: BenefitSum) => bigint): Pick<Column<Row>, 'cell' | 'value' | 'isNumber'> => ({
      cell: ({ sums }) => <Amounts sums={sums} amount={amount} />,
      value: ({ sums }) => sums.reduce((sum, row) => sum + amount(row), 0n),
      isNumber: true,
    })
    const left = ({ budget, benefit }: Row) =>
      budget === null ? '' : maximumText(Number(budget.left), budget.counts as never, benefit?.venueIds)
    return [
      {
        key: 'name',
        head: t('shadow.key'),
        cell: (row) => (
          <>
            <Swatch colour={colourOf(row.benefitId)} />
            <TextLink to="/benefits/$benefitId" params={{ benefitId: row.benefitId }} text={nameOf(row)} />
          </>
        ),
        value: (row) => `${nameOf(row)} ${row.benefitId} ${row.benefit?.campaign ?? ''}`,
      },
      { key: 'status', head: t('benefits.status'), cell: (row) => <StatusBadge status={row.status} />, value: wordsOf },
      {
        key: 'trend',
        head: t('benefits.trend'),
        isExtra: true,
        cell: ({ trend, benefitId }) =>
          trend !== null && (
            <Sparkline
              values={trend}
              colour={colourOf(benefitId)}
              title={t('benefits.trendOf', { first: trend[0]!, last: trend.at(-1)! })}
            />
          ),
      },
      {
        key: 'uses',
        head: t('sum.redemptions'),
        cell: ({ sums }) => countText(t, redemptionsOf(sums)),
        value: ({ sums }) => redemptionsOf(sums),
        isNumber: true,
      },
      { key: 'given', head: t('benefits.given'), ...moneyOf(({ discount }) => discount) },
      { key: 'perSale', head: t('sum.perSale'), ...moneyOf(perSaleOf), isExtra: true },
      {
        key: 'left',
        head: t('benefits.left'),
        cell: (row) =>
          row.budget === null ? '–' : `${left(row)} (${percentText(t, row.budget.left, row.budget.maximum)})`,
        value: ({ budget }) => (budget === null ? 2 : Number(budget.left) / Math.max(1, budget.maximum)),
        isNumber: true,
        isExtra: true,
      },
      {
        key: 'at',
        head: t('benefits.changed'),
        cell: ({ change }) => change && <Time at={change.programme!.publishedAt} show="day" />,
        value: ({ change }) => change?.programme?.version ?? 0,
        isExtra: true,
      },
      { key: 'by', head: t('audit.actor'), value: ({ change }) => change?.programme?.publishedBy ?? '', isExtra: true },
    ]
  }, [t, colourOf, maximumText])
}

interface AmountsProps {
  readonly sums: readonly BenefitSum[]
  readonly amount: (sum: BenefitSum) => bigint
}

/** An amount of each currency below each other. */
function Amounts({ sums, amount }: AmountsProps) {
  const t = useWords()
  if (sums.length === 0) return '–'
  return (
    <span className={styles['amounts']}>
      {sums.map((sum) => (
        <span key={sum.currency}>{moneyText({ t, currency: sum.currency }, amount(sum))}</span>
      ))}
    </span>
  )
}

export function StatusBadge({ status }: { readonly status: Status | null }) {
  const t = useWords()
  if (status === null) return null
  const tone = status === 'spent' ? 'wrong' : status === 'running' || status === 'endsSoon' ? 'live' : 'past'
  return <Badge text={t.of('benefitStatus', status)} tone={tone} />
}
