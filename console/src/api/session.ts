import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { setClock } from './clock.js'

export interface Session {
  readonly role: string
  readonly name: string
  readonly endsAt: string
  readonly now: string
  readonly environment: 'staging' | 'production'
  /** That POSs may send. */
  readonly channels: readonly string[]
}

/** In every request of the console: pages of other origins cannot send it. */
export const consoleHeaders = { 'X-Loyalty-Console': '1' } as const
const path = '/console/session'

/** null: not signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => askSession({ headers: consoleHeaders }),
  staleTime: Number.POSITIVE_INFINITY,
  // On return to the page, notices an ended session at once, and sets the clock.
  refetchOnWindowFocus: 'always',
  retry: false,
})

export interface Provider {
  readonly name: string
  readonly startUrl: string
}

/** null: only tokens sign in. */
export const providerQuery = queryOptions({
  queryKey: ['provider'],
  queryFn: async (): Promise<Provider | null> => {
    const response = await fetch('/console/oidc', { headers: consoleHeaders })
    return response.ok ? ((await response.json()) as Provider | null) : null
  },
  staleTime: Number.POSITIVE_INFINITY,
})

export function signInUrl({ startUrl }: Provider): string {
  return `${startUrl}?${new URLSearchParams({ to: location.pathname + location.search })}`
}

export function changeSession(queryClient: QueryClient, session: Session | null): void {
  const [own] = sessionQuery.queryKey
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== own })
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** null: refused. */
export async function signIn(key: { readonly token: string } | { readonly ticket: string }): Promise<Session | null> {
  const headers = { ...consoleHeaders, 'Content-Type': 'application/json' }
  return askSession({ method: 'POST', headers, body: JSON.stringify(key) })
}

export async function signOut(): Promise<void> {
  await fetch(path, { method: 'DELETE', headers: consoleHeaders })
  isLeft = true
}

let isLeft = false

export function hasLeft(): boolean {
  return isLeft
}

async function askSession(request: RequestInit): Promise<Session | null> {
  const askedMs = Date.now()
  const response = await fetch(path, request)
  const answeredMs = Date.now()
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  const session = (await response.json()) as Session
  isLeft = false
  setClock(Date.parse(session.now), { askedMs, answeredMs })
  return session
}
