import { type QueryClient, queryOptions } from '@tanstack/react-query'

/** Who is signed in. */
export interface Session {
  /** Of the token, or of the person's groups, such as `support`. */
  readonly role: string
  /** Of the token or the person, as in audit records. */
  readonly name: string
  readonly endsAt: string
  readonly environment: 'staging' | 'production'
}

/** Every request of the console has it: pages of other origins cannot send it. */
export const consoleHeaders = { 'X-Loyalty-Console': '1' } as const
const path = '/console/session'

/** null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => readSession(await fetch(path, { headers: consoleHeaders })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/** An OpenID provider that signs people in. */
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

/** Where the browser goes to sign in at the provider, and comes back to the screen it shows now. */
export function signInUrl({ startUrl }: Provider): string {
  return `${startUrl}?${new URLSearchParams({ to: location.pathname + location.search })}`
}

/** Shows the console to somebody else, or to nobody: what was answered to whoever was there before is forgotten. */
export function changeSession(queryClient: QueryClient, session: Session | null): void {
  const [own] = sessionQuery.queryKey
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== own })
  queryClient.setQueryData(sessionQuery.queryKey, session)
}

/** null: refused. */
export async function signIn(key: { readonly token: string } | { readonly ticket: string }): Promise<Session | null> {
  const headers = { ...consoleHeaders, 'Content-Type': 'application/json' }
  return readSession(await fetch(path, { method: 'POST', headers, body: JSON.stringify(key) }))
}

export async function signOut(): Promise<void> {
  await fetch(path, { method: 'DELETE', headers: consoleHeaders })
}

async function readSession(response: Response): Promise<Session | null> {
  if (response.status === 401) return null
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  return (await response.json()) as Session
}
