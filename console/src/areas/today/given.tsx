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

export function Given({ today }: { readonly today: WatchTodayResponse }) {
  const t = useWords()
  const { totals, benefits, otherBenefits, venues, otherVenues } = today
  if (totals.length === 0) return <p className="muted">{t('today.givenNone')}</p>
  return totals.map((total) => {
    const own = <Row extends { readonly currency: string }>(rows: readonly Row[]) =>
      rows.filter(({ currency }) => currency === total.currency)
    return (
      <div key={total.currency} className={styles['given']}>
        <p>
          {givenText(t, total)} {apartText(t, total)}
        </p>
        <div className={styles['tables']}>
          <Benefits rows={own(benefits)} others={own(otherBenefits)} currency={total.currency} />
          <Venues rows={own(venues)} others={own(otherVenues)} currency={total.currency} />
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
  /** The rows that are not shown, as one; none: all are. */
  readonly others: readonly Row[]
  readonly currency: string
}

function Benefits({ rows, others, currency }: TableProps<BenefitSum>) {
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
                <TextLink
                  to="/benefits/$benefitId"
                  params={{ benefitId }}
                  text={names.benefits.get(benefitId)?.text ?? benefitId}
                />
              </>
            ),
          },
          ...figures<BenefitSum>(t, currency, ({ redemptions }) => redemptions),
        ]}
        rows={rows}
        keyOf={({ benefitId }) => benefitId}
      />
      <Rest others={others} />
    </div>
  )
}

function Venues({ rows, others, currency }: TableProps<SaleSum>) {
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
      <Rest others={others} />
    </div>
  )
}

function Rest({ others }: Pick<TableProps<BenefitSum | SaleSum>, 'others'>) {
  const t = useWords()
  return others.map(({ discount, currency }) => (
    <p key={currency} className={`muted ${styles['rest']}`}>
      <TextLink to="/reports" text={t('today.rest')} />: {moneyText({ t, currency }, discount)}
    </p>
  ))
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
