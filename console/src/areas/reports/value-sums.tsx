import type { ValueSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import type { ProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { formatScaled } from '../../parts/scaled.js'
import { plainScaled } from './csv.js'
import { type SavedColumn, SavedRows } from './saved-rows.js'

interface ValueSumsProps {
  readonly rows: readonly ValueSum[]
  readonly names: ProgrammeNames
  readonly file: string
}

/** What members earned and spent by these sales, by rule and by benefit. */
export function ValueSums({ rows, names, file }: ValueSumsProps) {
  const t = useWords()
  const scaleOf = ({ currencyId }: ValueSum) => names.currencies.get(currencyId)?.scale ?? 0
  const amount = (key: 'earned' | 'spent'): SavedColumn<ValueSum> => ({
    key,
    head: t.of('sum', key),
    text: (row) => formatScaled(row[key], scaleOf(row), t.locale),
    plain: (row) => plainScaled(row[key], scaleOf(row)),
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
        {
          key: 'currency',
          head: t('reports.currency'),
          text: ({ currencyId }) => names.currencies.get(currencyId)?.name ?? currencyId,
        },
        amount('earned'),
        amount('spent'),
      ]}
      rows={rows}
      keyOf={({ sourceId, currencyId }) => `${sourceId}/${currencyId}`}
    />
  )
}
