import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { type KeptRequest, textBytesMax } from '../../../../gateway/cache/kept-requests.js'
import { partnerKey, partnerSessionS } from '../../../../gateway/pos/partner/access.js'
import type { PartnerParts } from '../../../../gateway/pos/partner/partner-page.js'
import type { Trial } from '../../../../gateway/use-cases/try-again.js'
import { StoreFault } from '../../../../store/fault.js'
import type { InspectedSale } from '../../../../store/ledger/sales.js'
import { aCall, aListener, secret } from '../a-listener.js'

const rootKey = 'a-root-key-of-tests-0123456789abcdef'
const key = partnerKey(rootKey, 'oslo')
const script = '<script>alert(1)</script></textarea>'

async function aPage(t: Test, more: Partial<PartnerParts> = {}, rest: Parameters<typeof aListener>[1] = {}) {
  const kept: { venueId: string; request: KeptRequest }[] = []
  const trials: Trial[] = []
  const partner: PartnerParts = {
    rootKey,
    requests: {
      keep: (venueId, request) => void kept.unshift({ venueId, request }),
      list: async (venueId) => kept.filter((each) => each.venueId === venueId).map(({ request }) => request),
      dropAll: async () => void kept.splice(0),
    },
    async tryAgain(trial) {
      trials.push(trial)
      return { kind: 'answered', body: Buffer.from('{"status":"tried"}'), replayed: false, outcome: 'applied' }
    },
    listDiscrepancies: async () => [],
    ...more,
  }
  const listener = await aListener(t, { partner, ...rest })
  const { origin, host, port } = listener
  async function ask(path: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
    const post = { method: 'POST', body: new URLSearchParams(form).toString() } as const
    const own = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = form === undefined ? { headers } : { ...post, headers: { ...own, ...headers } }
    const answer = await request(origin + path, sent)
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
  }
  const signIn = async (with_ = key) => {
    const { headers } = await ask('/partner/sign-in', { key: with_ })
    return { cookie: String(headers['set-cookie']).split(';')[0]! }
  }
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const call = { method: 'POST', headers: aCall(body, headers), body } as const
    await (await request(`${origin}/v1/pos/basket`, call)).body.dump()
  }
  return { ...listener, host, port, ask, signIn, send, kept, trials }
}

function aBody(venueId: string, more: object = {}): string {
  return JSON.stringify({ loyaltyId: '4711', context: { venueId, cashRegisterId: '1' }, ...more })
}

t.test('the key of a venue signs in, by a cookie that no script and no other site can use', async (t) => {
  const { ask, signIn, logText } = await aPage(t)
  t.match(await ask('/partner'), { status: 200, text: /Key of the venue/ })
  const { status, headers } = await ask('/partner/sign-in', { key: ` ${key}\n` })
  t.equal(status, 303)
  t.equal(headers['location'], '/partner')
  t.match(
    headers['set-cookie'],
    new RegExp(`^loyalty_partner=\\S+; Path=/; Max-Age=${partnerSessionS}; HttpOnly; SameSite=Strict$`),
  )
  const byTls = await ask('/partner/sign-in', { key }, { origin: 'https://127.0.0.1', host: '127.0.0.1' })
  t.match(byTls.headers['set-cookie'], /^__Host-loyalty_partner=.*; Secure$/)
  t.match(await ask('/partner', undefined, await signIn()), { status: 200, text: /Requests of <code>oslo<\/code>/ })
  const out = await ask('/partner/sign-out', {}, await signIn())
  t.match(out.headers['set-cookie'], /^loyalty_partner=; .*Max-Age=0/)
  t.notMatch(logText(), key)
})

t.test('sign-ins are ten a second, and do not delay those who are signed in', async (t) => {
  const { ask, signIn } = await aPage(t)
  const session = await signIn()
  const begunMs = performance.now()
  let refused = 0
  const guesses = Array.from({ length: 12 }, async () => {
    t.equal((await ask('/partner/sign-in', { key: 'wrong' })).status, 401)
    refused += 1
  })
  t.equal((await ask('/partner', undefined, session)).status, 200)
  t.ok(refused < 12)
  await Promise.all(guesses)
  t.ok(performance.now() - begunMs >= 1_000)
})

