import type { AnyRequest } from './response.js'

/** Milliseconds in each unit of a grpc-timeout header. */
const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 }

/**
 * Cuts a call's timeout to `maxMs`; without one it gets `defaultMs`, or none where that is null. An invalid one is left for its protocol
 * to refuse.
 *
 * @returns  the resulting timeout in milliseconds; null: none, or an invalid one
 */
export function boundTimeout(
  { headers }: Pick<AnyRequest, 'headers'>,
  { maxMs, defaultMs }: { readonly maxMs: number; readonly defaultMs: number | null },
): number | null {
  const isGrpc = headers['content-type']?.startsWith('application/grpc') ?? false
  const name = isGrpc ? 'grpc-timeout' : 'connect-timeout-ms'
  const write = (ms: number) => {
    headers[name] = isGrpc ? `${ms}m` : String(ms)
    return ms
  }
  const asked = headers[name]
  if (asked === undefined) return defaultMs === null ? null : write(defaultMs)
  const ms = isGrpc ? grpcMs(String(asked)) : connectMs(String(asked))
  return ms !== null && ms > maxMs ? write(maxMs) : ms
}

function grpcMs(text: string): number | null {
  const match = /^(\d{1,8})([HMSmun])$/.exec(text)
  return match === null ? null : Number(match[1]) * unitMs[match[2]!]!
}

function connectMs(text: string): number | null {
  return /^\d{1,10}$/.test(text) ? Number(text) : null
}
