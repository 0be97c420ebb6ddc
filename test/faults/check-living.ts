import type { Evidence, LedgerStep } from './evidence.js'
import { answered, type Call, finalAnswer } from './history.js'
import type { LedgerRows, SaleRow } from './ledger-rows.js'
import {
  type BasketAnswer,
  type ChargedLine,
  countedBy,
  type Grant,
  grantsOf,
  paymentsOf,
  rules,
  stepOf,
  unknownCard,
} from './programmes.js'

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

/**
 * I15: a calculation takes what its answer spends, neither more nor less; a sale that was charged uses it once, and every other sale
 * releases it.
 */
export function spentAsAnswered({ history, rows }: Evidence): readonly string[] {
  const answered = new Map(rows.calculations.map((row) => [row.calculationId, row]))
  const sales = new Map(rows.sales.map((sale) => [sale.calculationId, sale]))
  const held = amountsBy(rows.value.holds)
  const used = amountsBy(rows.value.used)
  const wrongAmounts = [...answered].flatMap(([id, { answer }]) => {
    const payments = answer === null ? new Map<string, number>() : paymentsOf(JSON.parse(answer))
    const due = sales.get(id)?.status === 'applied' ? payments : new Map<string, number>()
    return [
      ...(same(held.get(id), payments) ? [] : [`${id} spends ${words(payments)} and took ${words(held.get(id))}`]),
      ...(same(used.get(id), due) ? [] : [`${id} is to use ${words(due)} and used ${words(used.get(id))}`]),
    ]
  })
  const wrongStates = rows.value.holds.flatMap(({ calculationId: id, state }) =>
    statesBy(sales.get(id)).includes(state) ? [] : [`what ${id} took is ${state}, its sale ${sales.get(id)?.status}`],
  )
  const strangers = [...used.keys()].filter((id) => !answered.has(id)).map((id) => `${id} used value, and is not there`)
  return [...wrongAmounts, ...wrongStates, ...strangers, ...lostPayments(history, held)]
}

/** Answers to a POS that the ledger lacks. */
function lostPayments(history: readonly Call[], held: Amounts): readonly string[] {
  return history
    .filter(({ endpoint }) => endpoint === 'basket')
    .flatMap((call) => {
      const answer = finalAnswer(call)
      const payments = answer?.status === 200 ? paymentsOf(JSON.parse(answer.text)) : new Map<string, number>()
      return payments.size === 0 || same(held.get(call.key), payments)
        ? []
        : [`${call.key} was answered that it spends ${words(payments)} and took ${words(held.get(call.key))}`]
    })
}

function statesBy(sale: SaleRow | undefined): readonly string[] {
  if (sale === undefined) return ['open', 'released']
  return sale.status === 'applied' ? ['used', 'late'] : ['released']
}

/**
 * I16: each sale earned by the basket that was charged, once, and each rule gave its members what all their sales together make.
 * Counted anew from the bodies that the client sent, the answers and the programme.
 */
