import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { runningBuild } from '../../gateway/config/build.js'
import { createEntryPage } from '../../gateway/listeners/entry-page.js'
import { openDocs } from '../../gateway/listeners/static-files.js'
import { sharedDocuments } from '../../gateway/pos/pages/pages.js'
import { aListener as anInternalListener } from './internal/a-listener.js'
import { aListener as aRestListener } from './pos/a-listener.js'

const settings = { bodyBytesMax: 1_000, linesMax: 7, deadlineMs: 99, posReturns: true }
const root = join(import.meta.dirname, '..', '..', '..')

async function internal(t: Test, docs = openDocs('internal')) {
  const entry = createEntryPage({
    environment: 'production',
    links: { docs: { path: '/docs', about: 'Documentation' } },
    venues: null,
  })
  return await anInternalListener(t, {
    documents: { docs, entry, json: sharedDocuments(settings) },
  })
}

async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await request(url, { headers })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

/** The pages and assets reachable from /docs by links. */
async function walk(t: Test, origin: string) {
  const pages = new Map<string, string>()
  const assets = new Set<string>()
  const queue = ['/docs']
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue
    const { status, text, headers } = await get(origin + path)
    t.equal(status, 200, path)
    pages.set(path, text)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    for (const [, link] of text.matchAll(/ href="(\/[^"#]*)/g)) {
      if (link!.startsWith('/docs/assets/')) assets.add(link!)
      else queue.push(link!)
    }
    for (const [, source] of text.matchAll(/ src="([^"]*)"/g)) assets.add(source!)
  }
  return { pages, assets }
}

function idsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!))
}

