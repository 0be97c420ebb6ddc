import { useState } from 'react'
import { MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { memberRef } from '../../api/programme.js'
import { callOf, useChanged, useCommands, useMay } from '../../api/use-commands.js'
import { useWords } from '../../i18n/words.js'
import { Button } from '../../parts/controls.js'
import { download } from '../../parts/download.js'
import { ErrorPanel } from '../../parts/states.js'

/** Saves all that is stored of a member; absent without the right. */
export function ExportButton({ memberId }: { readonly memberId: string }) {
  const t = useWords()
  const { members } = useCommands()
  const { changed } = useChanged()
  const may = useMay()(callOf(MemberService.method.exportMember))
  const [state, setState] = useState<'idle' | 'running' | { readonly cause: unknown }>('idle')
  async function save() {
    setState('running')
    try {
      const parts: string[] = []
      for await (const { json } of members.exportMember({ member: memberRef(memberId) })) parts.push(json)
      download(`${memberId}.json`, parts.join(''), 'application/json')
      setState('idle')
      await changed()
    } catch (cause) {
      setState({ cause })
    }
  }
  if (!may) return null
  return (
    <>
      <Button disabled={state === 'running'} onClick={() => void save()} text={t('action.export')} />
      {typeof state === 'object' && <ErrorPanel cause={state.cause} onRetry={() => void save()} />}
    </>
  )
}
