import { Link, useSearch } from '@tanstack/react-router'
import type { ShadowRunExample, ShadowRunReport } from '../../../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { useWords, type Words } from '../../../i18n/words.js'
import { Part } from '../../../parts/detail.js'
import { shortened } from '../../../parts/id.js'
import { Money } from '../../../parts/money.js'
import { Rows } from '../../../parts/rows.js'
import type { Column } from '../../../parts/table.js'
import { Compared } from './compared.js'
import type { Question } from './use-run-of.js'

interface ExamplesProps {
  readonly report: ShadowRunReport
  readonly question: Question
  readonly subjectKey: string
}

/** The baskets that change most; one of them opens with both receipts. */
export function Examples({ report: { examples }, question, subjectKey }: ExamplesProps) {
  const t = useWords()
  const { calculation } = useSearch({ strict: false }) as { readonly calculation?: string }
  if (examples.length === 0) return null
  return (
    <Part level={2} title={t('shadow.examples')}>
      <Rows
        label={t('shadow.examples')}
        columns={columnsOf(t)}
        rows={examples}
        keyOf={({ calculationId }) => calculationId}
      />
      {calculation !== undefined && (
        <Compared key={`${subjectKey}/${calculation}`} calculationId={calculation} question={question} />
      )}
    </Part>
  )
}

function columnsOf(t: Words): readonly Column<ShadowRunExample>[] {
  return [
    {
      key: 'calculation',
      head: t('calculation.id'),
      cell: ({ calculationId }) => (
        <Link to="." search={{ calculation: calculationId } as never} resetScroll={false}>
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
    {
      key: 'difference',
      head: t('shadow.difference'),
      cell: ({ netThen, netDraft, currency }) => <Money minor={netDraft - netThen} currency={currency} withCurrency />,
      isNumber: true,
    },
  ]
}