export function earnedOnce({ history, rows }: Evidence): readonly string[] {
  const baskets = new Map(history.flatMap(({ endpoint, key, body }) => (endpoint === 'basket' ? [[key, body]] : [])))
  const answers = new Map(rows.calculations.map(({ calculationId, answer }) => [calculationId, answer]))
  const due = rows.sales.flatMap((sale) => {
    const { calculationId: id } = sale
    const counts = answers.has(id) && !isFailedUnknown(sale) ? countsOf(sale, baskets.get(id), answers.get(id)!) : []
    return [...counts, ...(isFailedUnknown(sale) ? countsOfUnknown(sale) : [])].map(
      ({ ruleId, counted }) => [`${id} ${ruleId}`, counted] as const,
    )
  })
  const counted = rows.value.counted.map((row) => [`${row.calculationId} ${row.ruleId}`, row.counted] as const)
  const [wanted, found] = [new Map(due), new Map(counted)]
  const wrong = [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((name) => wanted.get(name) !== found.get(name))
    .map((name) => `${name} counted ${found.get(name) ?? 'nothing'}, due is ${wanted.get(name) ?? 'nothing'}`)
  return [...wrong, ...wrongTotals(rows)]
}

interface Count {
  readonly ruleId: string
  readonly counted: number
}

interface ChargedBasket {
  readonly loyaltyId?: string
  readonly lines: readonly ChargedLine[]
}

/** Counts of rules for the basket that a sale reports as charged. */
function countsOf({ status }: SaleRow, body: string | undefined, answer: string | null): readonly Count[] {
  if (status === 'cancelled' || status === 'member_not_found') return []
  const returned = status === 'applied' && answer !== null ? JSON.parse(answer).basket : undefined
  const { loyaltyId, lines } = (returned ?? JSON.parse(body ?? '{"lines":[]}')) as ChargedBasket
  if (loyaltyId === unknownCard) return []
  return rules
    .map((rule) => ({ ruleId: rule.ruleId, counted: countedBy(rule, lines) }))
    .filter(({ counted }) => counted > 0)
}

/** It came before its calculation: of what was paid, only rules without selectors can count. */
function isFailedUnknown({ status, result }: SaleRow): boolean {
  return status === 'failed' && result === 'unknown_calculation'
}

function countsOfUnknown({ body }: SaleRow): readonly Count[] {
  const { loyaltyId, paidTotal } = JSON.parse(body) as { readonly loyaltyId?: string; readonly paidTotal?: number }
  if (loyaltyId === undefined || loyaltyId === unknownCard || !paidTotal) return []
  return rules.flatMap(({ ruleId, per }) => (per === 'visit' ? [{ ruleId, counted: 1 }] : []))
}

/** Nothing is carried twice or lost: `give` for each whole step of the total, in whatever order the sales came. */
function wrongTotals({ value }: LedgerRows): readonly string[] {
  return rules.flatMap((rule) => {
    const members = new Map<string, { counted: number; given: number }>()
    for (const { memberId, counted, given } of value.counted.filter(({ ruleId }) => ruleId === rule.ruleId)) {
      const sum = members.get(memberId) ?? { counted: 0, given: 0 }
      members.set(memberId, { counted: sum.counted + counted, given: sum.given + given })
    }
    return [...members].flatMap(([memberId, { counted, given }]) => {
      const due = rule.give * Math.floor(counted / stepOf(rule))
      return given === due ? [] : [`${rule.ruleId} gave ${memberId} ${given} for ${counted}, due is ${due}`]
    })
  })
}

/** I17: the ledger's own recount finds nothing, and only late events make debt. */
export function valueAddsUp({ rows, recount }: Evidence): readonly string[] {
  const overdrawn = rows.sales.filter(({ discrepancies }) => discrepancies.includes('value_overdrawn'))
  const excused = new Set(overdrawn.map(({ body }) => (JSON.parse(body) as { readonly loyaltyId?: string }).loyaltyId))
  return [
    ...recount,
    ...rows.value.accounts
      .filter(({ memberId, debt }) => debt > 0 && !excused.has(cardOf(memberId)))
      .map(({ memberId, currencyId, debt }) => `${memberId} owes ${debt} ${currencyId}, and no late event made that`),
    ...overdrawn
      .filter(({ discrepancies }) => !discrepancies.some((word) => word === 'late_event' || word === 'superseded'))
      .map(({ calculationId }) => `the sale of ${calculationId} was in time and made debt`),
  ]
}

/** Each member of the programme has one card. */
function cardOf(memberId: string): string {
  return memberId.replace('member-', 'card-')
}

/** Amounts by currency of each calculation. */
type Amounts = ReadonlyMap<string, ReadonlyMap<string, number>>

function amountsBy(
  rows: readonly { readonly calculationId: string; readonly currencyId: string; readonly amount: number }[],
): Amounts {
  const amounts = new Map<string, Map<string, number>>()
  for (const { calculationId, currencyId, amount } of rows) {
    const sums = amounts.get(calculationId) ?? new Map<string, number>()
    amounts.set(calculationId, sums.set(currencyId, (sums.get(currencyId) ?? 0) + amount))
  }
  return amounts
}

function same(found: ReadonlyMap<string, number> = new Map(), wanted: ReadonlyMap<string, number>): boolean {
  return found.size === wanted.size && [...wanted].every(([currencyId, amount]) => found.get(currencyId) === amount)
}

function words(amounts: ReadonlyMap<string, number> = new Map()): string {
  return amounts.size === 0
    ? 'nothing'
    : [...amounts].map(([currencyId, amount]) => `${amount} ${currencyId}`).join(', ')
}
