import { useQuery } from '@connectrpc/connect-query'
import { useState } from 'react'
import type {
  BenefitSum,
  ReportSumsResponse,
  SaleSum,
  ValueSum,
} from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { type ProgrammeNames, useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { Swatch, useBenefitColour } from '../../parts/charts.js'
import { Button, TextLink } from '../../parts/controls.js'
import { changeText, countText, formatScaled, percentText } from '../../parts/scaled.js'
import { Waiting } from '../../parts/states.js'
import { AddedDialog } from './added-dialog.js'
import type { Range } from './range.js'
import {
  commonCurrency,
  countColumn,
  currencyColumn,
  extra,
  idColumn,
  moneyColumn,
  plainScaled,
  type SavedColumn,
  SavedRows,
} from './saved-rows.js'

interface BenefitTableProps {
  readonly range: Range
  readonly file: string
  readonly now: ReportSumsResponse
  /** The same number of days before. */
  readonly before: ReportSumsResponse
}

export function BenefitTable({ range, file, now, before }: BenefitTableProps) {
  const t = useWords()
  const [asked, setAsked] = useState<string | null>(null)
  const columns = useColumns({ now, before, onAsk: setAsked })
  const rows = now.benefits.toSorted((left, right) => (left.discount < right.discount ? 1 : -1))
  return (
    <>
      <SavedRows
        title={t('reports.byBenefit')}
        file={file}
        columns={columns}
        rows={rows}
        keyOf={({ benefitId, currency }) => `${benefitId}/${currency}`}
      />
      {asked !== null && <AddedDialog benefitId={asked} range={range} onClose={() => setAsked(null)} />}
    </>
  )
}

interface Shown extends Pick<BenefitTableProps, 'now' | 'before'> {
  readonly onAsk: (benefitId: string) => void
}

function useColumns({ now, before, onAsk }: Shown): readonly SavedColumn<BenefitSum>[] {
  const t = useWords()
  const { benefits } = useProgrammeNames(0)
  const colourOf = useBenefitColour()
  const common = commonCurrency(now.benefits)
  const members = new Map(now.reach.map((reach) => [reach.benefitId, reach.members]))
  // Members are not added up over currencies: only the first row of a benefit has them.
  const firstOf = new Map(now.benefits.toReversed().map((row) => [row.benefitId, row]))
  const reached = (row: BenefitSum) =>
    members.size === 0 || firstOf.get(row.benefitId) !== row ? null : (members.get(row.benefitId) ?? 0n)
  const nameOf = ({ benefitId }: BenefitSum) => benefits.get(benefitId)?.text ?? benefitId
  const then = ({ benefitId, currency }: BenefitSum) =>
    before.benefits.find((row) => row.benefitId === benefitId && row.currency === currency)?.discount ?? 0n
  const perSale = ({ discount, redemptions }: BenefitSum) =>
    redemptions === 0n ? 0n : (2n * discount + redemptions) / (2n * redemptions)
  const shareOf = ({ discount, paid }: BenefitSum) => percentText(t, discount, discount + paid)
  return [
    {
      key: 'name',
      head: t('shadow.key'),
      text: nameOf,
      cell: (row) => (
        <>
          <Swatch colour={colourOf(row.benefitId)} />
          <TextLink to="/benefits/$benefitId" params={{ benefitId: row.benefitId }} text={nameOf(row)} />
        </>
      ),
    },
    idColumn(t, ({ benefitId }) => benefitId),
    currencyColumn(t, common),
    extra(countColumn(t, { key: 'calculations', head: t('sum.calculations'), of: (row) => row.calculations })),
    countColumn(t, { key: 'redemptions', head: t('sum.redemptions'), of: (row) => row.redemptions }),
    {
      key: 'members',
      head: t('sum.members'),
      text: (row) => countText(t, reached(row) ?? 0n),
      cell: (row) => (reached(row) === null ? '–' : countText(t, reached(row)!)),
      plain: (row) => String(reached(row) ?? ''),
      isNumber: true,
    },
    moneyColumn(t, common, { key: 'discount', head: t('sum.discount'), of: (row) => row.discount }),
    {
      key: 'change',
      head: t('reports.change'),
      text: (row) => changeText(t, row.discount, then(row)) || t('reports.new'),
      plain: (row) => changeText(t, row.discount, then(row)),
      isNumber: true,
      isExtra: true,
    },
    extra(moneyColumn(t, common, { key: 'perSale', head: t('sum.perSale'), of: perSale })),
    { key: 'share', head: t('sum.share'), text: shareOf, isNumber: true, isExtra: true },
    extra(moneyColumn(t, common, { key: 'paid', head: t('sum.paid'), of: (row) => row.paid })),
    {
      key: 'added',
      head: '',
      text: () => '',
      cell: ({ benefitId }) =>
        benefits.has(benefitId) && <Button onClick={() => onAsk(benefitId)} text={t('added.open')} />,
      only: 'shown',
    },
  ]
}

interface SaleTableProps {
  readonly title: string
  readonly file: string
  readonly rows: readonly SaleSum[]
  readonly name: Omit<SavedColumn<SaleSum>, 'key'>
  /** In the file beside the name. */
  readonly id?: SavedColumn<SaleSum>
}

export function SaleTable({ title, file, rows, name, id }: SaleTableProps) {
  const t = useWords()
  const common = commonCurrency(rows)
  const count = (key: 'sales' | 'memberSales' | 'applied' | 'failed') =>
    countColumn<SaleSum>(t, { key, head: t.of('sum', key), of: (row) => row[key] })
  const money = (key: 'discount' | 'paid') =>
    moneyColumn<SaleSum>(t, common, { key, head: t.of('sum', key), of: (row) => row[key] })
  return (
    <SavedRows
      title={title}
      file={file}
      columns={[
        { key: 'name', ...name },
        ...(id === undefined ? [] : [id]),
        currencyColumn(t, common),
        count('sales'),
        extra(count('memberSales')),
        extra(count('applied')),
        extra(count('failed')),
        money('discount'),
        {
          key: 'share',
          head: t('sum.share'),
          text: ({ discount, paid }) => percentText(t, discount, discount + paid),
          isNumber: true,
          isExtra: true,
        },
        money('paid'),
      ]}
      rows={rows}
      keyOf={({ day, venueId, currency }) => `${day}/${venueId}/${currency}`}
    />
  )
}

interface ValueSumsProps {
  readonly rows: readonly ValueSum[]
  readonly names: ProgrammeNames
  readonly file: string
}

export function ValueSums({ rows, names, file }: ValueSumsProps) {
  const t = useWords()
  const scaleOf = ({ currencyId }: ValueSum) => names.currencies.get(currencyId)?.scale ?? 0
  const amount = (key: 'earned' | 'spent'): SavedColumn<ValueSum> => ({
    key,
    head: t.of('sum', key),
    text: (row) => formatScaled(row[key], scaleOf(row), t.locale),
    plain: (row) => plainScaled(t, row[key], scaleOf(row)),
    isNumber: true,
  })
  if (rows.length === 0) return null
  return (
    <SavedRows
      title={t('reports.value')}
      file={file}
      columns={[
        {
          key: 'source',
          head: t('shadow.key'),
          text: ({ sourceId }) => names.benefits.get(sourceId)?.text ?? sourceId,
        },
        idColumn<ValueSum>(t, ({ sourceId }) => sourceId),
        {
          key: 'currency',
          head: t('reports.currency'),
          text: ({ currencyId }) => names.currencies.get(currencyId)?.name ?? currencyId,
        },
        { ...idColumn<ValueSum>(t, ({ currencyId }) => currencyId), key: 'currencyId' },
        amount('earned'),
        amount('spent'),
      ]}
      rows={rows}
      keyOf={({ sourceId, currencyId }) => `${sourceId}/${currencyId}`}
    />
  )
}

export function Liability() {
  const t = useWords()
  const { currencies } = useProgrammeNames(0)
  const query = useQuery(ValueService.method.reportLiability, {})
  if (!query.isSuccess) return <Waiting query={query} lines={4} />
  const scaleOf = (currencyId: string) => currencies.get(currencyId)?.scale ?? 0
  return (
    <SavedRows
      title={t('reports.liability')}
      file="liability.csv"
      columns={[
        {
          key: 'currency',
          head: t('reports.currency'),
          text: ({ currencyId }) => currencies.get(currencyId)?.name ?? currencyId,
        },
        idColumn<{ readonly currencyId: string }>(t, ({ currencyId }) => currencyId),
        { key: 'month', head: t('reports.expires'), text: ({ expiryMonth }) => expiryMonth || t('lot.never') },
        {
          key: 'amount',
          head: t('lot.amount'),
          text: ({ currencyId, amount }) => formatScaled(amount, scaleOf(currencyId), t.locale),
          plain: ({ currencyId, amount }) => plainScaled(t, amount, scaleOf(currencyId)),
          isNumber: true,
        },
      ]}
      rows={query.data.rows}
      keyOf={({ currencyId, expiryMonth }) => `${currencyId}/${expiryMonth}`}
    />
  )
}
