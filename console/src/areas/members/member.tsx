import { useQuery } from '@connectrpc/connect-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { TierSource } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type GetMemberResponse, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { isNotFound, readError } from '../../api/read-error.js'
import { useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Facts, Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Accounts } from './accounts.js'
import { type ActionName, actionCalls, actionNames, MemberAction } from './actions.js'
import { LimitsUsed } from './limits-used.js'
import styles from './members.module.css'
import { Movements } from './movements.js'
import { RecentCalculations } from './recent-calculations.js'

/** Everything that support asks about a member, and what support may change. */
export function MemberDetail() {
  const t = useWords()
  const { memberId } = useParams({ from: '/members/$memberId' })
  const query = useQuery(MemberService.method.getMember, { by: { case: 'memberId', value: memberId } })
  if (query.isPending) return <Skeleton />
  if (query.isError) {
    const mergedInto = isNotFound(query.error) ? readError(query.error).metadata['merged_into'] : undefined
    if (mergedInto === undefined) return <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
    return (
      <Empty why={t('member.merged', { memberId })}>
        <Link to="/members/$memberId" params={{ memberId: mergedInto }}>
          {mergedInto}
        </Link>
      </Empty>
    )
  }
  return <Found key={memberId} found={query.data} />
}

function Found({ found }: { readonly found: GetMemberResponse }) {
  const t = useWords()
  const may = useMay()
  const [action, setAction] = useState<ActionName | null>(null)
  const member = found.member!
  const { memberId } = member
  const balances = useQuery(ValueService.method.getBalances, {
    member: { by: { case: 'memberId', value: memberId } },
  })
  const accounts = balances.data?.accounts ?? []
  return (
    <div className={styles['member']}>
      <header className={styles['head']}>
        <h1>
          {memberId} {member.blocked === true && <span className="lost">{t('member.blocked')}</span>}
        </h1>
        <div className={styles['actions']}>
          {actionNames
            .filter((name) => may(actionCalls[name]))
            .map((name) => (
              <button key={name} type="button" onClick={() => setAction(name)}>
                {t(name === 'block' && member.blocked === true ? 'action.unblock' : `action.${name}`)}
              </button>
            ))}
        </div>
      </header>
      <MemberFacts found={found} />
      <Part level={2} title={t('member.balances')}>
        {balances.isError ? (
          <ErrorPanel cause={balances.error} onRetry={() => void balances.refetch()} />
        ) : balances.isPending ? (
          <Skeleton lines={3} />
        ) : (
          <Accounts accounts={accounts} />
        )}
      </Part>
      <Part level={2} title={t('member.limits')}>
        <LimitsUsed memberId={memberId} />
      </Part>
      <Part level={2} title={t('member.calculations')}>
        <RecentCalculations memberId={memberId} />
      </Part>
      <Part level={2} title={t('member.movements')}>
        <Movements memberId={memberId} accounts={accounts} />
      </Part>
      {action !== null && (
        <MemberAction name={action} member={member} accounts={accounts} onClose={() => setAction(null)} />
      )}
    </div>
  )
}

function MemberFacts({ found }: { readonly found: GetMemberResponse }) {
  const t = useWords()
  const { member, standing } = found
  const tier =
    standing?.tier === undefined ? (
      t('member.noTier')
    ) : (
      <>
        {standing.tier} ({wordOf(t, 'tierSource', TierSource, standing.tierSource)}
        {standing.tierUntil !== undefined && (
          <>
            {' '}
            {t('member.until')} <Time at={standing.tierUntil} show="day" />
          </>
        )}
        {standing.tierReason !== '' && `: ${standing.tierReason}`})
      </>
    )
  return (
    <Facts
      facts={[
        [t('member.tier'), tier],
        [t('member.visits'), String(standing?.visits ?? 0n)],
        [
          t('member.loyaltyIds'),
          member!.loyaltyIds.map((id) => (
            <span key={id}>
              <Id id={id} />{' '}
            </span>
          )),
        ],
        ...(member!.segments.length > 0 ? [[t('member.segments'), member!.segments.join(', ')] as const] : []),
        ...(member!.birthday !== undefined ? [[t('member.birthday'), member!.birthday] as const] : []),
        ...(member!.joinedOn !== undefined ? [[t('member.joinedOn'), member!.joinedOn] as const] : []),
      ]}
    />
  )
}
