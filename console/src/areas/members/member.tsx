import { useQuery } from '@connectrpc/connect-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { TierSource } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type GetMemberResponse, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { useProgrammeNames } from '../../api/programme.js'
import { isNotFound, readError } from '../../api/read-error.js'
import { callOf } from '../../api/roles-of.js'
import { useMay } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Facts, Part } from '../../parts/detail.js'
import { wordOf } from '../../parts/enum-word.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Id } from '../../parts/id.js'
import { Page } from '../../parts/page.js'
import { Empty, Skeleton } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { Accounts } from './accounts.js'
import { type ActionName, actionNames } from './action-names.js'
import { actionCalls, MemberAction } from './actions.js'
import { CalculationsOf } from './calculations-of.js'
import { LimitsUsed } from './limits-used.js'
import styles from './members.module.css'
import { Movements } from './movements.js'
import { Rewards } from './rewards.js'
import { standingText } from './standing-text.js'

/** Everything that support asks about a member, and what support may change. */
export function MemberDetail() {
  const t = useWords()
  const { memberId } = useParams({ from: '/members/$memberId' })
  const search = useSearch({ from: '/members/$memberId' })
  const query = useQuery(MemberService.method.getMember, { by: { case: 'memberId', value: memberId } })
  if (query.isPending)
    return (
      <Page title={memberId}>
        <Skeleton />
      </Page>
    )
  // A member that was just merged or forgotten stays until the dialog that did it is closed.
  const isLeaving = query.data !== undefined && search.do !== undefined
  if (query.isError && !isLeaving) {
    const mergedInto = isNotFound(query.error) ? readError(query.error).metadata['merged_into'] : undefined
    return (
      <Page title={memberId}>
        {mergedInto === undefined ? (
          <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Empty why={t('member.merged', { memberId })}>
            <Link to="/members/$memberId" params={{ memberId: mergedInto }}>
              {mergedInto}
            </Link>
          </Empty>
        )}
      </Page>
    )
  }
  return <Found key={memberId} found={query.data!} />
}

function Found({ found }: { readonly found: GetMemberResponse }) {
  const t = useWords()
  const navigate = useNavigate()
  const search = useSearch({ from: '/members/$memberId' })
  const member = found.member!
  const { memberId } = member
  const balances = useQuery(ValueService.method.getBalances, {
    member: { by: { case: 'memberId', value: memberId } },
  })
  const accounts = balances.data?.accounts ?? []
  const close = () => void navigate({ to: '.', search: ({ do: _, sale: __, ...others }) => others, replace: true })
  return (
    <div className={styles['member']}>
      <header className={styles['head']}>
        <h1>
          {memberId} {member.blocked === true && <span className="lost">{t('member.blocked')}</span>}
        </h1>
        <Actions isBlocked={member.blocked === true} />
      </header>
      <Lead found={found} accounts={balances.data?.accounts ?? null} />
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
      <Part level={2} title={t('rewards.title')}>
        <Rewards memberId={memberId} isBlocked={member.blocked === true} />
      </Part>
      <Part level={2} title={t('member.limits')}>
        <LimitsUsed memberId={memberId} />
      </Part>
      <Part level={2} title={t('member.sales')}>
        <CalculationsOf memberId={memberId} areSold />
      </Part>
      <Part level={2} title={t('member.calculations')}>
        <CalculationsOf memberId={memberId} areSold={false} />
      </Part>
      <Part level={2} title={t('member.movements')}>
        <Movements memberId={memberId} accounts={accounts} />
      </Part>
      {search.do !== undefined && (
        <MemberAction
          key={search.do}
          name={search.do}
          sale={search.sale}
          member={member}
          standing={found.standing}
          accounts={accounts}
          onClose={close}
        />
      )}
    </div>
  )
}

/** What whoever is signed in may do with the member; each has an address. */
function Actions({ isBlocked }: { readonly isBlocked: boolean }) {
  const t = useWords()
  const may = useMay()
  const navigate = useNavigate()
  const title = (name: ActionName) => t(name === 'block' && isBlocked ? 'action.unblock' : `action.${name}`)
  return (
    <div className={styles['actions']}>
      {actionNames
        .filter((name) => may(callOf(actionCalls[name])))
        .map((name) => (
          <button
            key={name}
            type="button"
            onClick={() => void navigate({ to: '.', search: (search) => ({ ...search, do: name }), replace: true })}
          >
            {title(name)}
          </button>
        ))}
    </div>
  )
}

interface LeadProps {
  readonly found: GetMemberResponse
  /** null: not known yet. */
  readonly accounts: Parameters<typeof standingText>[2]
}

function Lead({ found, accounts }: LeadProps) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const zone = useHouseZone()
  return (
    <p className={styles['lead']}>
      {found.member!.blocked === true && <span className="lost">{t('lead.blocked')} </span>}
      {standingText({ t, names, zone }, found, accounts)}.
    </p>
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
