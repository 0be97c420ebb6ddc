import { isDeepStrictEqual } from 'node:util'
import { earnedOnce, livingUnitsKept, spentAsAnswered, valueAddsUp } from './check-living.js'
import type { Aftermath, Evidence, Invariant, Violation } from './evidence.js'
import { answered, type Call, faultyIdentities, finalAnswer, type SeenAnswer } from './history.js'
import type { CounterRow, LedgerRows } from './ledger-rows.js'

/** Descriptors and memory that a gateway may gain after its start: connections of its pools, and a warm heap. */
const descriptorsMore = 40
const memoryMbMore = 250

/** Every invariant, each with the one function that judges it. */
const judges: Readonly<Record<Invariant, (evidence: Evidence) => readonly string[]>> = {
  I1: limitsKept,
  I2: countersRecounted,
  I3: livingUnitsKept,
  I4: salesOnce,
  I5: salesKept,
  I6: answersKept,
  I7: oneAnswerPerKey,
  I8: valuesKeptApart,
  I9: errorsWellFormed,
  I10: freedUnitsGranted,
  I11: keysFree,
  I12: identitiesHold,
  I13: nothingLeft,
  I14: journalsEmpty,
  I15: spentAsAnswered,
  I16: earnedOnce,
  I17: valueAddsUp,
}

/** Runs every invariant over what a run has left; empty where all of them hold. */
export function check(evidence: Evidence): readonly Violation[] {
  return (Object.keys(judges) as Invariant[]).flatMap((invariant) =>
    judges[invariant](evidence).map((what) => ({ invariant, what })),
  )
}

/** I10: freed units are granted to the next request that fits. */
function freedUnitsGranted({ probes }: Evidence): readonly string[] {
  return probes
    .filter(({ free, granted }) => granted !== free)
    .map(({ counter, gateway, free, granted }) => `${counter}: ${free} free, gateway ${gateway} granted ${granted}`)
}

/** True when nothing is in progress. A fresh notification or a connection just closed takes a moment. */
export function isAtRest(aftermath: Aftermath): boolean {
  return nothingLeft({ aftermath: { ...aftermath, complaints: [] } }).length + journalsEmpty({ aftermath }).length === 0
}

/** I13: no error in a log, no process that ended by itself; memory, descriptors and transactions are back at their base. */
function nothingLeft({ aftermath }: Pick<Evidence, 'aftermath'>): readonly string[] {
  const { complaints, openTransactions, connections, connectionsMax, usage } = aftermath
  return [
    ...complaints,
    ...(openTransactions > 0 ? [`${openTransactions} transactions are left open`] : []),
    ...(connections > connectionsMax ? [`${connections} connections to the ledger, ${connectionsMax} at most`] : []),
    ...usage.flatMap(({ base, now }, gateway) =>
      now.descriptors > base.descriptors + descriptorsMore || now.memoryMb > base.memoryMb + memoryMbMore
        ? [`gateway ${gateway} uses ${JSON.stringify(now)}, at its start ${JSON.stringify(base)}`]
        : [],
    ),
  ]
}

/** I14: no journal holds a record any more. */
function journalsEmpty({ aftermath: { journalled, copies } }: Pick<Evidence, 'aftermath'>): readonly string[] {
  return journalled + copies > 0 ? [`${journalled} in the cache's journal and ${copies} own copies wait`] : []
}

/** I1: within every limit used and open stay within the maximum, but for late events, and nothing is negative. */
function limitsKept({ rows, maxima, sightings }: Evidence): readonly string[] {
  const passed = rows.counters.flatMap((counter) => {
    const { used, open, late } = counter
    const maximum = maxima.get(counter.limitId)
    if (maximum === undefined) return [`${name(counter)} counts for a limit that no programme has`]
    if (used < 0 || open < 0 || late < 0) return [`${name(counter)}: used ${used}, open ${open}, late ${late}`]
    return used + open > maximum ? [`${name(counter)}: used ${used} + open ${open} > maximum ${maximum}`] : []
  })
  return [...passed, ...sightings]
}

