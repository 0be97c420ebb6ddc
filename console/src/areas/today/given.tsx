import type { BenefitSum, SaleSum, WatchTodayResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useVenueNames } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Swatch, useBenefitColour } from '../../parts/charts.js'
import { TextLink } from '../../parts/controls.js'
import { type Column, moneyColumn, Rows } from '../../parts/rows.js'
import { countText, percentText } from '../../parts/scaled.js'
import { apartText, moneyText } from '../calculations/reasons.js'
import styles from './today.module.css'

/** Rows of each table; the reports have all of them. */
const shown = 10

export function Given({ today: { totals, benefits, venues } }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  if (totals.length === 0) return <p className="muted">{t('today.givenNone')}</p>
  return totals.map((total) => {
    const own = <Row extends { readonly currency: string }>(rows: readonly Row[]) =>
      rows.filter(({ currency }) => currency === total.currency).slice(0, shown)
    return (
      <div key={total.currency} className={styles['given']}>
        <p>
          {givenText(t, total)} {apartText(t, total)}
        </p>
        <div className={styles['tables']}>
          <Benefits rows={own(benefits)} total={total} />
          <Venues rows={own(venues)} total={total} />
        </div>
      </div>
    )
  })
}

function givenText(t: Words, { currency, sales, applied, discount, paid }: SaleSum): string {
  return t('today.givenLead', {
    discount: moneyText({ t, currency }, discount),
    share: percentText(t, discount, discount + paid),
    applied,
    sales,
  })
}

interface TableProps<Row> {
  readonly rows: readonly Row[]
  readonly total: SaleSum
}

function Benefits({ rows, total }: TableProps<BenefitSum>) {
  const { currency } = total
  const t = useWords()
  const names = useProgrammeNames(0)
  const colourOf = useBenefitColour()
  return (
    <div>
      <Rows
        label={t('today.byBenefitIn', { currency })}
        columns={[
          {
            key: 'name',
            head: t('today.benefit'),
            cell: ({ benefitId }) => (
              <>
                <Swatch colour={colourOf(benefitId)} />
                {names.benefits.get(benefitId)?.text ?? benefitId}
              </>
            ),
          },
          ...figures<BenefitSum>(t, currency, ({ redemptions }) => redemptions),
        ]}
        rows={rows}
        keyOf={({ benefitId }) => benefitId}
      />
      <Rest rows={rows} total={total} />
    </div>
  )
}

function Venues({ rows, total }: TableProps<SaleSum>) {
  const { currency } = total
  const t = useWords()
  const venueName = useVenueNames()
  return (
    <div>
      <Rows
        label={t('today.byVenueIn', { currency })}
        columns={[
          { key: 'name', head: t('sale.venue'), cell: (row) => venueName(row.venueId) || '–' },
          ...figures<SaleSum>(t, currency, ({ applied }) => applied),
        ]}
        rows={rows}
        keyOf={({ venueId }) => venueId}
      />
      <Rest rows={rows} total={total} />
    </div>
  )
}

/** The sum of the rows that are not shown. */
function Rest<Row extends { readonly discount: bigint }>({ rows, total: { discount, currency } }: TableProps<Row>) {
  const t = useWords()
  const rest = rows.reduce((left, row) => left - row.discount, discount)
  if (rest === 0n) return null
  return (
    <p className={`muted ${styles['rest']}`}>
      <TextLink to="/reports" text={t('today.rest')} />: {moneyText({ t, currency }, rest)}
    </p>
  )
}

function figures<Row extends { readonly discount: bigint }>(
  t: Words,
  currency: string,
  countOf: (row: Row) => bigint,
): readonly Column<Row>[] {
  return [
    { key: 'sales', head: t('today.redemptions'), cell: (row) => countText(t, countOf(row)), isNumber: true },
    moneyColumn({
      key: 'discount',
      head: t('today.discountIn', { currency }),
      currency,
      minor: ({ discount }) => discount,
    }),
  ]
}
