import t, { type Test } from 'tap'
import type { OidcConfig } from '../../../gateway/config/config.js'
import { createLog, type Log } from '../../../gateway/telemetry/log.js'
import { StoreFault } from '../../../store/fault.js'
import type { ConsoleSessions } from '../../../store/ledger/console-sessions.js'
import { freePort } from '../../support/free-port.js'
import { type Forge, startOpenidProvider } from '../../support/start-openid-provider.js'
import { aListener, createConsoleSessions } from './a-listener.js'
import { createOpenidBrowser, type OpenidBrowser } from './openid-browser.js'

t.setTimeout(300_000)

const groups = { anna: ['everyone', 'helpdesk'], olga: ['helpdesk', 'owners', 'readers'], gus: ['everyone', 'a,b'] }
const roles = [
  { role: 'admin', group: 'owners' },
  { role: 'support', group: 'helpdesk' },
  { role: 'reader', group: 'readers' },
] as const

interface Parts {
  readonly claimsIn?: 'id_token' | 'userinfo'
  readonly clientSecret?: string
  readonly store?: ConsoleSessions
  readonly more?: Partial<OidcConfig>
  readonly log?: Log
}

/** A provider, and a console that signs in by it. */
async function aConsole(t: Test, { claimsIn = 'id_token', clientSecret, store, log, more = {} }: Parts = {}) {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const redirectUri = `${baseUrl}/console/oidc/callback`
  const secret = clientSecret === undefined ? {} : { clientSecret }
  const provider = await startOpenidProvider({ clientId: 'console', redirectUri, groups, claimsIn, ...secret })
  t.teardown(() => provider.stop())
  const oidc: OidcConfig = {
    ...{ issuer: provider.issuer, clientId: 'console', clientSecret: clientSecret ?? null, baseUrl, roles },
    ...{ name: 'Head office', scopes: 'openid profile', groupsClaim: 'groups', sessionS: 600, ...more },
  }
  await aListener(t, { port, oidc, ...(store === undefined ? {} : { store }), ...(log === undefined ? {} : { log }) })
  return { provider, baseUrl, startUrl: `${baseUrl}/console/oidc/start` }
}

type Started = Awaited<ReturnType<typeof aConsole>>

const isCallback = ({ pathname }: URL) => pathname === '/console/oidc/callback'
const isPage = ({ hostname, pathname }: URL) => hostname === '127.0.0.1' && !pathname.startsWith('/console/oidc/')

async function signedIn({ baseUrl }: Started, browser: OpenidBrowser) {
  const { status, text } = await browser.ask(`${baseUrl}/console/session`, { 'x-loyalty-console': '1' })
  return { status, ...JSON.parse(text) }
}

/** The fault in the console's words; with a request id each time. */
function faultAt(t: Test, { pathname, hash }: URL) {
  const sent = new URLSearchParams(hash.slice(1))
  t.equal(pathname, '/console')
  t.match(sent.get('request'), /^[0-9a-f-]{36}$/)
  return { fault: sent.get('fault'), groups: sent.getAll('group') }
}

for (const [what, parts] of [
  ['groups in the id token', {}],
  ['groups at the userinfo endpoint', { claimsIn: 'userinfo' }],
  ['a client with a secret', { clientSecret: 'a secret: 50 % of it & more' }],
] as const) {
  t.test(`a person signs in with the role of a group, ${what}`, async (t) => {
    const started = await aConsole(t, parts)
    const browser = createOpenidBrowser()
    const page = await browser.go(`${started.startUrl}?to=/console/members/m-anna?x=1`, 'anna', isPage)
    t.equal(page.href, `${started.baseUrl}/console/members/m-anna?x=1`, 'to the screen that was asked for')
    t.match(await signedIn(started, browser), { status: 200, role: 'support', name: 'anna@shop.example (anna)' })
    t.same([...browser.cookies.keys()], ['loyalty_console'], 'nothing is left of the attempt')
  })
}

t.test('of several roles the one that may do most counts', async (t) => {
  const started = await aConsole(t)
  const browser = createOpenidBrowser()
  await browser.go(started.startUrl, 'olga', isPage)
  t.match(await signedIn(started, browser), { role: 'admin' })
})