/** I2: a full recount of reservations, calculations and sales gives what the counters say. */
function countersRecounted({ rows }: Evidence): readonly string[] {
  const stateOf = new Map(rows.calculations.map(({ calculationId, state }) => [calculationId, state]))
  const saleOf = new Map(rows.sales.map((sale) => [sale.calculationId, sale]))
  const wrongCounters = rows.counters.flatMap((counter) => {
    const sums = { open: 0, used: 0, late: 0, released: 0 } as Record<string, number>
    for (const { counterId, state, units } of rows.reservations) {
      if (counterId === counter.counterId) sums[state] = (sums[state] ?? 0) + units
    }
    const agrees = sums['open'] === counter.open && sums['used'] === counter.used && sums['late'] === counter.late
    return agrees ? [] : [`${name(counter)}: ${said(counter)}, its reservations ${JSON.stringify(sums)}`]
  })
  const wrongReservations = rows.reservations.flatMap(({ calculationId, state }) => {
    const calculation = stateOf.get(calculationId) ?? 'not there'
    const fits = fittingStates[state]?.includes(calculation) ?? false
    const sold = state === 'released' || state === 'open' || saleOf.get(calculationId)?.status === 'applied'
    return fits && sold ? [] : [`a reservation of ${calculationId} is ${state}, its calculation ${calculation}`]
  })
  return [...wrongCounters, ...wrongReservations]
}

const fittingStates: Readonly<Record<string, readonly string[]>> = {
  open: ['open'],
  used: ['finalised'],
  late: ['expired', 'superseded'],
  released: ['open', 'finalised', 'abandoned', 'superseded', 'expired'],
}

/** I4: one sale per calculation, and each has moved its calculation on. */
function salesOnce({ rows }: Evidence): readonly string[] {
  const states = new Map(rows.calculations.map(({ calculationId, state }) => [calculationId, state]))
  return [
    ...twice(rows.sales.map(({ calculationId }) => calculationId)).map((id) => `${id} has two sales`),
    ...twice(rows.calculations.map(({ calculationId }) => calculationId)).map((id) => `${id} is stored twice`),
    ...rows.sales.flatMap((sale) => misbookedSale(sale, states.get(sale.calculationId))),
  ]
}

function misbookedSale(
  { calculationId, status, discrepancies }: LedgerRows['sales'][number],
  state: string | undefined,
): readonly string[] {
  const word = { expired: 'late_event', superseded: 'superseded' }[state ?? '']
  const wanted = state === undefined ? 'unknown_calculation' : word
  const unknown = state !== undefined && discrepancies.includes('unknown_calculation')
  if (wanted !== undefined && !discrepancies.includes(wanted)) return [`sale of ${calculationId} lacks ${wanted}`]
  if (unknown) return [`sale of ${calculationId} was never joined to its calculation`]
  const settled = status === 'cancelled' ? 'abandoned' : 'finalised'
  if (state !== undefined && word === undefined && state !== settled) {
    return [`sale of ${calculationId} (${status}) met a calculation that is ${state}`]
  }
  return []
}

function twice(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return ids.filter((id) => seen.has(id) || !seen.add(id))
}

function name({ limitId, subject, period }: CounterRow): string {
  return `counter ${[limitId, subject, period].filter(Boolean).join('|')}`
}

function said({ open, used, late }: CounterRow): string {
  return `open ${open}, used ${used}, late ${late}`
}

/** I5: every sale 200 that the client saw has its row, with the event as sent and the result as answered. */
function salesKept({ history, rows }: Evidence): readonly string[] {
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
function answersKept({ history, rows }: Evidence): readonly string[] {
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
function oneAnswerPerKey({ history }: Evidence): readonly string[] {
  return [...byKey(history)].flatMap(([key, calls]) => {
    const texts = new Set(calls.flatMap(answered).map(({ answer }) => answer.text))
    return texts.size > 1 ? [`${key} has ${texts.size} answers: ${[...texts].join(' AND ')}`] : []
  })
}

/** I8: no 200 for another value under a key, and no conflict where there never was another value. */
function valuesKeptApart({ history }: Evidence): readonly string[] {
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
function errorsWellFormed({ history }: Evidence): readonly string[] {
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
function keysFree({ history }: Evidence): readonly string[] {
  return history
    .filter((call) => finalAnswer(call) === null)
    .map(({ endpoint, key, attempts }) => {
      const last = attempts.at(-1)
      const seen = last?.answer ? `${last.answer.status} ${last.answer.text}` : `none (${last?.lost ?? 'no attempt'})`
      return `${endpoint} ${key} got no answer in ${attempts.length} attempts, at last ${seen}`
    })
}

/** I12: the arithmetic identities hold on every basket that was returned. */
function identitiesHold({ history }: Evidence): readonly string[] {
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
