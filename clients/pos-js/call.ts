import { createHmac, randomUUID } from 'node:crypto'

/** The reason of a failed loyalty step, as in the sale event (contract 2.1). */
export type FailureReason = 'timeout' | 'connection_error' | 'http_error' | 'invalid_response' | 'offline' | 'pos_error'

export interface Service {
  /** Base address, without a slash at its end. */
  readonly url: string
  /** A line feed at the end of its file is not part of it. */
  readonly secret: string
  /** The W3C trace context (`traceparent`) of a call; null, or left out: none. */
  readonly traceparent?: () => string | null
}

export type Exchange =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string
      /** From the idempotency store. */
      readonly replayed: boolean
      /** Server-Timing, in milliseconds; null: not in the answer. */
      readonly serverMs: number | null
      readonly retryAfterS: number | null
      readonly durationMs: number
    }
  | {
      readonly kind: 'broken'
      readonly reason: 'timeout' | 'connection_error'
      /** True when there was no connection, so that nothing was sent. */
      readonly unsent: boolean
      readonly detail: string
      readonly durationMs: number
    }

export interface SignedPost {
  readonly path: string
  readonly idempotencyKey: string
  /** JSON; its UTF-8 bytes are signed. */
  readonly body: string
  readonly timeoutMs: number
}

/** Codes of errors before a connection: nothing was sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Many times the largest basket with its discounts: no answer of the service is larger. */
const answerBytesMax = 8 * 1024 * 1024

/** Sends one signed request (contract 4 and 5), once. Never rejects. */
export async function postSigned(service: Service, post: SignedPost): Promise<Exchange> {
  const startedAt = performance.now()
  const durationMs = () => performance.now() - startedAt
  const traceparent = service.traceparent?.() ?? null
  try {
    const response = await fetch(`${service.url}${post.path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': post.idempotencyKey,
        'POS-Signature': signBody(post.body, service.secret.replace(/[\r\n]+$/, ''), new Date()),
        'X-Request-Id': randomUUID(),
        ...(traceparent === null ? {} : { traceparent }),
      },
      body: post.body,
      // A signed request is only for the service itself.
      redirect: 'manual',
      signal: AbortSignal.timeout(post.timeoutMs),
    })
    const body = await readText(response)
    const { status, headers } = response
    return {
      kind: 'answered',
      status,
      body,
      replayed: headers.get('idempotent-replayed') === 'true',
      serverMs: numberIn(headers.get('server-timing'), /\bdur=([\d.]+)/),
      retryAfterS: numberIn(headers.get('retry-after'), /^(\d+)$/),
      durationMs: durationMs(),
    }
  } catch (error) {
    return { kind: 'broken', ...causeOf(error), durationMs: durationMs() }
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new Error('the answer is too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function causeOf(error: unknown): { reason: 'timeout' | 'connection_error'; unsent: boolean; detail: string } {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } }
  if (name === 'TimeoutError') return { reason: 'timeout', unsent: false, detail: 'no answer in time' }
  const code = cause?.code ?? ''
  return { reason: 'connection_error', unsent: unsentCodes.has(code), detail: code || (cause?.message ?? message) }
}

function numberIn(text: string | null, form: RegExp): number | null {
  const found = text === null ? null : form.exec(text)
  return found === null ? null : Number(found[1])
}

/** The POS-Signature of a body (contract 5): HMAC-SHA256 over the moment, a full stop and the bytes that are sent. */
export function signBody(body: string | Uint8Array, secret: string, moment: Date): string {
  const seconds = Math.floor(moment.getTime() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
  return `t=${seconds},v1=${signature}`
}