t.test('the attempt is a cookie that links send, the session is one that no other site sends', async (t) => {
  const { startUrl } = await aConsole(t)
  const browser = createOpenidBrowser()
  const start = await browser.ask(startUrl)
  t.match(String(start.headers['set-cookie']), /^loyalty_oidc=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  const sent = new URL(String(start.headers['location'])).searchParams
  t.match(Object.fromEntries(sent), { response_type: 'code', code_challenge_method: 'S256', scope: 'openid profile' })
  for (const name of ['state', 'nonce', 'code_challenge']) {
    t.match(sent.get(name), /^[\w-]{43}$/)
    t.notMatch(String(start.headers['set-cookie']), sent.get(name), `${name} is not in the cookie`)
  }
  const callback = await browser.go(startUrl, 'anna', isCallback)
  const { headers, status } = await browser.ask(callback.href)
  t.equal(status, 303)
  t.match(headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  const [session] = headers['set-cookie'] as string[]
  t.match(session, /^loyalty_console=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/)
})

t.test('behind TLS both cookies are for TLS alone, and no other host can plant the attempt', async (t) => {
  const { startUrl } = await aConsole(t, { more: { baseUrl: 'https://loyalty.example' } })
  const { headers } = await createOpenidBrowser().ask(startUrl)
  t.match(String(headers['set-cookie']), /^__Host-loyalty_oidc=[^;]+; Path=\/; .*; Secure$/)
})

t.test('no browser is sent to another site', async (t) => {
  const started = await aConsole(t)
  for (const to of [
    '//evil.example',
    'https://evil.example',
    '/console\\evil',
    '/docs',
    '/consoles',
    '/console/oidc/start',
  ]) {
    const browser = createOpenidBrowser()
    const page = await browser.go(`${started.startUrl}?${new URLSearchParams({ to })}`, 'anna', isPage)
    t.equal(page.href, `${started.baseUrl}/console`, to)
  }
})

t.test('a wrong state, another browser and a callback that was used begin no session', async (t) => {
  const started = await aConsole(t)
  const wrong = createOpenidBrowser()
  const callback = await wrong.go(started.startUrl, 'anna', isCallback)
  callback.searchParams.set('state', 'A'.repeat(43))
  t.same(faultAt(t, await wrong.go(callback.href, 'anna', isPage)), { fault: 'stale', groups: [] })
  t.match(await signedIn(started, wrong), { status: 401 })

  const owner = createOpenidBrowser()
  const right = await owner.go(started.startUrl, 'anna', isCallback)
  const other = createOpenidBrowser()
  await other.ask(started.startUrl)
  t.same(faultAt(t, await other.go(right.href, 'anna', isPage)), { fault: 'stale', groups: [] })
  const kept = new Map(owner.cookies)
  await owner.go(right.href, 'anna', isPage)
  t.match(await signedIn(started, owner), { status: 200 })
  t.same(faultAt(t, await owner.go(right.href, 'anna', isPage)), { fault: 'stale', groups: [] })

  const thief = createOpenidBrowser()
  for (const [name, value] of kept) thief.cookies.set(name, value)
  t.same(faultAt(t, await thief.go(right.href, 'anna', isPage)), { fault: 'refused', groups: [] }, 'a code counts once')
  t.match(await signedIn(started, thief), { status: 401 })
})

t.test('an id token that is not for this sign-in begins no session', async (t) => {
  const started = await aConsole(t)
  const { provider } = started
  const hourAgo = Math.floor(Date.now() / 1000) - 3_600
  const unsigned: Forge = async (claims, sign) => {
    const [, body] = (await sign(claims)).split('.')
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`
  }
  const forgeries: Record<string, Forge> = {
    'another audience': (claims, sign) => sign({ ...claims, aud: 'another-client' }),
    'another issuer': (claims, sign) => sign({ ...claims, iss: 'https://evil.example' }),
    'another nonce': (claims, sign) => sign({ ...claims, nonce: 'A'.repeat(43) }),
    'no nonce': ({ nonce: _, ...claims }, sign) => sign(claims),
    expired: (claims, sign) => sign({ ...claims, iat: hourAgo - 60, exp: hourAgo }),
    'a changed claim': async (claims, sign) => {
      const [head, , signature] = (await sign(claims)).split('.')
      const changed = Buffer.from(JSON.stringify({ ...claims, groups: ['owners'] })).toString('base64url')
      return `${head}.${changed}.${signature}`
    },
    'no signature': unsigned,
  }
  for (const [what, forge] of Object.entries(forgeries)) {
    provider.forge = forge
    const browser = createOpenidBrowser()
    const page = await browser.go(started.startUrl, 'anna', isPage)
    t.same(faultAt(t, page), { fault: 'refused', groups: [] }, what)
    t.match(await signedIn(started, browser), { status: 401 }, what)
  }
  provider.forge = (claims, sign) => sign(claims)
  const browser = createOpenidBrowser()
  await browser.go(started.startUrl, 'anna', isPage)
  t.match(await signedIn(started, browser), { status: 200 }, 'signed anew and unchanged it counts')
})

t.test('who has no group with a role is refused, and sees the groups that came', async (t) => {
  const started = await aConsole(t)
  for (const [login, seen] of [
    ['gus', ['everyone', 'a,b']],
    ['nobody', []],
  ] as const) {
    const browser = createOpenidBrowser()
    const page = await browser.go(started.startUrl, login, isPage)
    t.same(faultAt(t, page), { fault: 'no_role', groups: seen })
    t.match(await signedIn(started, browser), { status: 401 })
  }
})

t.test('groups stand deeper in a claim, or under a name with dots', async (t) => {
  for (const [groupsClaim, claims] of [
    ['realm_access.roles', { realm_access: { roles: ['owners'] } }],
    ['https://shop.example/groups', { 'https://shop.example/groups': 'owners' }],
  ] as const) {
    const started = await aConsole(t, { more: { groupsClaim } })
    started.provider.forge = (own, sign) => sign({ ...own, ...claims })
    const browser = createOpenidBrowser()
    await browser.go(started.startUrl, 'anna', isPage)
    t.match(await signedIn(started, browser), { role: 'admin' }, groupsClaim)
  }
})

t.test('a person who says no at the provider is sent back without a session', async (t) => {
  const started = await aConsole(t)
  const browser = createOpenidBrowser()
  const { searchParams } = await browser.go(started.startUrl, 'anna', isCallback)
  searchParams.delete('code')
  searchParams.set('error', 'access_denied')
  const page = await browser.go(`${started.baseUrl}/console/oidc/callback?${searchParams}`, 'anna', isPage)
  t.same(faultAt(t, page), { fault: 'denied', groups: [] })
})

t.test("a wrong client secret lets no person in, and the log has the fault in the provider's words", async (t) => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const started = await aConsole(t, { clientSecret: 'right', more: { clientSecret: 'wrong' }, log })
  const page = await createOpenidBrowser().go(started.startUrl, 'anna', isPage)
  t.same(faultAt(t, page), { fault: 'refused', groups: [] })
  const [record] = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in')
  t.match(record, { outcome: 'refused', code: 'refused', requestId: new URLSearchParams(page.hash).get('request') })
  t.match(JSON.stringify(record), /invalid_client/)
  t.notMatch(lines.join(), /wrong|right/)
})

t.test('while the provider is down the console says so, at the start and at the end of a sign-in', async (t) => {
  const started = await aConsole(t)
  const browser = createOpenidBrowser()
  const callback = await browser.go(started.startUrl, 'anna', isCallback)
  await started.provider.stop()
  t.same(faultAt(t, await browser.go(started.startUrl, 'anna', isPage)), { fault: 'provider_down', groups: [] })
  t.same(faultAt(t, await browser.go(callback.href, 'anna', isPage)), { fault: 'stale', groups: [] })
  const late = await aConsole(t)
  const begun = await browser.go(late.startUrl, 'anna', isCallback)
  await late.provider.stop()
  t.same(faultAt(t, await browser.go(begun.href, 'anna', isPage)), { fault: 'provider_down', groups: [] })
})

t.test('a console that began before its provider finds it later', async (t) => {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const redirectUri = `${baseUrl}/console/oidc/callback`
  const providerPort = await freePort()
  const oidc: OidcConfig = {
    ...{ issuer: `http://localhost:${providerPort}`, clientId: 'console', clientSecret: null, baseUrl, roles },
    ...{ name: 'Head office', scopes: 'openid profile', groupsClaim: 'groups', sessionS: 600 },
  }
  await aListener(t, { port, oidc })
  const start = () => createOpenidBrowser().go(`${baseUrl}/console/oidc/start`, 'anna', isPage)
  t.match(faultAt(t, await start()), { fault: 'provider_down' })
  const provider = await startOpenidProvider({
    ...{ clientId: 'console', redirectUri, groups, claimsIn: 'id_token', port: providerPort },
  })
  t.teardown(() => provider.stop())
  t.equal((await start()).href, `${baseUrl}/console`)
})

t.test('while the ledger is away no person signs in', async (t) => {
  const store = createConsoleSessions()
  const started = await aConsole(t, { store })
  store.begin = async () => Promise.reject(new StoreFault('ledger', 'unreachable'))
  t.match(faultAt(t, await createOpenidBrowser().go(started.startUrl, 'anna', isPage)), { fault: 'unavailable' })
})

t.test('a session ends when its time is over, and when the person signs out', async (t) => {
  const clock = { nowMs: Date.now() }
  const started = await aConsole(t, { store: createConsoleSessions(() => clock.nowMs), more: { sessionS: 60 } })
  const browser = createOpenidBrowser()
  await browser.go(started.startUrl, 'anna', isPage)
  clock.nowMs += 59_000
  t.match(await signedIn(started, browser), { status: 200 })
  clock.nowMs += 1_000
  t.match(await signedIn(started, browser), { status: 401 })
})

t.test('the page is offered the provider where there is one', async (t) => {
  const { baseUrl, startUrl } = await aConsole(t)
  const browser = createOpenidBrowser()
  t.same(JSON.parse((await browser.ask(`${baseUrl}/console/oidc`)).text), { name: 'Head office', startUrl })
  t.equal((await browser.ask(`${baseUrl}/console/oidc/other`)).status, 404)
  const { origin } = await aListener(t)
  t.equal((await browser.ask(`${origin}/console/oidc`)).text, 'null')
  t.equal((await browser.ask(`${origin}/console/oidc/start`)).status, 404)
})
