import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'

/** Requests of a receiver. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An HTTP server that takes webhooks. */
export async function aReceiver(t: Test, answer: (response: ServerResponse, received: Received) => void = ok) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const each = { headers: request.headers, body: Buffer.concat(chunks).toString() }
      received.push(each)
      answer(response, each)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/events`, port, received, close }
}

export function ok(response: ServerResponse): void {
  response.writeHead(204).end()
}

/** The content of a webhook, checked by the library of Standard Webhooks. */
export function verified({ headers, body }: Received, secret: Uint8Array) {
  const webhook = new Webhook(`whsec_${Buffer.from(secret).toString('base64')}`)
  return webhook.verify(body, headers as Record<string, string>) as {
    readonly type: string
    readonly timestamp: string
    readonly data: { readonly memberId?: string; readonly amount: number }
  }
}
