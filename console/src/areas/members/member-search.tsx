import { type Client, createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type ListedMember, MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { memberRef } from '../../api/programme.js'
import { isNotFound, readError } from '../../api/transport.js'
import { useMay } from '../../api/use-commands.js'
import { useWords, type Words } from '../../i18n/words.js'
import { Button, Field, TextLink } from '../../parts/controls.js'
import { type Column, Rows } from '../../parts/rows.js'
import { Empty, Waiting } from '../../parts/states.js'
import { useKeys } from '../../parts/use-draft.js'
import { Badge } from '../../parts/values.js'
import type { MemberSearch as OpenMember } from '../../search.js'
import { AddDialog } from './card-dialogs.js'
import styles from './members.module.css'

const shownMax = 20
const settledMs = 200

export function MemberSearch() {
  const t = useWords()
  const navigate = useNavigate()
  const { q = '', claim } = useSearch({ from: '/members' })
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(q)
  const [isAdding, setAdding] = useState(false)
  const may = useMay()
  const found = useFound(q)
  const open: OpenMember = claim === undefined ? {} : { do: 'claim', sale: claim }
  const show = (wanted: string) =>
    void navigate({ to: '.', search: (search) => ({ ...search, q: wanted || undefined }), replace: true })
  useKeys({ '/': () => field.current?.focus() })
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => typed.trim() !== q && show(typed.trim()), settledMs)
    return () => clearTimeout(timer)
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (typed.trim() !== q) return show(typed.trim())
    const [only, ...others] = found.data ?? []
    const exact = found.data?.find((row) => isExact(row, q)) ?? (others.length === 0 ? only : undefined)
    if (exact !== undefined)
      void navigate({ to: '/members/$memberId', params: { memberId: exact.member!.memberId }, search: open })
  }

  return (
    <div className={styles['search']}>
      <h1>{t('area.members')}</h1>
      {claim !== undefined && <p>{t('members.claimFor')}</p>}
      <form onSubmit={submit}>
        <Field
          label={t('members.search')}
          ref={field}
          type="search"
          value={typed}
          maxLength={64}
          required
          onText={setTyped}
        />
        <Button type="submit" data-main text={t('members.find')} />
        {may('MemberService/UpsertMembers') && <Button onClick={() => setAdding(true)} text={t('action.add')} />}
      </form>
      <div className="flow">
        {may('MemberService/UpsertMembers') && <TextLink to="/imports/members" text={t('imports.members')} />}
        {may('RewardService/ImportCodes') && <TextLink to="/imports/codes" text={t('imports.codes')} />}
        {may('RewardService/IssueVouchers') && <TextLink to="/imports/vouchers" text={t('vouchers.open')} />}
      </div>
      <Found typed={q} found={found} open={open} />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </div>
  )
}

interface FoundProps {
  readonly typed: string
  readonly found: ReturnType<typeof useFound>
  readonly open: OpenMember
}

function Found({ typed, found, open }: FoundProps) {
  const t = useWords()
  if (typed === '') return <Empty why={t('members.none')}>{t('members.noneWhat')}</Empty>
  if (!found.isSuccess) return <Waiting query={found} lines={4} />
  if (found.data.length === 0) return <Empty why={t('members.nobody', { typed })}>{t('members.nobodyWhat')}</Empty>
  return (
    <Rows
      label={t('area.members')}
      rows={found.data}
      keyOf={({ member, loyaltyId }) => `${member!.memberId}/${loyaltyId}`}
      columns={columnsOf(t, open)}
    />
  )
}

function columnsOf(t: Words, open: OpenMember): readonly Column<ListedMember>[] {
  return [
    {
      key: 'member',
      head: t('members.member'),
      cell: ({ member }) => (
        <TextLink
          to="/members/$memberId"
          params={{ memberId: member!.memberId }}
          search={open}
          text={member!.memberId}
        />
      ),
    },
    {
      key: 'loyaltyIds',
      head: t('member.loyaltyIds'),
      cell: ({ member, loyaltyId }) => <code>{loyaltyId || member!.loyaltyIds.join(', ')}</code>,
    },
    { key: 'segments', head: t('member.segments'), cell: ({ member }) => member!.segments.join(', ') },
    {
      key: 'blocked',
      head: t('calculation.state'),
      cell: ({ member }) => member!.blocked === true && <Badge text={t('member.blocked')} tone="wrong" />,
    },
  ]
}

/** Members with this prefix of an id; where there are none, the member that one with this id was merged into. */
function useFound(typed: string) {
  const members = createClient(MemberService, useTransport())
  return useQuery({
    queryKey: ['members', typed],
    enabled: typed !== '',
    queryFn: async () => {
      const pageSize = shownMax
      const found = await Promise.all([
        members.listMembers({ by: { case: 'loyaltyIdPrefix', value: typed }, pageSize }),
        members.listMembers({ by: { case: 'memberIdPrefix', value: typed }, pageSize }),
      ])
      const rows = found.flatMap((list) => list.members)
      const id = ({ member }: ListedMember) => member!.memberId
      const own = rows.filter((row, at) => rows.findIndex((other) => id(other) === id(row)) === at)
      return own.length > 0 ? own : await mergedFrom(members, typed)
    },
  })
}

async function mergedFrom(members: Client<typeof MemberService>, memberId: string): Promise<readonly ListedMember[]> {
  try {
    await members.getMember(memberRef(memberId))
    return []
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    const into = readError(cause).metadata['merged_into']
    if (into === undefined) return []
    const { member } = await members.getMember(memberRef(into))
    return member === undefined ? [] : [{ $typeName: 'loyalty.v1.ListedMember', member, loyaltyId: '' }]
  }
}

function isExact({ member, loyaltyId }: ListedMember, typed: string): boolean {
  return member!.memberId === typed || loyaltyId === typed
}
