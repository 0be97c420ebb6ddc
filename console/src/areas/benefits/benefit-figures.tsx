import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import {
  type BenefitSum,
  ReportService,
  type ReportTopMembersResponse,
  SumsBy,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useDaySpan, useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, TextLink } from '../../parts/controls.js'
import { dayText } from '../../parts/days.js'
import { Part } from '../../parts/page.js'
import { Rows } from '../../parts/rows.js'
import { countText } from '../../parts/scaled.js'
import { ErrorPanel, Skeleton, Waiting } from '../../parts/states.js'
import { Time } from '../../parts/values.js'
import { moneyText } from '../calculations/reasons.js'
import { AddedDialog } from '../reports/added-dialog.js'
import { DayCharts } from '../reports/day-charts.js'
import type { Range } from '../reports/range.js'
import { RangeFilter } from '../reports/range-filter.js'
import { Asked, ReachSince, useSums } from '../reports/reports.js'
import {
  commonCurrency,
  countColumn,
  currencyColumn,
  idColumn,
  moneyColumn,
  type SavedColumn,
  SavedRows,
} from '../reports/saved-rows.js'
import { perSaleOf } from './benefit-list.js'

interface FiguresProps {
  readonly benefitId: string
  readonly range: Range
}

export function BenefitFigures({ benefitId, range }: FiguresProps) {
  const t = useWords()
  return (
    <>
      <Part level={2} title={t('benefits.figures')}>
        <RangeFilter key={`${range.from}/${range.until}`} range={range} />
        <Sums benefitId={benefitId} range={range} />
      </Part>
      <Displaced benefitId={benefitId} range={range} />
      <TopMembers benefitId={benefitId} />
    </>
  )
}

function Sums({ benefitId, range }: FiguresProps) {
  const t = useWords()
  const venueName = useVenueNames()
  const spanOf = useDaySpan(range.venueId)
  const total = useSums(range, [], benefitId)
  const byDay = useSums(range, [SumsBy.DAY], benefitId)
  const byVenue = useSums(range, [SumsBy.VENUE], benefitId)
  const queries = [total, byDay, byVenue]
  const failed = queries.find(({ isError }) => isError)
  if (failed !== undefined) {
    return <ErrorPanel cause={failed.error} onRetry={() => queries.forEach((query) => void query.refetch())} />
  }
  if (!total.isSuccess || !byDay.isSuccess || !byVenue.isSuccess) return <Skeleton lines={6} />
  if (total.data.benefits.length === 0) return <p className="muted">{t('benefits.unused')}</p>
  const [reach] = total.data.reach
  const calculationsOf = (day: string) => {
    const { from, until } = spanOf(day)
    const moments = { from: from.toISOString(), until: until.toISOString() }
    return { benefitId, ...moments, ...(range.venueId && { venueId: range.venueId }) }
  }
  const file = `${range.from}_${range.until}.csv`
  return (
    <>
      <div className="stack" role="status">
        {total.data.benefits.map((sum) => (
          <p key={sum.currency}>{leadText(t, sum)}</p>
        ))}
        {reach !== undefined && <p>{t('benefits.reached', { count: reach.members })}</p>}
        <ReachSince range={range} since={total.data.reachSince} hasReach={total.data.reach.length > 0} />
      </div>
      <Asked queries={queries} />
      <DayCharts range={range} rows={byDay.data.benefits.map((row) => ({ ...row, benefitId }))} />
      <SavedRows
        title={t('reports.byVenue')}
        file={`${benefitId}_venues_${file}`}
        columns={columnsOf(t, byVenue.data.benefits, [
          { key: 'venue', head: t('sale.venue'), text: (row) => venueName(row.venueId) },
          idColumn(t, ({ venueId }) => venueId),
        ])}
        rows={byVenue.data.benefits}
        keyOf={({ venueId, currency }) => `${venueId}/${currency}`}
      />
      <SavedRows
        title={t('reports.byDay')}
        file={`${benefitId}_days_${file}`}
        columns={columnsOf(t, byDay.data.benefits, [
          {
            key: 'day',
            head: t('reports.day'),
            text: ({ day }) => day,
            cell: ({ day }) => (
              <TextLink to="/calculations" search={calculationsOf(day)} text={dayText(day, t.locale)} />
            ),
          },
        ])}
        rows={byDay.data.benefits}
        keyOf={({ day, currency }) => `${day}/${currency}`}
      />
    </>
  )
}

