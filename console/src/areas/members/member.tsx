import type { DescMethod } from '@bufbuild/protobuf'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { TierSource } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import { type GetMemberResponse, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { RewardService } from '../../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { TimelineService } from '../../../../gateway/gen/loyalty/v1/timeline_service_pb.js'
import { type Account, ValueService } from '../../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { memberRef, type ProgrammeNames, useProgrammeNames } from '../../api/programme.js'
import { isNotFound, readError } from '../../api/transport.js'
import { callOf, rolesOf, useAccess, useMay } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { Button, Dialog, Menu, TextLink } from '../../parts/controls.js'
import { Facts, Page, Part } from '../../parts/page.js'
import { formatScaled } from '../../parts/scaled.js'
import { Empty, ErrorPanel, NoPermission, Skeleton } from '../../parts/states.js'
import { Badge, dateOf, Id, Time, wordOf } from '../../parts/values.js'
import { type ActionName, actionNames } from '../../search.js'
import { momentText, priceOf, type ReasonContext } from '../calculations/reasons.js'
import type { ActionProps } from './action-props.js'
import { EditDialog, EndCardDialog, ReplaceCardDialog } from './card-dialogs.js'
import { ClaimDialog } from './claim-dialog.js'
import { ExchangeDialog } from './exchange-dialog.js'
import { ExportButton } from './export-button.js'
import { Habits } from './habits.js'
import { Accounts, LimitsUsed, Rewards } from './holdings.js'
import { BlockDialog, ForgetDialog, MergeDialog, NoteDialog, TierDialog } from './member-dialogs.js'
import styles from './members.module.css'
import { Timeline } from './timeline.js'
import { AdjustDialog, GrantDialog } from './value-dialogs.js'

export function MemberDetail() {
  const t = useWords()
  const { memberId } = useParams({ from: '/members/$memberId' })
  const search = useSearch({ from: '/members/$memberId' })
  const query = useQuery(MemberService.method.getMember, memberRef(memberId))
  if (query.isPending)
    return (
      <Page title={memberId}>
        <Skeleton />
      </Page>
    )
  // A merged or forgotten member stays on the screen until its dialog is closed.
  const isLeaving = query.data !== undefined && search.do !== undefined
  if (query.isError && !isLeaving) {
    const mergedInto = isNotFound(query.error) ? readError(query.error).metadata['merged_into'] : undefined
    return (
      <Page title={memberId}>
        {mergedInto === undefined ? (
          <ErrorPanel cause={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Empty why={t('member.merged', { memberId })}>
            <TextLink to="/members/$memberId" params={{ memberId: mergedInto }} text={mergedInto} />
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
    member: memberRef(memberId),
  })
  const accounts = balances.data?.accounts ?? []
  const close = () => void navigate({ to: '.', search: ({ do: _, sale: __, ...others }) => others, replace: true })
  return (
    <div className={styles['member']}>
      <header className={styles['head']}>
        <h1>
          {memberId} {member.blocked === true && <Badge text={t('member.blocked')} tone="wrong" />}
        </h1>
        <Actions memberId={memberId} isBlocked={member.blocked === true} />
      </header>
      <Lead found={found} accounts={balances.data?.accounts ?? null} />
      <MemberFacts found={found} />
      <Part level={2} title={t('habits.title')}>
        <Habits memberId={memberId} />
      </Part>
      <Part level={2} title={t('field.balances')}>
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
      <Part level={2} title={t('timeline.title')}>
        <Timeline memberId={memberId} accounts={accounts} />
        <p>
          <TextLink to="/calculations" search={{ memberId }} text={t('member.allCalculations')} />
        </p>
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

function Actions({ memberId, isBlocked }: { readonly memberId: string; readonly isBlocked: boolean }) {
  const t = useWords()
  const may = useMay()
  const navigate = useNavigate()
  const title = (name: ActionName) => t(name === 'block' && isBlocked ? 'action.unblock' : `action.${name}`)
  const buttons = (areRare: boolean) =>
    actionNames
      .filter((name) => rareActions.includes(name) === areRare && may(callOf(actionCalls[name])))
      .map((name) => (
        <Button
          key={name}
          onClick={({ currentTarget }) => {
            // The dialog returns the focus to what has it now.
            const menu = currentTarget.closest('details')
            if (menu !== null) menu.open = false
            menu?.querySelector('summary')?.focus()
            void navigate({ to: '.', search: (search) => ({ ...search, do: name }), replace: true })
          }}
          text={title(name)}
        />
      ))
  const rare = buttons(true)
  return (
    <div className="flow">
      {buttons(false)}
      {rare.length > 0 && (
        <Menu className="menu" title={t('members.more')}>
          {rare}
          <ExportButton memberId={memberId} />
        </Menu>
      )}
    </div>
  )
}

const rareActions: readonly ActionName[] = ['endCard', 'tier', 'block', 'merge', 'forget']

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
            {t('member.until')} <Time at={standing.tierUntil} show="lastDay" />
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
        [t('member.segments'), member!.segments.join(', ') || undefined],
        [t('field.birthday'), member!.birthday],
        [t('member.joinedOn'), member!.joinedOn],
      ]}
    />
  )
}

const namedMax = 3
const dayMs = 86_400_000

type Context = Pick<ReasonContext, 't' | 'zone'> & { readonly names: ProgrammeNames }

/**
 * A summary of a member in one sentence, such as `Gold until 31 May; 3 of 9 Coffee stamps; nothing held`.
 *
 * @param accounts  null: not known yet
 */
function standingText(context: Context, { standing }: GetMemberResponse, accounts: readonly Account[] | null): string {
  const { t } = context
  const parts = [tierText(context, standing), t('lead.visits', { count: standing?.visits ?? 0n })]
  if (accounts === null) return parts.join('; ')
  const held = accounts.filter((account) => account.held > 0n)
  const owing = accounts.filter(({ debt }) => debt > 0n)
  return [
    ...parts,
    ...(accounts.length === 0
      ? [t('lead.nothing')]
      : accounts.slice(0, namedMax).map((each) => hasText(context, each))),
    held.length === 0
      ? t('lead.nothingHeld')
      : held.map((each) => t('lead.held', named(context, each, each.held))).join('; '),
    ...owing.map((each) => t('lead.owes', named(context, each, each.debt))),
  ].join('; ')
}

function tierText(context: Context, standing: GetMemberResponse['standing']): string {
  const { t } = context
  const { tier, tierUntil } = standing ?? {}
  if (tier === undefined) return t('lead.noTier')
  const word = tier.slice(0, 1).toLocaleUpperCase(t.locale) + tier.slice(1)
  return tierUntil === undefined
    ? word
    : t('lead.tier', { tier: word, until: momentText(context, new Date(dateOf(tierUntil).getTime() - dayMs)) })
}

function hasText(context: Context, account: Account): string {
  const { t, names } = context
  const price = priceOf(names, account.currencyId)
  const { amount, currency } = named(context, account, account.available)
  const shown = (size: bigint) => formatScaled(size, account.scale, t.locale)
  const lead = price !== null && account.available >= price.amount ? 'lead.enough' : 'lead.of'
  const has = price === null ? `${amount} ${currency}` : t(lead, { amount, price: shown(price.amount), currency })
  return account.pending > 0n ? `${has} (${t('account.pending', { amount: shown(account.pending) })})` : has
}

function named({ t }: Context, { currencyId, name, scale }: Account, size: bigint) {
  return { amount: formatScaled(size, scale, t.locale), currency: name || currencyId }
}

const actionCalls: Readonly<Record<ActionName, DescMethod>> = {
  claim: MemberService.method.claimSale,
  adjust: ValueService.method.adjustValue,
  grant: RewardService.method.issueVouchers,
  exchange: RewardService.method.activateReward,
  replace: MemberService.method.upsertMembers,
  endCard: MemberService.method.upsertMembers,
  edit: MemberService.method.upsertMembers,
  tier: MemberService.method.setTier,
  block: MemberService.method.blockMember,
  merge: MemberService.method.mergeMembers,
  note: TimelineService.method.writeNote,
  forget: MemberService.method.forgetMember,
}

const dialogs = {
  adjust: AdjustDialog,
  grant: GrantDialog,
  exchange: ExchangeDialog,
  replace: ReplaceCardDialog,
  endCard: EndCardDialog,
  edit: EditDialog,
  tier: TierDialog,
  block: BlockDialog,
  merge: MergeDialog,
  note: NoteDialog,
  forget: ForgetDialog,
} as const

interface MemberActionProps extends ActionProps {
  readonly name: ActionName
  /** The sale to claim; undefined: not chosen yet. */
  readonly sale: string | undefined
}

function MemberAction({ name, sale, ...props }: MemberActionProps) {
  const t = useWords()
  const may = useAccess()(callOf(actionCalls[name]))
  if (may === undefined) return null
  if (!may) {
    return (
      <Dialog title={t(`action.${name}`)} onClose={props.onClose}>
        <NoPermission roles={rolesOf(actionCalls[name]).join(',')} />
        <Button onClick={props.onClose} text={t('dialog.close')} />
      </Dialog>
    )
  }
  if (name === 'claim') return <ClaimDialog {...props} sale={sale} />
  const ActionDialog = dialogs[name]
  return <ActionDialog {...props} />
}
