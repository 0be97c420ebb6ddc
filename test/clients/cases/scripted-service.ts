import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSigned } from '../fake-service.js'

/** What a scripted service does with one request, as `clients/cases/cases.json` says it. */
export interface ScriptedAnswer {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly delayMs?: number
  /** After half of the body: nothing more, byte by byte, or the end of the connection. */
  readonly half?: 'silence' | 'drip' | 'cut'
  /** The connection ends before an answer. */
  readonly cut?: boolean
  /** In place of HTTP. */
  readonly raw?: string
}

export interface SeenRequest {
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly body: string
  readonly isSigned: boolean
  readonly idempotencyKey: string
  readonly requestId: string
  readonly contentType: string
}

export interface ScriptedService {
  readonly url: string
  readonly seen: readonly SeenRequest[]
  close(): Promise<void>
}

/** Answers requests in turn, then with the last answer; without answers nobody listens at the address. */
export async function createScriptedService(
  secret: string,
  answers: readonly ScriptedAnswer[],
): Promise<ScriptedService> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers, socket } = request
    const body = await bodyOf(request)
    seen.push({
      atMs: performance.now(),
      method,
      path,
      body: body.toString(),
      isSigned: isSigned(String(headers['pos-signature']), body, secret),
      idempotencyKey: String(headers['idempotency-key']),
      requestId: String(headers['x-request-id']),
      contentType: String(headers['content-type']),
    })
    const answer = answers[Math.min(seen.length, answers.length) - 1]!
    if (answer.cut === true) socket.destroy()
    else if (answer.raw !== undefined) socket.end(answer.raw)
    else await give(response, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  if (answers.length === 0) await close()
  return { url, seen, close: answers.length === 0 ? async () => {} : close }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

async function give(response: ServerResponse, { status = 200, headers, body, delayMs, half }: ScriptedAnswer) {
  if (delayMs !== undefined) await sleep(delayMs)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  })
  if (half === undefined) return response.end(body)
  const bytes = Buffer.from(body)
  response.write(bytes.subarray(0, bytes.length >> 1))
  if (half === 'cut') await sleep(20)
  if (half === 'cut') return response.destroy()
  for (let at = bytes.length >> 1; half === 'drip' && at < bytes.length && !response.destroyed; at++) {
    response.write(bytes.subarray(at, at + 1))
    await sleep(50)
  }
  return response
}
