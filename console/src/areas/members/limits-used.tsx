import { useQuery } from '@connectrpc/connect-query'
import { Link } from '@tanstack/react-router'
import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type LimitCounter, LimitService } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { pageSize } from '../../api/use-pages.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { digitsOf, formatScaled } from '../../parts/money.js'
import { Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import styles from './members.module.css'

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
      <table className={styles['lots']}>
        <thead>
          <tr>
            <th scope="col">{t('limit.id')}</th>
            <th scope="col">{t('limit.period')}</th>
            <th scope="col" className="number">
              {t('limit.used')}
            </th>
            <th scope="col" className="number">
              {t('limit.held')}
            </th>
            <th scope="col" className="number">
              {t('limit.maximum')}
            </th>
            <th scope="col">{t('limit.freed')}</th>
          </tr>
        </thead>
        <tbody>
          {counters.map((counter) => (
            <tr key={`${counter.limitId}/${counter.period}`}>
              <td>{counter.limitId}</td>
              <td>{counter.period || t('period.ever')}</td>
              <td className="number">{unitsText(counter, counter.used + counter.late, t.locale)}</td>
              <td className="number">{unitsText(counter, counter.open, t.locale)}</td>
              <td className="number">{unitsText(counter, counter.maximum, t.locale)}</td>
              <td>
                {counter.open > 0n && (
                  <>
                    <Time at={counter.lastExpiryAt} />{' '}
                    <Link to="/calculations" search={{ memberId, state: 'open' }}>
                      {t('limit.open')}
                    </Link>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {nextPageToken !== '' && <p className="muted small">{t('member.moreLimits', { count: counters.length })}</p>}
    </>
  )
}

/** Baskets and units are counted; money has the decimals of its currency. */
function unitsText({ counts, currency }: LimitCounter, units: bigint, locale: string): string {
  if (counts !== LimitCounts.AMOUNT || currency === '') return formatScaled(units, 0, locale)
  return `${formatScaled(units, digitsOf(currency), locale)} ${currency}`
}
