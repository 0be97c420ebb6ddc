import { isDeepStrictEqual } from 'node:util'
import type { Evidence } from './evidence.js'
import { answered, type Call, finalAnswer, type SeenAnswer } from './history.js'
import { faultyIdentities } from './identities.js'

/** I5: every sale 200 that the client saw has its row, with the event as sent and the result as answered. */
export function salesKept({ history, rows }: Evidence): readonly string[] {
  const sales = new Map(rows.sales.map((sale) => [sale.calculationId, sale]))
  return history.filter(isSale).flatMap((call) =>
    answered(call).flatMap(({ answer }) => {
      const sale = sales.get(call.key)
      if (sale === undefined) return [`sale ${call.key} was answered 200 and is not stored`]
      const { result } = JSON.parse(answer.text) as { result: string }
      if (result !== sale.result) return [`sale ${call.key} was answered ${result}, stored is ${sale.result}`]
      const same = isDeepStrictEqual(JSON.parse(sale.body), JSON.parse(call.body))
      return same ? [] : [`sale ${call.key} is stored with another body than the one answered`]
    }),
  )
}

/** I6: every basket 200 has its calculation with a byte-equal answer. */
export function answersKept({ history, rows }: Evidence): readonly string[] {
  const stored = new Map(rows.calculations.map(({ calculationId, answer }) => [calculationId, answer]))
  return history.filter(isBasket).flatMap((call) =>
    answered(call).flatMap(({ answer }) => {
      const kept = stored.get(call.key)
      if (kept === undefined) return [`basket ${call.key} was answered 200 and is not stored`]
      return kept === answer.text ? [] : [`basket ${call.key} was answered ${answer.text}, stored is ${kept}`]
    }),
  )
}

/** I7: one distinct 200 per endpoint and key. */
export function oneAnswerPerKey({ history }: Evidence): readonly string[] {
  return [...byKey(history)].flatMap(([key, calls]) => {
    const texts = new Set(calls.flatMap(answered).map(({ answer }) => answer.text))
    return texts.size > 1 ? [`${key} has ${texts.size} answers: ${[...texts].join(' AND ')}`] : []
  })
}

/** I8: no 200 for another value under a key, and no conflict where there never was another value. */
export function valuesKeptApart({ history }: Evidence): readonly string[] {
  return [...byKey(history)].flatMap(([key, calls]) => {
    const values = new Set(calls.map(({ body }) => body))
    const accepted = new Set(calls.filter((call) => answered(call).length > 0).map(({ body }) => body))
    const conflicts = calls.some(({ attempts }) => attempts.some(({ answer }) => answer?.status === 409))
    if (accepted.size > 1) return [`${key} was answered 200 for ${accepted.size} values`]
    return conflicts && values.size === 1 ? [`${key} is reported to conflict with itself`] : []
  })
}

const codes = new Set([
  'invalid_request',
  'invalid_signature',
  'stale_timestamp',
  'idempotency_conflict',
  'venue_not_configured',
  'too_many_lines',
  'unknown_currency',
  'arithmetic_mismatch',
  'rate_limited',
  'unavailable',
])

/** I9: every other answer is JSON with a listed code and the request's id; 429 and 503 carry Retry-After. */
export function errorsWellFormed({ history }: Evidence): readonly string[] {
  return history.flatMap((call) =>
    call.attempts.flatMap(({ answer }) =>
      answer === null || answer.status === 200 || isErrorBody(answer)
        ? []
        : [`${call.endpoint} ${call.key} was answered ${answer.status} ${answer.text}`],
    ),
  )
}

function isErrorBody({ status, text, requestId, retryAfter }: SeenAnswer): boolean {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; requestId: string } }
    const comeBack = (status !== 503 && status !== 429) || /^[1-9]\d*$/.test(retryAfter ?? '')
    return codes.has(error.code) && error.requestId === requestId && comeBack
  } catch {
    return false
  }
}

/** I11: no key stays blocked: repeated for 10 s after the fault, every call was settled. */
export function keysFree({ history }: Evidence): readonly string[] {
  return history
    .filter((call) => finalAnswer(call) === null)
    .map(({ endpoint, key, attempts }) => {
      const last = attempts.at(-1)
      const seen = last?.answer ? `${last.answer.status} ${last.answer.text}` : `none (${last?.lost ?? 'no attempt'})`
      return `${endpoint} ${key} got no answer in ${attempts.length} attempts, at last ${seen}`
    })
}

/** I12: the arithmetic identities hold on every basket that was returned. */
export function identitiesHold({ history }: Evidence): readonly string[] {
  return history.filter(isBasket).flatMap((call) =>
    answered(call).flatMap(({ answer }) => {
      const { basket } = JSON.parse(answer.text)
      return basket === undefined ? [] : faultyIdentities(basket).map((what) => `basket ${call.key}: ${what}`)
    }),
  )
}

function byKey(history: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const calls = new Map<string, Call[]>()
  for (const call of history) {
    const key = `${call.endpoint} ${call.key}`
    calls.set(key, [...(calls.get(key) ?? []), call])
  }
  return calls
}

const isSale = ({ endpoint }: Call) => endpoint === 'sale'
const isBasket = ({ endpoint }: Call) => endpoint === 'basket'
