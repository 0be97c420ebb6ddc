import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { signatureOf as signatureOfWebhook } from '../../../gateway/background/send-webhook.js'
import { secretForm } from '../../../gateway/config/secrets-file.js'
import { aCall, aListener } from '../../gateway/pos/a-listener.js'
import { signatureOf } from '../../support/sign.js'
import { javaOfClients, missing, pythonOfClients } from '../cases/runtimes.js'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly t: number
  readonly body: string | null
  readonly bodyBase64: string
  readonly v1: string
  readonly header: string
}

interface WebhookVector {
  readonly name: string
  readonly secret: string
  readonly id: string
  readonly timestamp: number
  readonly body: string
  readonly bodyBase64: string
  readonly signature: string
}

const root = join(import.meta.dirname, '..', '..', '..', '..')
const sources = join(root, 'test', 'clients', 'vectors')
const file = join(root, 'gateway', 'pos', 'pages', 'signature-vectors.json')
const { vectors, webhooks } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly vectors: readonly Vector[]
  readonly webhooks: readonly WebhookVector[]
}
const bytesOf = ({ bodyBase64 }: Vector) => Buffer.from(bodyBase64, 'base64')
const expected = vectors.map(({ v1 }) => v1)
const lines = vectors.map(({ secret, t, bodyBase64 }) => `${secret} ${t} ${bodyBase64}\n`).join('')

t.setTimeout(120_000)

t.test('there are ten, with odd bodies, each consistent in itself', async (t) => {
  t.equal(vectors.length, 10)
  for (const vector of vectors) {
    const { name, t: seconds, v1, body, secret } = vector
    t.equal(vector.header, `t=${seconds},v1=${v1}`, name)
    t.match(v1, /^[0-9a-f]{64}$/)
    if (body !== null) t.equal(Buffer.from(body).toString('base64'), vector.bodyBase64, name)
    t.match(secret, /^[!-~]{16,256}$/, secretForm)
  }
  const all = vectors.map((vector) => bytesOf(vector).toString('latin1'))
  for (const odd of ['{}', '', '\r\n', '\u00ef\u00bb\u00bf', '\\u00e5', '12345678901234567890', '\u00f0\u009f'])
    t.ok(
      all.some((text) => (odd === '' ? text === '' : text.includes(odd))),
      JSON.stringify(odd),
    )
  t.ok(all.some((text) => text.endsWith('}\n')) && vectors.some(({ body }) => body === null))
  t.ok(
    vectors.some(({ secret }) => /^[0-9a-f]+$/.test(secret)),
    'a secret that looks like hex',
  )
})

t.test(
  'OpenSSL signs them so',
  { skip: await missing({ command: ['openssl', 'version'], packages: 'openssl' }) },
  async (t) => {
    const signed = join(t.testdir(), 'signed')
    const got = vectors.map((vector) => {
      writeFileSync(signed, Buffer.concat([Buffer.from(`${vector.t}.`), bytesOf(vector)]))
      return execFileSync('openssl', ['dgst', '-sha256', '-hmac', vector.secret, signed], { encoding: 'utf8' })
        .trim()
        .slice(-64)
    })
    t.same(got, expected)
  },
)

t.test('Python signs them so', { skip: await missing(pythonOfClients) }, async (t) => {
  await signsAll(t, ['python3', join(sources, 'sign_vectors.py')])
})

t.test('Java signs them so', { skip: await missing(javaOfClients) }, async (t) => {
  await signsAll(t, ['java', '--source', '11', join(sources, 'SignVectors.java')])
})

async function signsAll(t: Test, [program, ...words]: readonly [string, ...string[]]): Promise<void> {
  const said = execFileSync(program, words, { input: lines, encoding: 'utf8' })
  t.same(said.trim().split(/\s+/), expected)
}

t.test('the service takes each, and refuses it with one bit of the body or the secret changed', async (t) => {
  for (const vector of vectors) {
    const body = bytesOf(vector)
    const server = await aListener(t, {
      secrets: () => [Buffer.from(vector.secret)],
      nowMs: () => vector.t * 1_000,
    })
    const send = async (bytes: Buffer, header: string) => {
      const headers = aCall(bytes, { 'pos-signature': header })
      const answer = await request(`${server.origin}/v1/pos/sale`, { method: 'POST', headers, body: bytes })
      await answer.body.dump()
      return answer.statusCode
    }
    t.equal(await send(body, vector.header), 200, vector.name)
    t.equal(await send(Buffer.concat([body, Buffer.from(' ')]), vector.header), 401, `${vector.name}: a space more`)
    const asHex = signatureOf(Buffer.from(vector.secret, 'hex'), vector.t, body)
    t.equal(await send(body, `t=${vector.t},v1=${asHex}`), 401, `${vector.name}: the secret is text, not hex`)
  }
})

t.test('they are served', async (t) => {
  const server = await aListener(t)
  const { statusCode, headers, body } = await request(`${server.origin}/signature-vectors.json`)
  t.equal(statusCode, 200)
  t.equal(headers['content-type'], 'application/json')
  t.same(await body.json(), JSON.parse(readFileSync(file, 'utf8')))
})

t.test('the service signs each webhook so, and the library of Standard Webhooks the same', (t) => {
  t.equal(webhooks.length, 4)
  for (const { name, secret, id, timestamp, body, bodyBase64, signature } of webhooks) {
    const bytes = Buffer.from(bodyBase64, 'base64')
    t.equal(bytes.toString(), body, name)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    t.equal(signatureOfWebhook(key, { id, timestamp: String(timestamp), body: bytes }), signature, name)
    t.equal(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body), signature, name)
  }
  t.end()
})
