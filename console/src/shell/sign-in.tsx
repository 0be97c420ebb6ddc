import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { changeSession, hasLeft, providerQuery, sessionQuery, signIn, signInUrl } from '../api/session.js'
import { useWords } from '../i18n/words.js'
import { Button, Field } from '../parts/controls.js'
import { ErrorPanel } from '../parts/states.js'
import { Id } from '../parts/values.js'
import styles from './shell.module.css'

const ticketAtStart = takeTicket()
const faultAtStart = takeSignInFault()

/** Shows the console after a sign-in, else asks for a token. A link with a ticket signs in by itself, once. */
export function SignInGate({ children }: { readonly children: ReactNode }) {
  const queryClient = useQueryClient()
  const [ticket, setTicket] = useState(ticketAtStart)
  const session = useQuery({ ...sessionQuery, enabled: ticket === null })
  const [isLinkUsed, setLinkUsed] = useState(false)
  useEffect(() => {
    if (ticket === null) return
    void signIn({ ticket })
      .then((begun) => {
        if (begun === null) setLinkUsed(true)
        else changeSession(queryClient, begun)
      })
      // The session query that follows fails in the same way, and shows it.
      .catch(() => {})
      .finally(() => setTicket(null))
  }, [ticket, queryClient])
  const isIn = session.data != null
  const wasIn = useRef(false)
  useEffect(() => {
    if (wasIn.current && session.data === null) changeSession(queryClient, null)
    wasIn.current ||= isIn
  }, [queryClient, session.data, isIn])
  if (ticket !== null || session.isPending) return null
  if (session.isLoadingError) return <ErrorPanel cause={session.error} onRetry={() => void session.refetch()} />
  if (isIn) return children
  return <SignIn isLinkUsed={isLinkUsed} isEnded={wasIn.current && !hasLeft()} fault={faultAtStart} />
}

/** Removed from the address at once: it would stay in the browser's history. */
function takeTicket(): string | null {
  const found = /^#ticket=([\w-]+)$/.exec(location.hash)?.[1] ?? null
  if (found !== null) history.replaceState(null, '', location.pathname)
  return found
}

interface SignInProps {
  readonly isLinkUsed: boolean
  /** A session ended here a moment ago, without a sign-out. */
  readonly isEnded: boolean
  /** null: the browser did not come from the provider, or the sign-in succeeded. */
  readonly fault: SignInFault | null
}

function SignIn({ isLinkUsed, isEnded, fault }: SignInProps) {
  const t = useWords()
  const provider = useQuery(providerQuery).data ?? null
  const queryClient = useQueryClient()
  const [token, setToken] = useState('')
  const [state, setState] = useState<'idle' | 'asking' | 'refused' | 'unreachable'>('idle')

  async function submit(event: FormEvent) {
    event.preventDefault()
    setState('asking')
    try {
      const begun = await signIn({ token: token.trim() })
      if (begun === null) return setState('refused')
      changeSession(queryClient, begun)
    } catch {
      setState('unreachable')
    }
  }

  return (
    <main className={styles['page']}>
      <form onSubmit={submit} className={styles['form']}>
        <h1>{t('signIn.do')}</h1>
        {isEnded && <p role="status">{t('signIn.ended')}</p>}
        {fault !== null && <SignInFaultNote fault={fault} />}
        {provider !== null && (
          <a href={signInUrl(provider)} className={`button ${styles['provider']}`}>
            {t('signIn.by', { provider: provider.name })}
          </a>
        )}
        <p className="muted">{t(isLinkUsed ? 'signIn.linkUsed' : provider === null ? 'signIn.how' : 'signIn.or')}</p>
        <Field
          label={t('signIn.token')}
          type="password"
          autoComplete="current-password"
          value={token}
          required
          onText={setToken}
        />
        {(state === 'refused' || state === 'unreachable') && (
          <p role="alert" className="lost">
            {t(state === 'refused' ? 'signIn.refused' : 'signIn.unreachable')}
          </p>
        )}
        <Button
          type="submit"
          data-main={provider === null || undefined}
          disabled={state === 'asking'}
          text={t('signIn.do')}
        />
      </form>
    </main>
  )
}

export interface SignInFault {
  /** A word of the service, such as `no_role`. */
  readonly fault: string
  readonly requestId: string
  readonly groups: readonly string[]
}

/** The service's fault from the address. Removed from it at once: a reload would show it again. null: none. */
function takeSignInFault(): SignInFault | null {
  const sent = new URLSearchParams(location.hash.slice(1))
  const fault = sent.get('fault')
  if (fault === null) return null
  history.replaceState(null, '', location.pathname)
  return { fault, requestId: sent.get('request') ?? '', groups: sent.getAll('group') }
}

function SignInFaultNote({ fault: { fault, requestId, groups } }: { readonly fault: SignInFault }) {
  const t = useWords()
  const seen = groups.length === 0 ? t('signIn.noGroups') : t('signIn.groups', { groups: groups.join(', ') })
  return (
    <div role="alert">
      <p className="lost">{t.of('signInFault', fault)}</p>
      {fault === 'no_role' && <p>{seen}</p>}
      <p className="muted small">
        {t('error.requestId')} <Id id={requestId} />
      </p>
    </div>
  )
}
