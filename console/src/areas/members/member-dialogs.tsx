import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  ForgettingState,
  type GetMemberResponse,
  MemberService,
  type MergeMembersResponse,
} from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { findMember, memberRef, useProgrammeNames } from '../../api/programme.js'
import { newId } from '../../api/transport.js'
import { useCommands } from '../../api/use-commands.js'
import { useHouseZone } from '../../api/venues.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Button, Field, Select } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { endOfDay } from '../../parts/offsets.js'
import { Rows } from '../../parts/rows.js'
import { formatScaled } from '../../parts/scaled.js'
import { ErrorPanel } from '../../parts/states.js'
import { useDraft } from '../../parts/use-draft.js'
import { Time } from '../../parts/values.js'
import { valueText } from '../calculations/reasons.js'
import { type ActionProps, useOpenCalculations } from './action-props.js'
import styles from './members.module.css'

export function BlockDialog({ member, onClose }: ActionProps) {
  const t = useWords()
  const { members } = useCommands()
  const openCount = useOpenCalculations(member.memberId)
  // As it was when the dialog opened, so that its title stays after the change.
  const [unblock] = useState(member.blocked === true)
  const { memberId } = member
  return (
    <CommandDialog
      title={t(unblock ? 'block.titleUnblock' : 'block.title', { member: memberId })}
      verb={t(unblock ? 'action.unblock' : 'action.block')}
      draftKey={`block/${memberId}`}
      isReady={openCount !== undefined}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        await members.blockMember({ requestId, memberId, unblock, reason })
        return <p>{t(unblock ? 'block.unblocked' : 'block.blocked', { member: memberId })}</p>
      }}
    >
      <p>{t(unblock ? 'block.whatUnblock' : 'block.what')}</p>
      {!unblock && <p className="box">{t('block.open', { count: openCount ?? 0 })}</p>}
    </CommandDialog>
  )
}

const noteCharactersMax = 500

export function NoteDialog({ member: { memberId }, onClose }: ActionProps) {
  const t = useWords()
  const { timelines } = useCommands()
  const [note, setNote] = useDraft(`note/${memberId}/text`, '')
  return (
    <CommandDialog
      title={t('note.title', { member: memberId })}
      verb={t('action.note')}
      draftKey={`note/${memberId}`}
      withReason={false}
      isReady={note.trim() !== ''}
      onClose={onClose}
      run={async ({ requestId }) => {
        await timelines.writeNote({ requestId, member: memberRef(memberId), note: note.trim() })
        return <p>{t('note.done')}</p>
      }}
    >
      <Field label={t('field.description')} value={note} maxLength={noteCharactersMax} required onText={setNote} />
      <p className="muted">{t('note.what')}</p>
    </CommandDialog>
  )
}

export function TierDialog({ member, standing, onClose }: ActionProps) {
  const t = useWords()
  const { members } = useCommands()
  const { tiers } = useProgrammeNames(0)
  const [tier, setTier] = useState('')
  const [untilDay, setUntilDay] = useState('')
  const zone = useHouseZone()
  const { memberId } = member
  const until = untilDay === '' ? null : endOfDay(untilDay, zone)
  return (
    <CommandDialog
      title={t('tier.title', { member: memberId })}
      verb={t('tier.do')}
      draftKey={`tier/${memberId}`}
      isReady={tier === '' || (until !== null && until.getTime() > nowMs())}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const { standing } = await members.setTier({
          requestId,
          member: memberRef(memberId),
          tier,
          reason,
          ...(tier !== '' && until !== null ? { until: timestampFromDate(until) } : {}),
        })
        return (
          <p>
            {t('tier.done', { tier: standing?.tier ?? t('member.noTier') })}{' '}
            <Time at={standing?.tierUntil} show="lastDay" />
          </p>
        )
      }}
    >
      <div className={styles['pair']}>
        <Select
          label={t('field.tier')}
          value={tier}
          onText={setTier}
          options={[['', t('tier.end')], ...tiers.map((one) => [one, one] as const)]}
        />
        {tier !== '' && <DayField label={t('adjust.lastDay')} value={untilDay} required onText={setUntilDay} />}
      </div>
      <p className="box">
        {t('tier.now', { tier: standing?.tier ?? t('member.noTier') })}{' '}
        {tier === '' ? t('tier.whatEnd') : t('tier.what', { after: tier })}
      </p>
    </CommandDialog>
  )
}

