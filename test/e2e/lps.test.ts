import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createProgram } from '../../clients/lps/program.js'
import { lpsFolder } from './run-lps.js'
import { startService } from './service.js'

const { folder, run: lps } = lpsFolder(t)

const service = await startService({ env: { LOYALTY_DEADLINE_MS: '10000', LOYALTY_TOKENS: 'admin:token-of-an-admin' } })
t.teardown(() => service.stop())

t.test('commands and groups explain themselves, and a wrong word gets a hint', async (t) => {
  const overview = await lps()
  t.match(overview, { code: 0, err: '' })
  const program = createProgram()
  const listed = (text: string) => [...text.matchAll(/^ {2}([a-z][a-z-]*) .* {2,}\S/gm)].map(([, name]) => name!)
  t.strictSame(
    listed(overview.out),
    program.commands.map((command) => command.name()),
  )
  for (const words of [['import'], ['help', 'import']]) {
    const { code, out, err } = await lps(...words)
    t.same([code, err], [0, ''], words.join(' '))
    t.strictSame(listed(out), ['members', 'balances', 'codes', 'prices'])
  }
  const explained = await lps('help', 'import', 'prices')
  t.match(explained, { code: 0, out: /^Usage: lps import prices \[options\] <file>\n/, err: '' })
  t.equal((await lps('import', 'prices', '--help')).out, explained.out)
  t.match(await lps('chekc'), { code: 2, out: '', err: /^lps: unknown command "chekc"; expected one of call, / })
  t.match(await lps('help', 'chekc'), { code: 2, out: '', err: /^lps: unknown command "chekc"; / })
  t.match(await lps('import', 'price'), {
    code: 2,
    err: /^lps import: unknown command "price"; expected one of members, /,
  })
  t.match(await lps('check', '--url', service.url, '--sceret', 'x'), {
    code: 2,
    err: "unknown option '--sceret' (Did you mean --secret?)\nlps check --help explains it\n",
  })
  t.match(await lps('check', service.url), { code: 2, err: /no secret in .*--secret-file/ })
  t.match(await lps('sign', 'nothing.json', '--secret', 'x'), { code: 2, err: /nothing\.json: .*ENOENT/ })
})

t.test('the start names each address as lps does', (t) => {
  t.match(service.output.join('\n'), /^listening on \S+ \(lps: --url\)$/m)
  t.match(service.output.join('\n'), /^internal on \S+ \(lps: --internal\)$/m)
  t.end()
})

t.test('lps, the start, `GET /` and SystemService name one version and commit', async (t) => {
  const { code, out } = await lps('--version')
  t.equal(code, 0)
  const [, version, commit] = /^lps (\d+\.\d+\.\d+) \(([0-9a-f]{12}(?:-dirty)?|unknown)\)\n$/.exec(out) ?? []
  t.equal(
    version,
    JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8')).version,
  )
  t.match(service.output.join('\n'), `Loyalty Partner Service ${version} (${commit}), staging;`)
  for (const url of [service.url, service.internalUrl]) {
    t.match(await (await fetch(`${url}/`)).json(), { service: 'Loyalty Partner Service', version, commit })
    const page = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text()
    t.match(page, `version ${version}, commit ${commit}.`)
  }
})

t.test('a new secret is long, and never the same', async (t) => {
  const [one, two] = await Promise.all([lps('secret', 'new'), lps('secret', 'new')])
  t.match(one.out, /^[0-9a-f]{64}\n$/)
  t.not(one.out, two.out)
})

