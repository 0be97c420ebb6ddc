import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { createBytesMax } from '../../../gateway/internal/call-limits.js'
import { createInternalListener } from '../../../gateway/internal/listener.js'
import { createLog } from '../../../gateway/telemetry/log.js'
import { createMetrics } from '../../../gateway/telemetry/metrics.js'
import { aCertificate } from '../config/a-certificate.js'
import { aListener } from './a-listener.js'

interface Finding {
  readonly id: string
  readonly severity: string
  readonly finding: string
}

const run = promisify(execFile)
const testssl = ['testssl', 'testssl.sh'].find((name) => spawnSync(name, ['--version']).error === undefined)

t.setTimeout(900_000)

/** Listens until the test ends. */
async function restPort(t: Test): Promise<number> {
  return (await aListener(t, { certificate: await aCertificate(t) })).port
}

async function internalPort(t: Test): Promise<number> {
  const listener = createInternalListener({
    address: { host: '127.0.0.1', port: 0 },
    certificate: await aCertificate(t),
    bytesMaxOf: createBytesMax(262_144),
    tokens: [],
    routes() {},
    readiness: () => ({ ready: true, parts: {} }),
    metrics: createMetrics(),
    tracing: null,
    log: createLog('silent'),
  })
  t.teardown(() => listener.close())
  return (await listener.listen()).port
}

/** The findings of testssl.sh, except on the certificate, which is one of the tests'. */
async function findings(t: Test, port: number, looks: readonly string[]): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lps-testssl-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'found.json')
  const quiet = ['--quiet', '--color', '0', '--warnings', 'off', '--ip', '127.0.0.1', '--jsonfile', file]
  // Its exit code counts lower ratings, which the tests check themselves.
  await run(testssl!, [...quiet, ...looks, `127.0.0.1:${port}`]).catch(() => {})
  const found = JSON.parse(readFileSync(file, 'utf8')) as Finding[]
  return found.filter(({ id }) => !/^(cert|DNS_CAA|OCSP|scanTime)/.test(id))
}

const offered: readonly (readonly [string, RegExp])[] = [
  ...['SSLv2', 'SSLv3', 'TLS1', 'TLS1_1'].map((id) => [id, /^not offered/] as const),
  ['TLS1_2', /^offered/],
  ['TLS1_3', /^offered/],
  ...['NULL', 'aNULL', 'EXPORT', 'LOW', '3DES_IDEA', 'AVERAGE'].map(
    (id) => [`cipherlist_${id}`, /^not offered/] as const,
  ),
  ['cipherlist_STRONG', /^offered/],
  ['PFS', /^offered/],
]

t.test('testssl.sh finds only TLS 1.2 and 1.3 with strong suites, and no weakness', async (t) => {
  if (testssl === undefined) {
    t.comment('no testssl.sh here: TLS is looked at by other tests only')
    return
  }
  const rows: [string, number, string[], RegExp][] = [
    ['REST', await restPort(t), ['-p', '-s', '-f', '-U'], /^ALPN http\/1\.1$/],
    ['internal', await internalPort(t), ['-p', '-s', '-f'], /HTTP2|h2/],
  ]
  for (const [name, port, looks, alpn] of rows) {
    const found = await findings(t, port, looks)
    const of = (id: string) => found.filter((each) => each.id === id).map(({ finding }) => finding)
    for (const [id, expected] of offered) t.match(of(id).join(), expected, `${name}: ${id}`)
    const protocols = found.filter(({ id }) => id.startsWith('ALPN')).map(({ id, finding }) => `${id} ${finding}`)
    t.match(protocols.join(), alpn, `${name}: ALPN`)
    const bad = found.filter(({ severity }) => !['OK', 'INFO'].includes(severity))
    t.same(
      bad.map(({ id, severity, finding }) => `${id} ${severity}: ${finding}`),
      [],
      `${name}: no weakness`,
    )
    t.comment(`${name}: ${found.length} findings, ${bad.length} of them bad`)
  }
})

t.test('openssl s_client gets TLS 1.2 and 1.3, and nothing older', async (t) => {
  const port = await restPort(t)
  const shake = async (...options: string[]) => {
    const words = ['s_client', '-connect', `127.0.0.1:${port}`, '-brief', ...options]
    const ending = run('openssl', words)
    ending.child.stdin!.end()
    return await ending.then(
      ({ stderr }) => /Protocol version: (\S+)/.exec(stderr)?.[1] ?? stderr,
      () => 'refused',
    )
  }
  const weak = ['-cipher', 'ALL:@SECLEVEL=0']
  t.equal(await shake('-tls1_3'), 'TLSv1.3')
  t.equal(await shake('-tls1_2'), 'TLSv1.2')
  t.equal(await shake('-tls1_1', ...weak), 'refused')
  t.equal(await shake('-tls1', ...weak), 'refused')
  t.equal(await shake('-tls1_2', '-cipher', 'AES128-SHA:AES256-SHA:ECDHE-ECDSA-AES128-SHA'), 'refused')
  t.equal(await shake('-alpn', 'http/1.1'), 'TLSv1.3')
  t.equal(await shake('-alpn', 'h2'), 'refused')
})
