import { useState } from 'react'
import type { BenefitSum, ReportSumsResponse } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { useWords } from '../../i18n/words.js'
import { useBenefitColour } from '../../parts/colours.js'
import { changeText, countText, percentText } from '../../parts/figures.js'
import { Swatch } from '../../parts/swatch.js'
import { AddedDialog } from './added-dialog.js'
import { commonCurrency, countColumn, currencyColumn, extra, moneyColumn } from './money-columns.js'
import type { Range } from './range.js'
import { type SavedColumn, SavedRows } from './saved-rows.js'

interface BenefitTableProps {
  readonly range: Range
  readonly file: string
  readonly now: ReportSumsResponse
  /** As many days before. */
  readonly before: ReportSumsResponse
}

/** What benefits gave, whom they reached and what they cost for each sale, the largest discount first. */
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
          {nameOf(row)}
        </>
      ),
    },
    { key: 'id', head: t('reports.id'), text: ({ benefitId }) => benefitId, only: 'saved' },
    currencyColumn(t, common),
    extra(countColumn(t, { key: 'calculations', head: t('sum.calculations'), of: (row) => row.calculations })),
    countColumn(t, { key: 'redemptions', head: t('sum.redemptions'), of: (row) => row.redemptions }),
    {
      key: 'members',
      head: t('sum.members'),
      text: ({ benefitId }) => (members.size === 0 ? '–' : countText(t, members.get(benefitId) ?? 0n)),
      plain: ({ benefitId }) => (members.size === 0 ? '' : String(members.get(benefitId) ?? 0n)),
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
        benefits.has(benefitId) && (
          <button type="button" onClick={() => onAsk(benefitId)}>
            {t('added.open')}
          </button>
        ),
      only: 'shown',
    },
  ]
}
