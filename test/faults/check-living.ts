import { cardOf } from './check-value.js'
import type { Evidence, LedgerStep } from './evidence.js'
import { answered, type Call, finalAnswer } from './history.js'
import { type BasketAnswer, type Grant, grantsOf } from './programme-limits.js'
import { paymentsOf } from './programme-value.js'

/** Units that the client holds by an answer, and the earliest moment at which they may have been given back. */
interface Holding {
  readonly key: string
  readonly counter: string
  readonly limitId: string
  readonly units: number
  readonly from: number
  readonly until: number
}

/**
 * I3: at every instant the units of answered, living 200s stay within the maximum, and what they spend within all that the member
 * ever had. Derived from the client's history alone: a grant lives from its answer until something that may end it was sent, or
 * until it expired.
 */
export function livingUnitsKept(evidence: Evidence): readonly string[] {
  const { history, rows } = evidence
  const had = rows.value.accounts.map(
    ({ memberId, currencyId, added }) => [currencyId + cardOf(memberId), added] as const,
  )
  const maxima = new Map([...evidence.maxima, ...had])
  const holdings = holdingsOf(evidence, endsOf(history))
  const counters = new Set(holdings.map(({ counter }) => counter))
  return [...counters].flatMap((counter) => {
    const held = holdings.filter((holding) => holding.counter === counter)
    const maximum = maxima.get(held[0]!.limitId) ?? 0
    const most = mostAtOnce(held)
    return most > maximum ? [`${counter}: ${most} units were held at once, the maximum is ${maximum}`] : []
  })
}

interface Ends {
  /** When something that may free a calculation's units was first sent. */
  readonly freedAt: ReadonlyMap<string, number>
  /** When a sale was answered that uses them for good. */
  readonly usedAt: ReadonlyMap<string, number>
}

function endsOf(history: readonly Call[]): Ends {
  const freedAt = new Map<string, number>()
  const usedAt = new Map<string, number>()
  for (const call of history) {
    const sentAt = call.attempts[0]?.sentAt ?? Number.POSITIVE_INFINITY
    const frees = call.endpoint === 'basket' ? call.supersedes : isApplied(call) ? null : call.key
    if (frees !== null) freedAt.set(frees, Math.min(sentAt, freedAt.get(frees) ?? sentAt))
    const [used] = call.endpoint === 'sale' && isApplied(call) ? answered(call) : []
    if (used !== undefined) usedAt.set(call.key, used.endedAt)
  }
  return { freedAt, usedAt }
}

function isApplied({ body }: Call): boolean {
  return (JSON.parse(body) as { status?: string }).status === 'applied'
}

function holdingsOf({ history, expiryMs, ledgerSteps = [] }: Evidence, { freedAt, usedAt }: Ends): readonly Holding[] {
  const seen = new Set<string>()
  const sentAt = firstSentAt(history)
  return history.flatMap((call) => {
    const [first] = call.endpoint === 'basket' && !seen.has(call.key) ? answered(call) : []
    if (first === undefined) return []
    seen.add(call.key)
    // The reservation was made some time after the first attempt under this key.
    const expiresAt = expiryAfter(sentAt.get(call.key)!, expiryMs, ledgerSteps)
    const usedInTime = (usedAt.get(call.key) ?? Number.POSITIVE_INFINITY) < expiresAt
    const freed = freedAt.get(call.key) ?? Number.POSITIVE_INFINITY
    const until = Math.min(freed, usedInTime ? Number.POSITIVE_INFINITY : expiresAt)
    const answer = JSON.parse(finalAnswer(call)!.text) as BasketAnswer
    return [...grantsOf(answer), ...paidUnits(answer)].map((grant) => ({
      ...grant,
      key: call.key,
      from: first.endedAt,
      until,
    }))
  })
}

/** The spending of an answer, as units of an account. */
function paidUnits(answer: BasketAnswer): readonly Grant[] {
  return [...paymentsOf(answer)].map(([currencyId, units]) => {
    const account = currencyId + (answer.status === 'applied' ? answer.basket.loyaltyId : '')
    return { counter: account, limitId: account, units }
  })
}

/** The earliest moment at which a hold may expire: ledger clock steps forward shorten it. */
function expiryAfter(sentAt: number, expiryMs: number, steps: readonly LedgerStep[]): number {
  return steps
    .filter(({ at, byMs }) => at >= sentAt && byMs > 0)
    .reduce((until, { at, byMs }) => (at < until ? Math.max(at, until - byMs) : until), sentAt + expiryMs)
}

function firstSentAt(history: readonly Call[]): ReadonlyMap<string, number> {
  const moments = new Map<string, number>()
  for (const { endpoint, key, attempts } of history) {
    const sentAt = attempts[0]?.sentAt ?? Number.POSITIVE_INFINITY
    if (endpoint === 'basket') moments.set(key, Math.min(sentAt, moments.get(key) ?? sentAt))
  }
  return moments
}

/** The greatest sum of units at any instant; at the same instant, ends count before starts. */
function mostAtOnce(held: readonly Holding[]): number {
  const steps = held
    .filter(({ from, until }) => from < until)
    .flatMap(({ from, until, units }) => [
      { at: from, units },
      { at: until, units: -units },
    ])
    .sort((left, right) => left.at - right.at || left.units - right.units)
  let now = 0
  let most = 0
  for (const { units } of steps) {
    now += units
    most = Math.max(most, now)
  }
  return most
}
