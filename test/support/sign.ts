import { createHmac } from 'node:crypto'

/** The `v1` of a POS-Signature (contract 5), computed apart from product and clients: hex HMAC-SHA256 over `t.body`. */
export function signatureOf(secret: string | Uint8Array, t: number | string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
}
