import { useWords } from '../i18n/words.js'
import { Id } from '../parts/id.js'

/** Why the provider's sign-in ended with nobody signed in. */
export interface SignInFault {
  /** A word of the service, such as `no_role`. */
  readonly fault: string
  readonly requestId: string
  readonly groups: readonly string[]
}

/** What the service sent with the browser. Out of the address at once: a reload would show it again. null: nothing. */
export function takeSignInFault(): SignInFault | null {
  const sent = new URLSearchParams(location.hash.slice(1))
  const fault = sent.get('fault')
  if (fault === null) return null
  history.replaceState(null, '', location.pathname)
  return { fault, requestId: sent.get('request') ?? '', groups: sent.getAll('group') }
}

/** Says so, with the id under which the service's log has it. */
export function SignInFaultNote({ fault: { fault, requestId, groups } }: { readonly fault: SignInFault }) {
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
