import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ScriptedAnswer } from '../../../clients/check-pos/cases.js'
import { giveAnswer } from '../../../clients/check-pos/play-service.js'
import { isSigned } from '../fake-service.js'

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

/** Answers requests in turn, then with the last answer; without answers the address refuses connections. */
export async function createScriptedService(
  secret: string,
  answers: readonly ScriptedAnswer[],
): Promise<ScriptedService> {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
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
    await giveAnswer(response, answer)
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