t.test('a flood of sign-ins takes no room of the POS, and what waits too long is refused', async (t) => {
  const { ask, send, kept, origin } = await aPage(t)
  const large = new URLSearchParams({ key: 'x'.repeat(5_000) }).toString()
  const answer = await request(`${origin}/partner/sign-in`, { method: 'POST', body: large, headers: { origin } })
  t.equal(answer.statusCode, 413)
  await answer.body.dump()
  const statuses: number[] = []
  const sendOne = async () => void statuses.push((await ask('/partner/sign-in', { key: 'x'.repeat(4_000) })).status)
  const flood = Array.from({ length: 40 }, sendOne)
  await send(aBody('oslo'))
  t.equal(kept.length, 1)
  await Promise.all(flood)
  const counts = [401, 429].map((one) => statuses.filter((status) => status === one).length)
  t.ok(counts[0]! >= 20 && counts[1]! >= 10 && counts[0]! + counts[1]! === 40, counts.join())
})

t.test('no other key and no other session is taken', async (t) => {
  const { ask, signIn } = await aPage(t)
  const foreign = partnerKey('another-root-key-0123456789abcdef', 'oslo')
  for (const wrong of ['', '.', 'oslo', secret, foreign, key.slice(0, -1), key.replace('oslo', 'rome'), `x${key}`]) {
    const refused = await ask('/partner/sign-in', { key: wrong })
    t.match(refused, { status: 401, text: /not the key of a venue/ }, wrong)
    t.equal(refused.headers['set-cookie'], undefined)
  }
  const { cookie } = await signIn()
  const [name, session = ''] = cookie.split('=')
  const [venue, endsAt, mac] = session.split('.')
  const rome = Buffer.from('rome').toString('base64url')
  for (const wrong of ['', '..', key, `${rome}.${endsAt}.${mac}`, `${venue}.${Number(endsAt) + 1}.${mac}`]) {
    const shown = await ask('/partner', undefined, { cookie: `${name}=${wrong}` })
    t.match(shown.text, /Key of the venue/, wrong)
  }
  t.equal((await ask(`/partner/${randomUUID()}`)).status, 401)
})

t.test('a session outlives the process, and ends after 12 hours', async (t) => {
  const { signIn } = await aPage(t)
  const headers = await signIn()
  const next = await aPage(t)
  t.match((await next.ask('/partner', undefined, headers)).text, /Requests of/)
  const later = await aPage(t, {}, { nowMs: () => Date.now() + partnerSessionS * 1_000 })
  t.match((await later.ask('/partner', undefined, headers)).text, /Key of the venue/)
})

