import { request } from 'undici'

/** A browser as far as signing in needs one: it keeps cookies by host, follows redirects, and fills in the provider's forms. */
export interface OpenidBrowser {
  /** Goes to an address and on, as this person, until an address fits or a page comes. Resolves to that address, which was not asked for. */
  go(address: string, login: string, until: (address: URL) => boolean): Promise<URL>
  /** Asks once, with cookies. */
  ask(address: string, headers?: Record<string, string>): Promise<Page>
  /** Cookies of 127.0.0.1. */
  readonly cookies: Map<string, string>
}

interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const stepsMax = 20

export function createOpenidBrowser(): OpenidBrowser {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = ({ hostname }: URL) => {
    const jar = jars.get(hostname) ?? new Map<string, string>()
    jars.set(hostname, jar)
    return jar
  }

  async function send(address: URL, body: string | null, more: Record<string, string> = {}): Promise<Page> {
    const jar = jarOf(address)
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const form = body === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await request(address, {
      method: body === null ? 'GET' : 'POST',
      headers: { ...form, ...(cookie === '' ? {} : { cookie }), ...more },
      body,
    })
    for (const header of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!
      if (value === '') jar.delete(name!)
      else jar.set(name!, value!)
    }
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }

  return {
    cookies: jarOf(new URL('http://127.0.0.1')),
    ask: (address, headers) => send(new URL(address), null, headers),
    async go(address, login, until) {
      let at = new URL(address)
      let body: string | null = null
      for (let step = 0; step < stepsMax && !until(at); step += 1) {
        const { status, headers, text }: Page = await send(at, body)
        body = null
        if (status >= 300 && status < 400) {
          at = new URL(String(headers['location']), at)
          continue
        }
        const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1]
        if (status !== 200 || action === undefined) return at
        const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? ''
        at = new URL(action, at)
        body = new URLSearchParams({ prompt, login, password: 'any' }).toString()
      }
      return at
    },
  }
}
