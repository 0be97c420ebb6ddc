import { createClient } from '@connectrpc/connect'
import { useTransport } from '@connectrpc/connect-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { MemberService } from '../../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { isNotFound, readError } from '../../api/read-error.js'
import { useWords } from '../../i18n/words.js'
import { ErrorPanel } from '../../parts/error-panel.js'
import { Empty } from '../../parts/states.js'
import { useKeys } from '../../parts/use-keys.js'
import styles from './members.module.css'

/** Finds a member by its id, or by whatever loyalty id a guest reads out. */
export function MemberSearch() {
  const t = useWords()
  const navigate = useNavigate()
  const members = createClient(MemberService, useTransport())
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [state, setState] = useState<'idle' | 'looking' | 'nobody' | { readonly cause: unknown }>('idle')
  useKeys({ '/': () => field.current?.focus() })

  async function look(event: FormEvent) {
    event.preventDefault()
    const id = typed.trim()
    setState('looking')
    try {
      const memberId =
        (await memberIdBy({ case: 'loyaltyId', value: id })) ?? (await memberIdBy({ case: 'memberId', value: id }))
      if (memberId === null) return setState('nobody')
      void navigate({ to: '/members/$memberId', params: { memberId } })
    } catch (cause) {
      setState({ cause })
    }
  }

  async function memberIdBy(by: { case: 'loyaltyId' | 'memberId'; value: string }): Promise<string | null> {
    try {
      return (await members.getMember({ by })).member?.memberId ?? null
    } catch (cause) {
      if (!isNotFound(cause)) throw cause
      return readError(cause).metadata['merged_into'] ?? null
    }
  }

  return (
    <div className={styles['search']}>
      <h1>{t('area.members')}</h1>
      <form onSubmit={look}>
        <label>
          {t('members.search')}
          <input ref={field} type="search" value={typed} onChange={(event) => setTyped(event.target.value)} required />
        </label>
        <button type="submit" data-main disabled={state === 'looking'}>
          {t('members.find')}
        </button>
      </form>
      {state === 'nobody' && <Empty why={t('members.nobody', { typed })}>{t('members.nobodyWhat')}</Empty>}
      {typeof state === 'object' && <ErrorPanel cause={state.cause} />}
    </div>
  )
}
