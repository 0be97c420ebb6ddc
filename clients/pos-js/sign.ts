import { createHmac } from 'node:crypto'

/** The POS-Signature of a body (contract 5): HMAC-SHA256 over the moment, a full stop and the bytes that are sent. */
export function signBody(body: string | Uint8Array, secret: string, moment: Date): string {
  const seconds = Math.floor(moment.getTime() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
  return `t=${seconds},v1=${signature}`
}
