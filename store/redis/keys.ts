import type { CounterName } from '../../engine/core/base/outcome.js'
import type { RequestsAt } from '../cache.js'

export const bucketCount = 64

export interface Keys {
  /** `loyalty:{3f}:calculation:<uuid>`: hash of answer and, while journalled, record. */
  calculation(calculationId: string): string
  /** `loyalty:{3f}:journal`: sorted set of a bucket's calculationIds by the moment they were stored. */
  journal(bucket: number): string
  /** `loyalty:{3f}:vouched`: the mark that vouches for a bucket's memory. */
  vouched(bucket: number): string
  /** `loyalty:{limitId:subject:period}:counter` and `...:holds`, the two keys of one counter. */
  counter(name: CounterName): readonly [counter: string, holds: string]
  /** `loyalty:tokens`: the rate limit's bucket. */
  tokens(): string
  /** `loyalty:{venueId}:requests`, or `...:unsigned-requests`: list for the partner page, newest first. */
  requests(at: RequestsAt): string
}

export function createKeys(prefix: string): Keys {
  if (/[{}]/.test(prefix)) throw new RangeError(`no braces in a key prefix: ${prefix}`)
  return {
    calculation: (calculationId) => `${prefix}:{${bucketTag(bucketOf(calculationId))}}:calculation:${calculationId}`,
    journal: (bucket) => `${prefix}:{${bucketTag(bucket)}}:journal`,
    vouched: (bucket) => `${prefix}:{${bucketTag(bucket)}}:vouched`,
    counter: ({ limitId, subject, period }) => {
      const tag = `${prefix}:{${tagPart(limitId)}:${tagPart(subject)}:${tagPart(period)}}`
      return [`${tag}:counter`, `${tag}:holds`]
    },
    tokens: () => `${prefix}:tokens`,
    requests: ({ venueId, isSigned }) => `${prefix}:{${tagPart(venueId)}}:${isSigned ? '' : 'unsigned-'}requests`,
  }
}

export function bucketOf(calculationId: string): number {
  const digits = Number.parseInt(calculationId.slice(-2), 16)
  // The journal would never read a bucket of its own for it.
  if (Number.isNaN(digits)) throw new RangeError(`no UUID: ${calculationId}`)
  return digits % bucketCount
}

export function typeOfKey(key: string): 'hash' | 'zset' | 'string' | 'list' {
  if (key.endsWith(':journal') || key.endsWith(':holds')) return 'zset'
  if (key.endsWith('requests')) return 'list'
  return key.endsWith(':vouched') || key.endsWith(':tokens') ? 'string' : 'hash'
}

export function vouchedBeside(key: string): string | null {
  return /^(.*\{[0-9a-f]{2}\}):(calculation:[^{}]*|journal|vouched)$/.exec(key)?.[1]?.concat(':vouched') ?? null
}

export function isCalculationId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function bucketTag(bucket: number): string {
  return bucket.toString(16).padStart(2, '0')
}

/** Ids may hold anything: a brace would end the hash tag early, a colon would let two names meet in one key. */
function tagPart(part: string): string {
  return part.replace(/[%{}:]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}
