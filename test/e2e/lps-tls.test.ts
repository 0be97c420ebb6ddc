import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { certificateFiles } from '../gateway/config/a-certificate.js'
import { lpsFolder } from './run-lps.js'
import { type RunningService, startService } from './service.js'

const { folder, run: lps } = lpsFolder(t)
writeFileSync(join(folder, 'sale.json'), JSON.stringify({ calculationId: 'a' }))
t.setTimeout(300_000)

/** Ways of `lps` to call a service: gRPC, and REST by fetch and by a request of its own. */
const ways = {
  call: (url: string) => ['call', 'AccessService/GetAccess', '--internal', url, '--token', 'x'],
  check: (url: string) => ['check', url, '--secret', 'x'],
  send: (url: string) => ['send', 'sale.json', '--url', url, '--secret', 'x'],
}

async function saidBy(way: keyof typeof ways, url: string, ...more: readonly string[]): Promise<string> {
  const { out, err } = await lps(...ways[way](url), ...more)
  return out + err
}

async function listen(t: Test, server: Server, host = '127.0.0.1'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  return `${host}:${(server.address() as AddressInfo).port}`
}

/** A server with this certificate that answers nothing. */
function serverWith(t: Test, { certFile, keyFile }: { certFile: string; keyFile: string }, host?: string) {
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  return listen(t, createSecureServer({ ...pair, allowHTTP1: true }), host)
}

/** A self-signed certificate that ended in 2020. */
async function endedCertificate() {
  const [certFile, keyFile, request, config] = ['cert', 'key', 'csr', 'cnf'].map((name) =>
    join(folder, `ended.${name}`),
  )
  const openssl = (...words: string[]) => promisify(execFile)('openssl', words, { cwd: folder })
  writeFileSync(
    config!,
    `[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n`,
  )
  writeFileSync(join(folder, 'index.txt'), '')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile!]
  await openssl('req', '-new', ...key, '-subj', '/CN=127.0.0.1', '-out', request!)
  const dates = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z']
  const files = ['-config', config!, '-keyfile', keyFile!, '-in', request!, '-out', certFile!]
  await openssl('ca', '-batch', '-notext', '-selfsign', ...dates, ...files)
  return { certFile: certFile!, keyFile: keyFile! }
}

t.test('with --ca every command accepts a service of an own authority, and without it says why not', async (t) => {
  const { certFile, keyFile } = await certificateFiles(t)
  const env = { LOYALTY_TLS_CERT: certFile, LOYALTY_TLS_KEY: keyFile, LOYALTY_TOKENS: 'admin:token-of-an-admin' }
  const service: RunningService = await startService({ env })
  t.teardown(() => service.stop())
  const access = ['call', 'AccessService/GetAccess', '--internal', service.internalUrl, '--token', 'token-of-an-admin']
  t.match(await lps(...access, '--ca', certFile), { code: 0 })
  t.match(await lps(`--ca=${certFile}`, ...access), { code: 0 }, 'before the command too')
  t.match(await lps(...access, '--none', '--ca', certFile), { code: 2 }, 'and the exit code is that of the command')
  t.match(await lps('check', service.url, '--secret', 'wrong', '--ca', certFile), { err: /invalid_signature/ })
  t.match(await lps('send', 'sale.json', '--url', service.url, '--secret', 'wrong', '--ca', certFile), {
    out: /invalid_signature/,
  })
  const signed = await lps('sign', 'sale.json', '--url', service.url, '--secret', 'x', '--ca', certFile)
  t.match(signed.out, `--cacert '${certFile}'`)
  t.match(await lps('call', 'AccessService/GetAccess', '--internal', service.url, '--token', 'x', '--ca', certFile), {
    err: /not that of REST/,
  })
  for (const said of [
    await saidBy('check', service.url),
    await saidBy('send', service.url),
    (await lps(...access)).err,
  ]) {
    t.match(said, /its certificate is self-signed: .*--ca/)
    t.notMatch(said, /Is it running/)
  }
  t.match(await lps(...access, '--ca', keyFile), { code: 2, err: /^--ca: expected a file of PEM certificates/ })
  t.match(await lps('check', '--ca'), { code: 2, err: /^--ca: expected a file of PEM certificates/ })
})

t.test('an ended certificate, one of another host, and a port without TLS or with it are named', async (t) => {
  const ended = await endedCertificate()
  const good = await certificateFiles(t)
  const plain = await listen(t, createHttp())
  const endedUrl = `https://${await serverWith(t, ended)}`
  const elsewhere = `https://${await serverWith(t, good, '127.0.0.2')}`
  const rows: [what: string, said: Promise<string>, expected: RegExp][] = [
    ['ended', saidBy('call', endedUrl, '--ca', ended.certFile), /its certificate has expired/],
    ['ended', saidBy('check', endedUrl, '--ca', ended.certFile), /its certificate has expired/],
    ['ended', saidBy('send', endedUrl, '--ca', ended.certFile), /its certificate has expired/],
    [
      'another host',
      saidBy('check', elsewhere, '--ca', good.certFile),
      /its certificate is for another host \(.*127\.0\.0\.2/,
    ],
    ['no TLS', saidBy('send', `https://${plain}`), /it does not speak TLS: name it with http:/],
    ['TLS', saidBy('call', `http://${await serverWith(t, good)}`), /If it speaks TLS, name it with https:/],
  ]
  for (const [what, said, expected] of rows) {
    const text = await said
    t.match(text, expected, what)
    // A server that ends a plain connection may also be starting.
    if (what !== 'TLS') t.notMatch(text, /Is it running/, what)
  }
})