export function ForgetDialog({ member, accounts, onClose }: ActionProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { members } = useCommands()
  const { memberId, loyaltyIds } = member
  const openCount = useOpenCalculations(memberId)
  const [typed, setTyped] = useState('')
  const [isForgotten, setForgotten] = useState(false)
  const held = accounts.filter(({ available, pending, held }) => available + pending + held > 0n)
  return (
    <CommandDialog
      title={t('forget.title', { member: memberId })}
      verb={t('action.forget')}
      draftKey={`forget/${memberId}`}
      isReady={typed === memberId && openCount !== undefined}
      onClose={() => {
        onClose()
        if (isForgotten) void navigate({ to: '/members' })
      }}
      run={async ({ requestId, reason }) => {
        const { calculations, sales, counters } = await members.forgetMember({ requestId, memberId, reason })
        setForgotten(true)
        return (
          <>
            <p>{t('forget.done', { calculations, sales, counters })}</p>
            <ForgettingProgress requestId={requestId} />
          </>
        )
      }}
    >
      <p className="lost">{t('forget.what')}</p>
      <ul className="box">
        <li>{t('forget.loyaltyIds', { count: loyaltyIds.length })}</li>
        <li>{t('forget.open', { count: openCount ?? 0 })}</li>
        {held.map(({ currencyId, name, scale, available, pending, held }) => (
          <li key={currencyId}>
            {t('forget.forfeits', {
              amount: formatScaled(available + pending + held, scale, t.locale),
              currency: name || currencyId,
            })}
          </li>
        ))}
      </ul>
      <Field
        label={t('forget.type', { member: memberId })}
        value={typed}
        autoComplete="off"
        required
        onText={setTyped}
      />
    </CommandDialog>
  )
}

export function MergeDialog({ member, onClose }: ActionProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { members } = useCommands()
  const { memberId } = member
  const [into, setInto] = useDraft(`merge/${memberId}/into`, '')
  const [tried, setTried] = useState<Tried | null>(null)
  const [merged, setMerged] = useState<string | null>(null)
  const names = (other: string) => ({
    from: memberRef(memberId),
    into: memberRef(other),
  })

  async function dryRun() {
    const typed = into.trim()
    try {
      const [from, other] = await Promise.all([members.getMember(memberRef(memberId)), findMember(members, typed)])
      const answer = await members.mergeMembers({ requestId: newId(), ...names(other.member!.memberId), dryRun: true })
      setTried({ typed, from, other, answer })
    } catch (cause) {
      setTried({ typed, cause })
    }
  }

  const isTried = tried !== null && 'answer' in tried && tried.typed === into.trim()
  return (
    <CommandDialog
      title={t('merge.title', { member: memberId })}
      verb={t('action.merge')}
      draftKey={`merge/${memberId}`}
      isReady={isTried}
      onClose={() => {
        onClose()
        if (merged !== null) void navigate({ to: '/members/$memberId', params: { memberId: merged } })
      }}
      run={async ({ requestId, reason }) => {
        const other = isTried ? tried.other.member!.memberId : ''
        await members.mergeMembers({ requestId, ...names(other), dryRun: false, reason })
        setMerged(other)
        return <p>{t('merge.done', { from: memberId, into: other })}</p>
      }}
    >
      <p>{t('merge.what', { member: memberId })}</p>
      <Field label={t('merge.into')} value={into} required onText={setInto} />
      <Button onClick={() => void dryRun()} disabled={into.trim() === ''} text={t('move.dryRun')} />
      {tried !== null && 'cause' in tried && <ErrorPanel cause={tried.cause} />}
      {isTried && <Sides {...tried} />}
      {isTried && <Moved answer={tried.answer} />}
    </CommandDialog>
  )
}