for (const edition of ['public', 'internal'] as const) {
  t.test(`every link of the ${edition} site leads to a page, a heading or an asset of it`, async (t) => {
    const { origin } = edition === 'public' ? await aRestListener(t, settings) : await internal(t)
    const { pages, assets } = await walk(t, origin)
    t.ok(pages.size > 4 && assets.size > 4, `${pages.size} pages, ${assets.size} assets`)
    for (const [path, html] of pages) {
      for (const [, target = '', anchor] of html.matchAll(/ href="([^"#]*)#([^"]*)"/g)) {
        if (/^https?:/.test(target)) continue
        t.ok(idsIn(pages.get(target === '' ? path : target) ?? '').has(anchor!), `${path}: ${target}#${anchor}`)
      }
      t.notMatch(
        html.replaceAll(/<code>[\s\S]*?<\/code>|<pre[\s\S]*?<\/pre>/g, ''),
        /undefined|\[object|\{\{|!\[/,
        path,
      )
      t.notMatch(html, /<style| style=| on\w+=| src="(?!\/docs\/assets\/)/, path)
    }
    for (const path of assets) {
      const { status, headers } = await get(origin + path)
      t.equal(status, 200, path)
      t.match(headers['cache-control'], /immutable/, path)
    }
  })
}

t.test('every markdown page of the docs is a page of the internal site', async (t) => {
  const { origin } = await internal(t)
  const { pages } = await walk(t, origin)
  const files = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  for (const file of files) {
    const title = /^# (.+)$/m.exec(readFileSync(join(root, 'docs', file), 'utf8'))![1]!
    const path = `/docs/${file.replace(/\.md$/, '')}`
    t.equal((await get(origin + path)).status, 200, `${path}: ${title}`)
    t.ok(pages.has(path), `${path} is linked`)
  }
})

t.test('whoever may only reach the partner address reads what is for a POS, and nothing else', async (t) => {
  const { origin } = await aRestListener(t)
  for (const path of ['/docs', '/docs/', '/docs/integration', '/docs/contract'])
    t.equal((await get(origin + path)).status, 200, path)
  for (const path of [
    '/docs/readme',
    '/docs/runbook',
    '/docs/operations',
    '/docs/decisions',
    '/docs/../package.json',
    '/docs/x',
  ])
    t.equal((await get(origin + path)).status, 404, path)
  t.equal((await request(`${origin}/docs/integration`, { method: 'POST' })).statusCode, 405)
})

t.test('a page is asked for again by its tag, and its policy lets nothing else in', async (t) => {
  for (const { origin } of [await aRestListener(t), await internal(t)]) {
    const { headers } = await get(`${origin}/docs/integration`)
    t.equal(headers['cache-control'], 'no-cache')
    t.match(
      headers['content-security-policy'],
      /^default-src 'none'; script-src 'self' 'sha256-[^;]*; style-src 'self'; /,
    )
    t.notMatch(headers['content-security-policy'], /unsafe/)
    t.equal(headers['x-content-type-options'], 'nosniff')
    t.equal(headers['referrer-policy'], 'no-referrer')
    const tag = String(headers['etag'])
    const again = await get(`${origin}/docs/integration`, { 'if-none-match': `"other", ${tag}` })
    t.same(
      [again.status, again.text, again.headers['etag'], again.headers['content-length']],
      [304, '', tag, undefined],
    )
    t.equal((await get(`${origin}/docs/integration`, { 'if-none-match': '"other"' })).status, 200)
    const head = await request(`${origin}/docs/integration`, { method: 'HEAD' })
    t.equal(head.statusCode, 200)
    t.equal(await head.body.text(), '')
  }
})

t.test('every page is served as markdown to who asks for it', async (t) => {
  for (const { origin } of [await aRestListener(t), await internal(t)]) {
    const source = readFileSync(join(root, 'docs', 'integration.md'), 'utf8')
    const asked = await get(`${origin}/docs/integration`, { accept: 'text/markdown, text/plain;q=0.5' })
    t.equal(asked.text, source)
    t.equal(asked.headers['content-type'], 'text/markdown; charset=utf-8')
    t.equal(asked.headers['vary'], 'Accept, Accept-Encoding')
    const named = await get(`${origin}/docs/integration.md`)
    t.same([named.status, named.text, named.headers['etag']], [200, source, asked.headers['etag']])
    const page = await get(`${origin}/docs/integration`, { accept: 'text/html, */*' })
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(page.headers['vary'], 'Accept, Accept-Encoding')
    const contract = await get(`${origin}/docs/contract`, { accept: 'text/markdown' })
    t.match(contract.text, /^# The contract\n/)
  }
  const { origin } = await aRestListener(t)
  for (const path of ['/docs/readme.md', '/docs.md', '/docs/runbook.md'])
    t.equal((await get(origin + path)).status, 404, path)
})

t.test('pages that are still being built are 503, and a new build is served without a restart', async (t) => {
  const built = t.testdir()
  const { origin } = await internal(t, openDocs('internal', built))
  const early = await get(`${origin}/docs/integration`)
  t.same([early.status, early.headers['retry-after']], [503, '10'])
  for (const text of ['first', 'second']) {
    const folder = join(built, 'internal')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const name of ['index.html', 'integration.html']) writeFileSync(join(folder, name), text)
    utimesSync(folder, new Date(), new Date(text === 'first' ? 1_000 : 2_000))
    t.equal((await get(`${origin}/docs/integration`)).text, text)
  }
  t.equal((await get(`${origin}/docs/nothing`)).status, 404)
})

t.test('`GET /` is JSON for machines and a page for people', async (t) => {
  const venues = [{ venueId: 'a<b', currency: 'NOK', baxIds: ['1', '2'] }]
  const { origin } = await aRestListener(t, { stagingVenues: async () => venues })
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json']) {
    const { headers, text } = await get(origin, accept === undefined ? {} : { accept })
    t.equal(headers['content-type'], 'application/json', String(accept))
    t.equal(headers['vary'], 'Accept')
    const { staging, environment, ...links } = JSON.parse(text)
    t.equal(environment, 'staging')
    t.same(staging, { loyaltyIds: ['TEST-20-PERCENT', 'TEST-UNCHANGED', 'TEST-NOT-FOUND'], venues })
    for (const path of Object.values(links).filter((link) => String(link).startsWith('/')))
      t.equal((await get(`${origin}${path}`)).status, 200, String(path))
  }
  const page = await get(origin, { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' })
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  t.match(page.headers['content-security-policy'], /^default-src 'none'/)
  t.match(page.text, '<code>a&lt;b</code>')
})

t.test('`GET /` of production shows no data, and of staging none that cannot be read', async (t) => {
  const broken = async () => {
    throw new Error('no ledger')
  }
  const production = await aRestListener(t, { environment: 'production', stagingVenues: async () => [] })
  t.notOk('staging' in JSON.parse((await get(production.origin)).text))
  const staging = await aRestListener(t, { stagingVenues: broken })
  t.same(Object.keys(JSON.parse((await get(staging.origin)).text).staging), ['loyaltyIds'])
  const inside = await internal(t)
  t.same(JSON.parse((await get(inside.origin)).text), {
    service: 'Loyalty Partner Service',
    ...runningBuild(),
    environment: 'production',
    docs: '/docs',
  })
  t.equal((await get(`${inside.origin}/openapi.json`)).status, 200)
  t.equal((await get(`${inside.origin}/docs/nothing`)).status, 404)
  t.equal((await get(`${inside.origin}/metrics`)).status, 200)
})
