import { type QueryClient, queryOptions } from '@tanstack/react-query'

/** Who is signed in. */
export interface Session {
  /** Of the token, such as `support`. */
  readonly role: string
  /** The token's name in audit records. */
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
