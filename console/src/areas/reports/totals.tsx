import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { ReportSumsResponse, SaleSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { useWords, type Words } from '../../i18n/words.js'
import { changeText, countText, percentText } from '../../parts/figures.js'
import { dateOf, Time } from '../../parts/time.js'
import { moneyText } from '../calculations/reasons.js'
import { daysIn, type Range } from './range.js'

interface TotalsProps {
  readonly range: Range
  readonly now: ReportSumsResponse
  /** As many days before. */
  readonly before: ReportSumsResponse
}

/** What was sold and given in all days, a sentence for each currency; how it was before; and how many members got something. */
export function Totals({ range, now, before }: TotalsProps) {
  const t = useWords()
  const [reach] = now.reach
  return (
    <div role="status">
      {now.sales.map((sum) => (
        <p key={sum.currency}>
          {leadText(t, sum)} {beforeText(t, { now: sum, before: before.sales, days: daysIn(range) })}
        </p>
      ))}
      {reach !== undefined && <p>{t('reports.reached', { count: reach.members })}</p>}
      <ReachSince range={range} since={now.reachSince} hasReach={now.reach.length > 0} />
    </div>
  )
}

function leadText(t: Words, { currency, sales, applied, paid, discount }: SaleSum): string {
  return t('reports.lead', {
    sales,
    applied,
    paid: moneyText({ t, currency }, paid),
    discount: moneyText({ t, currency }, discount),
    share: percentText(t, discount, discount + paid),
  })
}

interface Compared {
  readonly now: SaleSum
  readonly before: readonly SaleSum[]
  readonly days: number
}

function beforeText(t: Words, { now, before, days }: Compared): string {
  const then = before.find(({ currency }) => currency === now.currency)
  if (then === undefined || then.sales === 0n) return t('reports.noneBefore', { count: days })
  return t('reports.before', {
    count: days,
    discount: changeText(t, now.discount, then.discount) || countText(t, 0),
    sales: changeText(t, now.sales, then.sales),
    paid: changeText(t, now.paid, then.paid),
  })
}

interface ReachSinceProps {
  readonly range: Range
  readonly since: Timestamp | undefined
  readonly hasReach: boolean
}

/** What the counts of members leave out. */
function ReachSince({ range, since, hasReach }: ReachSinceProps) {
  const t = useWords()
  if (range.venueId !== '') return <p className="muted">{t('reports.reachOfAll')}</p>
  if (!hasReach || since === undefined) return null
  if (dateOf(since).toISOString().slice(0, 10) < range.from) return null
  return (
    <p className="muted">
      {t('reports.reachSince')} <Time at={since} />
    </p>
  )
}
