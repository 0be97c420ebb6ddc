import http from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Sends requests of a POS; `fetch` is one implementation. */
export type Send = (url: string, request: Sending) => Promise<Response>

export interface Sending {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** A library that sends a request again by itself when a kept connection ends before the answer, as those of Go and libcurl do. */
export function createRepeatingLibrary({ keepsConnections }: { readonly keepsConnections: boolean }): Send {
  const agent = new http.Agent({ keepAlive: keepsConnections })
  return async function send(url, sending): Promise<Response> {
    const { method, headers, body, signal } = sending
    const request = http.request(url, { method, headers, signal, agent })
    try {
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        request.once('response', resolve).on('error', reject).end(body)
      })
      const status = response.statusCode!
      return new Response(await buffer(response), { status, headers: response.headers as Record<string, string> })
    } catch (error) {
      if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') return send(url, sending)
      throw signal.aborted ? signal.reason : error
    }
  }
}
