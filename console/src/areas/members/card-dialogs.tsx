import { useQuery } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Member, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { memberRef } from '../../api/programme.js'
import { useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { CommandDialog } from '../../parts/command-dialog.js'
import { Field, Select } from '../../parts/controls.js'
import { DayField } from '../../parts/day-field.js'
import { useDraft } from '../../parts/use-draft.js'
import { type ActionProps, useOpenCalculations } from './action-props.js'

/** The member of a card; undefined: it has none, or is not known yet. */
function useHolder(loyaltyId: string): Member | undefined {
  const by = { case: 'loyaltyId' as const, value: loyaltyId }
  const query = useQuery(MemberService.method.getMember, { by }, { enabled: loyaltyId !== '', retry: false })
  return query.isSuccess ? query.data.member : undefined
}

function Taken({ holder }: { readonly holder: Member | undefined }) {
  const t = useWords()
  return holder === undefined ? null : <p className="lost">{t('card.taken', { member: holder.memberId })}</p>
}

export function ReplaceCardDialog(props: ActionProps) {
  return <CardDialog {...props} isReplaced />
}

export function EndCardDialog(props: ActionProps) {
  return <CardDialog {...props} isReplaced={false} />
}

function CardDialog({ member, onClose, isReplaced }: ActionProps & { readonly isReplaced: boolean }) {
  const t = useWords()
  const { members } = useCommands()
  const { memberId } = member
  // As they were when the dialog opened, so that the outcome keeps its words.
  const [cards] = useState(member.loyaltyIds)
  const [old, setEnding] = useState(cards.length === 1 ? cards[0]! : '')
  const [typed, setTyped] = useDraft(`card/${memberId}`, '')
  const next = isReplaced ? typed.trim() : ''
  const holder = useHolder(next)
  const openCount = useOpenCalculations(memberId)
  return (
    <CommandDialog
      title={t(isReplaced ? 'replace.title' : 'endCard.title', { member: memberId })}
      verb={t(isReplaced ? 'action.replace' : 'action.endCard')}
      draftKey={`card/${memberId}`}
      isReady={old !== '' && holder === undefined && (isReplaced ? next !== '' : cards.length > 1)}
      onClose={onClose}
      run={async ({ requestId, reason }) => {
        const kept = cards.flatMap((card) => (card !== old ? [card] : isReplaced ? [next] : []))
        const updateMask = { paths: ['loyalty_ids'] }
        await members.upsertMembers({ requestId, reason, members: [{ memberId, loyaltyIds: kept }], updateMask })
        return <p>{t(isReplaced ? 'replace.done' : 'endCard.done', { old, next })}</p>
      }}
    >
      <p>{t(isReplaced ? 'replace.what' : 'endCard.what')}</p>
      <Select
        label={t('card.old')}
        value={old}
        required
        onText={setEnding}
        options={[['', t('card.choose')], ...cards.map((card) => [card, card] as const)]}
      />
      {isReplaced && <Field label={t('card.new')} value={typed} maxLength={64} required onText={setTyped} />}
      <Taken holder={holder} />
      <p className="box">
        {!isReplaced && cards.length === 1 && `${t('endCard.last')} `}
        {t('block.open', { count: openCount ?? 0 })}
      </p>
    </CommandDialog>
  )
}

export function EditDialog({ member, onClose }: Pick<ActionProps, 'member' | 'onClose'>) {
  return <PersonDialog member={member} onClose={onClose} />
}

export function AddDialog({ onClose }: Pick<ActionProps, 'onClose'>) {
  return <PersonDialog member={null} onClose={onClose} />
}

interface PersonProps {
  /** null: a new one. */
  readonly member: Member | null
  readonly onClose: () => void
}

function PersonDialog({ member, onClose }: PersonProps) {
  const t = useWords()
  const navigate = useNavigate()
  const { members } = useCommands()
  const isNew = member === null
  const draft = `person/${member?.memberId ?? ''}`
  const [id, setId] = useDraft(`${draft}/id`, member?.memberId ?? '')
  const [card, setCard] = useDraft(`${draft}/card`, '')
  const [segments, setSegments] = useDraft(`${draft}/segments`, member?.segments.join(', ') ?? '')
  const [birthday, setBirthday] = useDraft(`${draft}/birthday`, member?.birthday ?? '')
  const [joinedOn, setJoinedOn] = useDraft(`${draft}/joined`, member?.joinedOn ?? '')
  const [added, setAdded] = useState<string | null>(null)
  const memberId = id.trim()
  const holder = useHolder(card.trim())
  const same = useQuery(MemberService.method.getMember, memberRef(memberId), {
    enabled: isNew && memberId !== '' && added === null,
    retry: false,
  })
  const isTaken = isNew && added === null && same.isSuccess
  const isDay = birthday === '' || /^(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(birthday)
  return (
    <CommandDialog
      title={isNew ? t('newMember.title') : t('edit.title', { member: memberId })}
      verb={t(isNew ? 'action.add' : 'action.edit')}
      draftKey={draft}
      isReady={isDay && (!isNew || (memberId !== '' && card.trim() !== '' && holder === undefined && !isTaken))}
      onClose={() => {
        onClose()
        if (added !== null) void navigate({ to: '/members/$memberId', params: { memberId: added } })
      }}
      run={async ({ requestId, reason }) => {
        const row = {
          memberId,
          segments: [...new Set(segments.split(',').flatMap((one) => one.trim() || []))],
          ...(birthday === '' ? {} : { birthday }),
          ...(joinedOn === '' ? {} : { joinedOn }),
          ...(isNew ? { loyaltyIds: [card.trim()] } : {}),
        }
        const paths = ['segments', 'birthday', 'joined_on', ...(isNew ? ['loyalty_ids'] : [])]
        await members.upsertMembers({ requestId, reason, members: [row], updateMask: { paths } })
        if (isNew) setAdded(memberId)
        return <p>{t(isNew ? 'newMember.done' : 'edit.done', { member: memberId })}</p>
      }}
    >
      {isNew && (
        <>
          <Field label={t('members.member')} value={id} maxLength={64} required onText={setId} />
          {isTaken && <p className="lost">{t('newMember.taken')}</p>}
          <Field label={t('card.new')} value={card} maxLength={64} required onText={setCard} />
          <Taken holder={holder} />
        </>
      )}
      <Field label={t('edit.segments')} value={segments} onText={setSegments} />
      <Field label={t('edit.birthday')} value={birthday} maxLength={5} onText={setBirthday} />
      {!isDay && <p className="lost">{t('edit.noBirthday')}</p>}
      <DayField label={t('member.joinedOn')} value={joinedOn} onText={setJoinedOn} />
    </CommandDialog>
  )
}
