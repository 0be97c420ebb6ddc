import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { signatureOf } from '../../../gateway/background/send-webhook.js'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly id: string
  readonly timestamp: number
  readonly body: string
  readonly bodyBase64: string
  readonly signature: string
}

const root = join(import.meta.dirname, '..', '..', '..', '..')
const file = join(root, 'gateway', 'pos', 'pages', 'signature-vectors.json')
const { webhooks } = JSON.parse(readFileSync(file, 'utf8')) as { readonly webhooks: readonly Vector[] }

t.test('the service signs each so, and the library of Standard Webhooks the same', (t) => {
  t.equal(webhooks.length, 4)
  for (const { name, secret, id, timestamp, body, bodyBase64, signature } of webhooks) {
    const bytes = Buffer.from(bodyBase64, 'base64')
    t.equal(bytes.toString(), body, name)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    t.equal(signatureOf(key, { id, timestamp: String(timestamp), body: bytes }), signature, name)
    t.equal(new Webhook(secret).sign(id, new Date(timestamp * 1_000), body), signature, name)
  }
  t.end()
})
