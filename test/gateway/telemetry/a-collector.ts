import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A span in OTLP's JSON (opentelemetry/proto/trace/v1/trace.proto, ids in hex). */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[]
  readonly status?: { readonly code?: number }
}

interface SentBatch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentSpan['attributes'] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

/** Accepts spans as an OTLP collector does: a POST of JSON to /v1/traces; refuses anything else. */
export async function aCollector(t: Test) {
  let text = ''
  const spans: SentSpan[] = []
  const services = new Set<unknown>()
  const headers: http.IncomingHttpHeaders[] = []
  const server = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces'
      if (!isTraces || request.headers['content-type'] !== 'application/json') {
        response.writeHead(404).end()
        return
      }
      headers.push(request.headers)
      text += body
      for (const { resource, scopeSpans } of (JSON.parse(body) as SentBatch).resourceSpans) {
        services.add(attributesOf(resource)['service.name'])
        for (const scope of scopeSpans) spans.push(...scope.spans)
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, spans, services, headers, text: () => text }
}

export function attributesOf({ attributes }: Pick<SentSpan, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
