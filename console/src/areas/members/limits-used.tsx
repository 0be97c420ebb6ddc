import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type LimitCounter, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { pageSize } from '../../api/use-pages.js'
import { useWords, type Words } from '../../i18n/words.js'

import { ErrorPanel } from '../../parts/error-panel.js'
import { Rows } from '../../parts/rows.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { Skeleton } from '../../parts/states.js'
import type { Column } from '../../parts/table.js'
import { Time } from '../../parts/time.js'

/** The member's own counters: what is used, what open calculations hold. */
export function LimitsUsed({ memberId }: { readonly memberId: string }) {
  const t = useWords()
  const query = useQuery(LimitService.method.listLimits, { subject: memberId, pageSize })
  if (query.isPending) return <Skeleton lines={2} />
  if (query.isError) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
  const { counters, nextPageToken } = query.data
  if (counters.length === 0) return <p className="muted">{t('member.noLimits')}</p>
  return (
    <>
      <Rows
        label={t('member.limits')}
        columns={columnsOf(t, memberId)}
        rows={counters}
        keyOf={({ limitId, period }) => `${limitId}/${period}`}
      />
      {nextPageToken !== '' && <p className="muted small">{t('member.moreLimits', { count: counters.length })}</p>}
    </>
  )
}

function columnsOf(t: Words, memberId: string): readonly Column<LimitCounter>[] {
  const units = (amount: (counter: LimitCounter) => bigint) => (counter: LimitCounter) =>
    unitsText(counter, amount(counter), t.locale)
  const freed = ({ open, lastExpiryAt }: LimitCounter) =>
    open > 0n && (
      <>
        <Time at={lastExpiryAt} />{' '}
        <Link to="/calculations" search={{ memberId, state: 'open' }}>
          {t('limit.open')}
        </Link>
      </>
    )
  return [
    { key: 'limit', head: t('limit.id'), cell: ({ limitId }) => limitId },
    { key: 'period', head: t('limit.period'), cell: ({ period }) => period || t('period.ever') },
    { key: 'used', head: t('limit.used'), cell: units(({ used, late }) => used + late), isNumber: true },
    { key: 'held', head: t('limit.held'), cell: units(({ open }) => open), isNumber: true },
    { key: 'maximum', head: t('limit.maximum'), cell: units(({ maximum }) => maximum), isNumber: true },
    { key: 'freed', head: t('limit.freed'), cell: freed },
  ]
}

/** Baskets and units are counted; money has the decimals of its currency. */
function unitsText({ counts, currency }: LimitCounter, units: bigint, locale: string): string {
  if (counts !== LimitCounts.AMOUNT || currency === '') return formatScaled(units, 0, locale)
  return `${formatScaled(units, digitsOf(currency), locale)} ${currency}`
}