t.test('a venue sees its own requests: body, answer, field, time; and no signature', async (t) => {
  const { ask, signIn, send, kept } = await aPage(
    t,
    {},
    {
      useCases: {
        async calculateBasket({ body, onRead }) {
          const { context } = JSON.parse(Buffer.from(body).toString())
          onRead?.({ ...context, loyaltyId: null })
          const details = { field: 'lines[3].noDiscount', expected: 'true', received: 'nothing', faults: [] }
          return { kind: 'refused', code: 'invalid_request', message: 'wrong', details }
        },
        recordSale: async () => ({ kind: 'unavailable', cause: 'deadline', retryAfterS: 1 }),
      },
    },
  )
  await send(aBody('oslo', { note: script }))
  await send(aBody('rome', { note: 'of rome' }))
  await send(aBody('oslo'), { 'pos-signature': `t=1,v1=${'0'.repeat(64)}` })
  await send('no json')
  t.same(
    kept.map(({ venueId, request }) => [venueId, request.isSigned, request.status]),
    [
      ['oslo', false, 401],
      ['rome', true, 400],
      ['oslo', true, 400],
    ],
  )
  const session = await signIn()
  const { text } = await ask('/partner', undefined, session)
  t.match(text, /400 invalid_request<\/span><\/td><td><code>lines\[3\]\.noDiscount/)
  t.match(text, /401 invalid_signature/)
  t.equal(text.match(/href="\/partner\//g)?.length, 2)
  const [, oslo] = kept.filter(({ venueId }) => venueId === 'oslo')
  const shown = await ask(`/partner/${oslo!.request.id}`, undefined, session)
  t.match(shown.text, '&lt;script&gt;alert(1)&lt;/script&gt;&lt;/textarea&gt;')
  t.notMatch(shown.text, /<script|v1=/)
  t.match(shown.text, '&quot;received&quot;: &quot;nothing&quot;')
  const [rome] = kept.filter(({ venueId }) => venueId === 'rome')
  t.equal((await ask(`/partner/${rome!.request.id}`, undefined, session)).status, 404)
  t.equal((await ask(`/partner/${rome!.request.id}`, { body: '{}' }, session)).status, 404)
})

t.test('long bodies and answers are cut', async (t) => {
  const { send, kept } = await aPage(t)
  await send(aBody('oslo', { note: 'ø'.repeat(60_000) }))
  const { isCut, body, answer } = kept[0]!.request
  t.ok(isCut)
  for (const text of [body, answer]) t.equal(Buffer.byteLength(text), textBytesMax)
})

t.test('a request is tried as another member, at another time, and with another body', async (t) => {
  const { ask, signIn, send, kept, trials } = await aPage(t)
  await send(aBody('oslo'))
  const session = await signIn()
  const path = `/partner/${kept[0]!.request.id}`
  const tried = await ask(path, { body: aBody('oslo', { note: script }), loyaltyId: '42', time: 'now' }, session)
  t.match(tried, { status: 200, text: /It would be answered 200/ })
  t.match(tried.text, '&quot;status&quot;: &quot;tried&quot;')
  t.notMatch(tried.text, /<script/)
  t.match(trials[0], { endpoint: 'basket', venueId: 'oslo' })
  t.match(JSON.parse(trials[0]!.body), { loyaltyId: '42', requestedAt: 'now', note: script })
  await ask(path, { body: 'no json', loyaltyId: '42', time: '' }, session)
  t.equal(trials[1]!.body, 'no json')
  const before = kept.length
  t.equal(before, 1, 'a trial is not kept')
})

t.test('discrepancies are shown, and a ledger out of reach is a 503', async (t) => {
  const sale = {
    recordedAt: 0,
    discrepancies: ['paid_total_mismatch'],
    status: 'applied',
    paidTotal: 5,
    calculationId: 'c-1',
  }
  const asked: string[] = []
  const { ask, signIn } = await aPage(t, {
    async listDiscrepancies(venueId) {
      asked.push(venueId)
      if (asked.length > 1) throw new StoreFault('ledger', 'unreachable')
      return [sale as unknown as InspectedSale]
    },
  })
  const session = await signIn()
  t.match(await ask('/partner', undefined, session), { status: 200, text: /paid_total_mismatch<.*c-1/ })
  t.equal((await ask('/partner', undefined, session)).status, 503)
  t.same(asked, ['oslo', 'oslo'])
})

t.test('forms come only from the page, and its policy lets nothing run', async (t) => {
  const { ask, signIn, origin } = await aPage(t)
  const session = await signIn()
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign)
    t.equal((await ask('/partner/sign-in', { key }, headers)).status, 400, JSON.stringify(headers))
  const bare = await request(`${origin}/partner/sign-in`, { method: 'POST', body: `key=${key}` })
  t.equal(bare.statusCode, 400)
  await bare.body.dump()
  const large = await ask('/partner/sign-in', { key: 'x'.repeat(300_000) }).catch(() => ({ status: 413 }))
  t.equal(large.status, 413)
  t.equal((await request(`${origin}/partner`, { method: 'PUT' })).statusCode, 405)
  const { headers } = await ask('/partner', undefined, session)
  t.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'; .*form-action 'self'; frame-anc/)
  t.equal(headers['cache-control'], 'no-store')
  t.equal(headers['x-frame-options'], 'DENY')
  t.equal(headers['referrer-policy'], 'same-origin')
})

t.test('where it is off there is no page, no link, and no body is kept', async (t) => {
  const { origin } = await aListener(t)
  for (const path of ['/partner', '/partner/sign-in']) {
    const { statusCode, body } = await request(origin + path, { method: 'POST' })
    t.equal(statusCode, 404)
    await body.dump()
  }
  const links = (await (await request(origin)).body.json()) as object
  t.notOk('partner' in links)
  const on = await aPage(t)
  t.match(await (await request(on.origin)).body.json(), { partner: '/partner' })
})