t.test('the service accepts what sign prints', async (t) => {
  const sale = {
    calculationId: randomUUID(),
    status: 'cancelled',
    currency: 'NOK',
    occurredAt: '2026-11-21T10:00:00Z',
    context: { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' },
  }
  writeFileSync(join(folder, "it's.json"), JSON.stringify(sale))
  const { out } = await lps('sign', "it's.json", '--url', service.url, '--secret', service.secret)
  const answer = await new Promise((resolve) => {
    execFile('sh', ['-c', out], { cwd: folder }, (_error, text) => resolve(JSON.parse(text)))
  })
  t.same(answer, { calculationId: sale.calculationId, result: 'unknown_calculation' })
})

t.test('check finds that our own service fulfils the contract', async (t) => {
  const { code, out, err } = await lps('check', service.url, '--secret', service.secret, '--junit', 'out.xml')
  t.equal(
    code,
    0,
    out
      .split('\n')
      .filter((line) => !line.startsWith('holds'))
      .join('\n'),
  )
  t.match(err, /^(\d+) of \1 hold/)
  const junit = readFileSync(join(folder, 'out.xml'), 'utf8')
  t.equal(junit.match(/<testcase /g)?.length, out.match(/^holds /gm)?.length)
  t.notOk(junit.includes('<failure'))
})

t.test('check names all that a proxy in front of the service breaks', async (t) => {
  const rows: [what: string, spoil: Spoil, broken: RegExp][] = [
    [
      'a cent too many',
      (text) => text.replace('"net":11000', '"net":11001'),
      /TEST-20-PERCENT.*\n +schema and arithmetic identities/,
    ],
    [
      'replays that do not say so',
      (text, headers) => changed(text, headers, 'idempotent-replayed', 'false'),
      /Idempotent-Replayed/,
    ],
    ['errors without a field', (text) => text.replace(/"field":"[^"]*"/, '"field":""'), /error\.details\.field/],
    ['digits that change', (text) => text.replace('1.10', '1.1'), /digit for digit/],
    ['no request id', (text, headers) => changed(text, headers, 'x-request-id', 'none'), /X-Request-Id/],
    ['sales that are never recorded', (text) => text.replace('"recorded"', '"duplicate"'), /a sale of every status/],
  ]
  // A check ends with its first fault: every answer without its request id hides others.
  for (const some of [rows.slice(0, 3), rows.slice(3)]) {
    const url = await spoilt(t, (text, headers) => some.reduce((sent, [, spoil]) => spoil(sent, headers), text))
    const { code, out } = await lps('check', url, '--secret', service.secret)
    t.equal(code, 1)
    for (const [what, , broken] of some) t.match(out, broken, what)
    t.match(out, /^holds /m)
  }
})

t.test('check reports a service that does not answer', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const { code, out, err } = await lps('check', `http://127.0.0.1:${port}`, '--secret', 'x')
  t.equal(code, 2)
  t.match(err, /no answer \(.*ECONNREFUSED.*\); nothing was checked/)
  t.equal(out, '')
})

t.test('check stops with one line where a wrong secret, venue or currency prevents every check', async (t) => {
  const rows: [string[], RegExp][] = [
    [['--secret', 'wrong'], /the secret is not one of the deployment \(invalid_signature\)/],
    [['--secret', service.secret, '--venue', 'nowhere'], /no such venue .*--venue and --bax/],
    [['--secret', service.secret, '--currency', 'EUR'], /not the currency of the venue/],
  ]
  for (const [words, expected] of rows) {
    const { code, out, err } = await lps('check', service.url, ...words)
    t.equal(code, 2)
    t.match(err, expected)
    t.equal(err.trim().split('\n').length, 1)
    t.equal(out, '')
  }
})

function changed(text: string, headers: Headers, name: string, value: string): string {
  if (headers[name] !== undefined) headers[name] = value
  return text
}

type Headers = IncomingMessage['headers']
type Spoil = (text: string, headers: Headers) => string

/** The service behind a proxy that changes its answers. */
async function spoilt(t: Test, spoil: Spoil): Promise<string> {
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, headers } = incoming
    const onward = request(`${service.url}${incoming.url}`, { method, headers }, async (answer) => {
      const parts: Buffer[] = []
      for await (const part of answer) parts.push(part as Buffer)
      const text = spoil(Buffer.concat(parts).toString(), answer.headers)
      delete answer.headers['content-length']
      outgoing.writeHead(answer.statusCode!, answer.headers).end(text)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