function leadText(t: Words, sum: BenefitSum): string {
  const money = (minor: bigint) => moneyText({ t, currency: sum.currency }, minor)
  return t('benefits.figuresLead', {
    redemptions: sum.redemptions,
    calculations: sum.calculations,
    given: money(sum.discount),
    paid: money(sum.paid),
    perSale: money(perSaleOf(sum)),
  })
}

function columnsOf(
  t: Words,
  rows: readonly BenefitSum[],
  key: readonly SavedColumn<BenefitSum>[],
): readonly SavedColumn<BenefitSum>[] {
  const common = commonCurrency(rows)
  return [
    ...key,
    currencyColumn(t, common),
    countColumn(t, { key: 'redemptions', head: t('sum.redemptions'), of: (row) => row.redemptions }),
    moneyColumn(t, common, { key: 'discount', head: t('sum.discount'), of: (row) => row.discount }),
    moneyColumn(t, common, { key: 'perSale', head: t('sum.perSale'), of: perSaleOf }),
    moneyColumn(t, common, { key: 'paid', head: t('sum.paid'), of: (row) => row.paid }),
  ]
}

/** Other benefits that would have given instead: known only by pricing the baskets without this one. */
function Displaced({ benefitId, range }: FiguresProps) {
  const t = useWords()
  const isInForce = useProgrammeNames(0).benefits.has(benefitId)
  const [isOpen, setOpen] = useState(false)
  if (!isInForce) return null
  return (
    <Part level={2} title={t('benefits.displaced')}>
      <p className="muted">{t('benefits.displacedWhat')}</p>
      <p>
        <Button onClick={() => setOpen(true)} text={t('added.open')} />
      </p>
      {isOpen && <AddedDialog benefitId={benefitId} range={range} onClose={() => setOpen(false)} />}
    </Part>
  )
}

const topShown = 10

function TopMembers({ benefitId }: Pick<FiguresProps, 'benefitId'>) {
  const t = useWords()
  const query = useQuery(ReportService.method.reportTopMembers, { benefitId, membersMax: topShown })
  return (
    <Part level={2} title={t('benefits.top')}>
      {query.isSuccess ? <Top {...query.data} /> : <Waiting query={query} lines={4} />}
    </Part>
  )
}

function Top({ members, redemptions, others, reachSince }: ReportTopMembersResponse) {
  const t = useWords()
  if (redemptions === 0n) return <p className="muted">{t('reports.nothing')}</p>
  return (
    <>
      <p>
        {t('benefits.topLead', { count: redemptions })} <Time at={reachSince} show="day" />
      </p>
      {members.length > 0 && (
        <Rows
          label={t('benefits.top')}
          columns={[
            {
              key: 'member',
              head: t('benefits.member'),
              cell: ({ memberId }) => <TextLink to="/members/$memberId" params={{ memberId }} text={memberId} />,
            },
            {
              key: 'redemptions',
              head: t('sum.redemptions'),
              cell: (row) => countText(t, row.redemptions),
              isNumber: true,
            },
            { key: 'last', head: t('adjust.lastDay'), cell: ({ lastDay }) => dayText(lastDay, t.locale) },
          ]}
          rows={members}
          keyOf={({ memberId }) => memberId}
        />
      )}
      {others !== 0n && <p className="muted">{t('benefits.topOthers', { count: others })}</p>}
    </>
  )
}
