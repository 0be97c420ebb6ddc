import { useState } from 'react'
import {
  type MemberCells,
  type MemberColumn,
  memberFromCells,
  pathOfColumn,
} from '../../../../clients/import/member-cells.js'
import { MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { callOf, rolesOf, useCommands } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Check, Field } from '../../parts/controls.js'
import { useDraft } from '../../parts/use-draft.js'
import { ImportScreen } from './import-screen.js'
import { Run } from './run.js'

const run = new Run('members')
const method = MemberService.method.upsertMembers
const example = [
  ['memberId', 'loyaltyIds', 'tier', 'segments', 'blocked', 'birthday', 'joinedOn'],
  ['m-1001', 'card-77;phone-4711', 'gold', 'staff;oslo', '', '02-29', '2024-05-17'],
  ['m-1002', 'card-78', '', '', 'true', '', ''],
]

export function MemberImport() {
  const t = useWords()
  const { members } = useCommands()
  const [reason, setReason] = useDraft('import-members/reason', '')
  const [moveCards, setMoveCards] = useState(false)
  const columns = [
    { name: 'memberId', label: t('members.member'), isRequired: true },
    { name: 'loyaltyIds', label: t('member.loyaltyIds') },
    { name: 'tier', label: t('field.tier') },
    { name: 'segments', label: t('member.segments') },
    { name: 'blocked', label: t('member.blocked') },
    { name: 'birthday', label: t('field.birthday') },
    { name: 'joinedOn', label: t('member.joinedOn') },
  ]
  return (
    <ImportScreen<MemberCells>
      title={t('imports.members')}
      what={
        <>
          <p>{t('imports.membersWhat')}</p>
          <p className="muted">{t('imports.membersCells')}</p>
        </>
      }
      call={callOf(method)}
      roles={rolesOf(method)}
      columns={columns}
      run={run}
      example={example}
      choicesKey={reason.trim() === '' ? null : `${moveCards} ${reason.trim()}`}
      choices={
        <>
          <Check text={t('imports.moveCards')} checked={moveCards} onCheck={setMoveCards} />
          <Field label={t('dialog.reason')} value={reason} maxLength={128} required onText={setReason} />
        </>
      }
      read={(cell) => {
        const faults: string[] = []
        const fault = (column: MemberColumn, expected: string) => faults.push(`${column}: expected ${expected}`)
        const row = memberFromCells(cell, fault)
        return faults.length === 0 ? { row } : { why: faults.join('; ') }
      }}
      send={(given) =>
        async (rows, { requestId, isCheck }) => {
          const paths = Object.entries(pathOfColumn).flatMap(([column, path]) => (given.includes(column) ? [path] : []))
          const request = { requestId, members: [...rows], updateMask: { paths }, moveCards, dryRun: isCheck }
          const reply = await members.upsertMembers({ ...request, reason: reason.trim() })
          const { created, changed, unchanged, merged, movedCards } = reply
          return { created, changed, unchanged, merged, movedCards }
        }}
      countsText={({ created = 0, changed = 0, unchanged = 0, merged = 0, movedCards = 0 }) =>
        [
          t('imports.memberCounts', { created, changed, unchanged }),
          merged === 0 ? '' : t('imports.merged', { count: merged }),
          movedCards === 0 ? '' : t('imports.movedCards', { count: movedCards }),
        ]
          .filter((text) => text !== '')
          .join(' ')
      }
    />
  )
}
