import type { BenefitSum, SaleSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import type { Range } from './range.js'
import { idColumn, moneyColumn, type SavedColumn, SavedRows } from './saved-rows.js'

interface MatricesProps {
  readonly range: Pick<Range, 'from' | 'until'>
  /** The last cell of each currency. */
  readonly totals: readonly SaleSum[]
  /** The last column. */
  readonly benefits: readonly BenefitSum[]
  /** The last row. */
  readonly venues: readonly SaleSum[]
  readonly cells: readonly BenefitSum[]
}

/** Minor units that benefits gave at venues: a table for each currency, whose rows and columns add up to the service's own sums. */
export function Matrices({ range, totals, benefits, venues, cells }: MatricesProps) {
  const given = totals.filter(({ discount }) => discount !== 0n)
  return given.map((total) => {
    const { currency } = total
    const own = <Row extends { readonly currency: string }>(rows: readonly Row[]) =>
      rows.filter((row) => row.currency === currency)
    return (
      <Matrix
        key={currency}
        {...{ range, total }}
        benefits={own(benefits)}
        venues={own(venues).filter(({ discount }) => discount !== 0n)}
        cells={own(cells)}
      />
    )
  })
}

/** More columns than a page can hold; the file has every venue. */
const shownVenuesMax = 12

interface Row {
  /** '': all benefits. */
  readonly benefitId: string
  readonly currency: string
  readonly sum: bigint
  readonly byVenue: ReadonlyMap<string, bigint>
}

interface MatrixProps extends Omit<MatricesProps, 'totals'> {
  readonly total: SaleSum
}

function Matrix({ range, total, benefits, venues, cells }: MatrixProps) {
  const { currency } = total
  const t = useWords()
  const names = useProgrammeNames(0)
  const venueName = useVenueNames()
  const cellsOf = Map.groupBy(cells, ({ benefitId }) => benefitId)
  const rows: readonly Row[] = [
    ...benefits
      .toSorted((left, right) => (left.discount < right.discount ? 1 : -1))
      .map(({ benefitId, discount }) => ({
        ...{ benefitId, currency, sum: discount },
        byVenue: new Map(cellsOf.get(benefitId)?.map((cell) => [cell.venueId, cell.discount])),
      })),
    {
      ...{ benefitId: '', currency, sum: total.discount },
      byVenue: new Map(venues.map(({ venueId, discount }) => [venueId, discount])),
    },
  ]
  const amount = (key: string, head: string, of: (row: Row) => bigint): SavedColumn<Row> => {
    const column = moneyColumn<Row>(t, null, { key, head, of })
    const shown = (row: Row) => (of(row) === 0n ? '–' : column.text(row))
    return { ...column, cell: (row) => (row.benefitId === '' ? <strong>{shown(row)}</strong> : shown(row)) }
  }
  const byGiven = venues.toSorted((left, right) => (left.discount < right.discount ? 1 : -1))
  const others = byGiven.slice(byGiven.length > shownVenuesMax ? shownVenuesMax - 1 : shownVenuesMax)
  const given = ({ byVenue }: Row, venueId: string) => byVenue.get(venueId) ?? 0n
  const columns = byGiven.map(({ venueId }, at): SavedColumn<Row> => {
    const column = amount(venueId, venueName(venueId) || '–', (row) => given(row, venueId))
    return at < byGiven.length - others.length ? column : { ...column, only: 'saved' }
  })
  if (others.length > 0) {
    const ofOthers = (row: Row) => others.reduce((sum, { venueId }) => sum + given(row, venueId), 0n)
    columns.push({ ...amount('others', t('reports.otherVenues', { count: others.length }), ofOthers), only: 'shown' })
  }
  return (
    <SavedRows
      title={t('reports.matrixIn', { currency })}
      file={`benefits_by_venue_${currency}_${range.from}_${range.until}.csv`}
      columns={[
        {
          key: 'name',
          head: t('shadow.key'),
          text: ({ benefitId }) =>
            benefitId === '' ? t('reports.all') : (names.benefits.get(benefitId)?.text ?? benefitId),
        },
        idColumn<Row>(t, ({ benefitId }) => benefitId),
        ...columns,
        amount('all', t('reports.all'), ({ sum }) => sum),
      ]}
      rows={rows}
      keyOf={({ benefitId }) => benefitId}
    />
  )
}
