import type { BenefitSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { DayColumns, type Layer, mostOf, otherColour, sumOf, useBenefitColour } from '../../parts/charts.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { moneyText } from '../calculations/reasons.js'
import { eachDay, type Range } from './range.js'

/** Benefits with a colour of their own; the others are shown as one. */
const ownMax = 4

interface DayChartsProps {
  readonly range: Range
  readonly rows: readonly BenefitSum[]
}

export function DayCharts({ range, rows }: DayChartsProps) {
  return [...new Set(rows.map(({ currency }) => currency))].map((currency) => (
    <DayChart key={currency} range={range} rows={rows.filter((row) => row.currency === currency)} currency={currency} />
  ))
}

function DayChart({ range, rows, currency }: DayChartsProps & { readonly currency: string }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const colourOf = useBenefitColour()
  const days = eachDay(range)
  const places = new Map(days.map((day, at) => [day, at]))
  const values = new Map<string, bigint[]>()
  for (const { benefitId, day, discount } of rows) {
    const own = values.get(benefitId) ?? days.map(() => 0n)
    own[places.get(day)!] = discount
    values.set(benefitId, own)
  }
  const sorted = [...values].toSorted(([, left], [, right]) => Number(sumOf(right) - sumOf(left)))
  const rest = sorted.slice(ownMax).map(([, own]) => own)
  const layers: readonly Layer[] = [
    ...sorted.slice(0, ownMax).map(([benefitId, own]) => ({
      key: benefitId,
      label: names.benefits.get(benefitId)?.text ?? benefitId,
      colour: colourOf(benefitId),
      values: own,
    })),
    ...(rest.length === 0
      ? []
      : [
          {
            key: '',
            label: t('reports.others', { count: rest.length }),
            colour: otherColour,
            values: days.map((_, at) => sumOf(rest.map((own) => own[at]!))),
          },
        ]),
  ]
  const sums = days.map((_, at) => sumOf(layers.map((layer) => layer.values[at]!)))
  const most = sums.indexOf(mostOf(sums))
  const day = new Intl.DateTimeFormat(t.locale, { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return (
    <DayColumns
      title={t('reports.chart', {
        day: day.format(new Date(`${days[most]}T00:00Z`)),
        discount: moneyText({ t, currency }, sums[most] ?? 0n),
      })}
      days={days}
      layers={layers}
      format={(value) => formatScaled(value, digitsOf(currency), t.locale)}
    />
  )
}