interface Sided {
  readonly from: GetMemberResponse
  readonly other: GetMemberResponse
  readonly answer: MergeMembersResponse
}

type Tried = { readonly typed: string } & (Sided | { readonly cause: unknown })

/** Both members side by side, and what the merged one had that goes. */
function Sides({ from, other, answer }: Sided) {
  const t = useWords()
  const rows = [
    { what: t('member.loyaltyIds'), of: ({ member }: GetMemberResponse) => member!.loyaltyIds.join(', ') },
    { what: t('member.visits'), of: ({ standing }: GetMemberResponse) => String(standing?.visits ?? 0n) },
    { what: t('member.tier'), of: ({ standing }: GetMemberResponse) => standing?.tier ?? '' },
    { what: t('member.segments'), of: ({ member }: GetMemberResponse) => member!.segments.join(', ') },
    { what: t('field.birthday'), of: ({ member }: GetMemberResponse) => member!.birthday ?? '' },
    { what: t('member.joinedOn'), of: ({ member }: GetMemberResponse) => member!.joinedOn ?? '' },
    {
      what: t('calculation.state'),
      of: ({ member }: GetMemberResponse) => (member!.blocked === true ? t('member.blocked') : ''),
    },
  ]
  const added = new Set([t('member.loyaltyIds'), t('member.visits'), answer.givenTier && t('member.tier')])
  const lost = rows.filter(({ what, of }) => !added.has(what) && of(from) !== '' && of(from) !== of(other))
  return (
    <>
      <Rows
        label={t('merge.sides')}
        columns={[
          { key: 'what', head: t('compared.what'), cell: ({ what }) => what },
          { key: 'from', head: t('merge.goes', { member: from.member!.memberId }), cell: ({ of }) => of(from) || '–' },
          {
            key: 'into',
            head: t('merge.stays', { member: other.member!.memberId }),
            cell: ({ of }) => of(other) || '–',
          },
        ]}
        rows={rows}
        keyOf={({ what }) => what}
      />
      <p className={lost.length === 0 ? undefined : 'lost'}>
        {lost.length === 0
          ? t('merge.nothingLost')
          : t('merge.lost', { list: lost.map(({ what, of }) => `${what} ${of(from)}`).join('; ') })}
      </p>
    </>
  )
}

function Moved({ answer }: { readonly answer: MergeMembersResponse }) {
  const t = useWords()
  const names = useProgrammeNames(0)
  const { accounts, calculations, loyaltyIds, counters } = answer
  return (
    <div role="status">
      <ul className="box">
        <li>{t('merge.calculations', { count: calculations })}</li>
        <li>{t('merge.loyaltyIds', { count: loyaltyIds })}</li>
        <li>{t('merge.counters', { count: counters })}</li>
        {accounts.map(({ currencyId, amount, debt, paid, completed }) => (
          <li key={currencyId}>
            {valueText({ t, names }, currencyId, amount)}
            {debt > 0n && `; ${t('merge.debt', { debt: valueText({ t, names }, currencyId, debt) })}`}
            {paid > 0n && `; ${t('merge.paid', { paid: valueText({ t, names }, currencyId, paid) })}`}
            {completed > 0n && `; ${t('merge.completed', { amount: valueText({ t, names }, currencyId, completed) })}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

const askEveryMs = 10_000

export function ForgettingProgress({ requestId }: { readonly requestId: string }) {
  const t = useWords()
  const { data } = useQuery(
    MemberService.method.getForgetting,
    { requestId },
    { refetchInterval: ({ state }) => (state.data?.state === ForgettingState.COMPLETE ? false : askEveryMs) },
  )
  if (data === undefined) return null
  const isComplete = data.state === ForgettingState.COMPLETE
  return (
    <p>
      {t(isComplete ? 'forget.complete' : 'forget.pending')}{' '}
      <Time at={isComplete ? data.completedAt : data.completeBy} />
    </p>
  )
}
