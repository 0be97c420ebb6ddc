import { isDeepStrictEqual } from 'node:util'
import type { PosBasket } from '../pos-js/basket.js'
import type { Json } from './cases.js'
import { problemsOfRequest } from './judge-request.js'
import { problemsOfTries } from './judge-tries.js'
import { type Calculation, type Problem, type Rule, type Run, requestsOf, type Seen } from './run.js'

export interface Judging {
  readonly secret: string
  readonly discountCode: string
  /** Time for one attempt of a basket call, in milliseconds (contract 8). */
  readonly attemptMs: number
}

export function problemsOfRun(run: Run, judging: Judging): readonly Problem[] {
  const problems = [
    ...run.problems,
    ...requestsOf(run).flatMap((seen) => problemsOfRequest(seen, judging.secret)),
    ...run.calculations.flatMap((calculation) => problemsOfTries(calculation, run.step, judging.attemptMs)),
    ...outcomeProblems(run, judging),
  ]
  return problems.filter(
    ({ rule, text }, at) => problems.findIndex((other) => other.rule === rule && other.text === text) === at,
  )
}

/** A basket that the step has no answer for cannot show how the POS reacts. */
function outcomeProblems(run: Run, judging: Judging): Problem[] {
  const last = run.calculations.at(-1)
  if (last === undefined) return [nothingCame]
  return run.problems.length > 0 ? [] : problemsOfEvents(run, last, judging)
}

const nothingCame: Problem = { rule: 'step', text: 'nothing came from the POS' }

function problemsOfEvents({ step, calculations }: Run, last: Calculation, judging: Judging): Problem[] {
  const earlier = calculations.slice(0, -1)
  const isChange = step.doing === 'change'
  const missing = (isChange ? [last] : calculations).filter(({ sales }) => sales.length === 0)
  return [
    ...missing.map(({ id }) => wrong('one-event', `no sale event came for ${id}`)),
    ...(isChange ? supersedeProblems(earlier, last) : []),
    ...(last.sales.length === 0 ? [] : problemsOfOutcome(step, last, judging)),
    ...(step.returnAnswers.length === 0 ? [] : problemsOfReturn(step, last)),
  ]
}

function supersedeProblems(earlier: readonly Calculation[], last: Calculation): Problem[] {
  if (earlier.length === 0)
    return [wrong('supersedes', 'the changed basket came under no calculationId of its own, or did not come')]
  const named = last.baskets[0]?.value?.['supersedesCalculationId']
  const before = earlier.at(-1)!.id
  return [
    ...(named === before
      ? []
      : [wrong('supersedes', `supersedesCalculationId: expected ${before}, received ${named ?? 'nothing'}`)]),
    ...earlier
      .filter(({ sales }) => sales.length > 0)
      .map(({ id }) => wrong('supersedes', `a sale event came for ${id}, which is superseded`)),
  ]
}

/** Compares the event with the answer: the basket charged, and the reason (contract 2.3 and 3.2). */
function problemsOfOutcome(step: Run['step'], { sales, sent, returned }: Calculation, judging: Judging): Problem[] {
  const sale = sales[0]!.value
  if (sale === null) return []
  const { status: expected, failureReasons } = step.expect
  const { status } = sale
  if (status !== expected) return [wrongStatus(expected, status)]
  const reason = sale['failureReason'] as (typeof failureReasons)[number]
  const problems: Problem[] = []
  if (expected === 'failed' && !failureReasons.includes(reason)) {
    problems.push(wrong('failure-reason', `failureReason: expected ${failureReasons.join(' or ')}, received ${reason}`))
  }
  const rule = expected === 'applied' ? 'applies-basket' : 'keeps-basket'
  if (sent !== null) problems.push(...sameAsBasket(sale, sent))
  if (sent === null || expected === 'cancelled') return problems
  const charged = expected === 'applied' ? (returned ?? sent) : sent
  const discount = expected === 'applied' ? discountIn(charged, judging.discountCode) : 0
  return [
    ...problems,
    ...differs(sale, { rule, field: 'paidTotal', expected: charged.totals.net }),
    ...differs(sale, { rule, field: 'loyaltyDiscountTotal', expected: discount }),
  ]
}

function problemsOfReturn(
  { returnAnswers }: Run['step'],
  { id, sent, returned, sales, returns }: Calculation,
): Problem[] {
  const value = returns[0]?.value
  if (value === undefined || value === null) return [wrong('return', `no return came for ${id}`)]
  const lineIds = ((returned ?? sent)?.lines ?? []).map(({ lineId }) => lineId)
  const lines = Array.isArray(value['lines']) ? (value['lines'] as readonly Json[]) : []
  const strange = lines.filter((line) => !lineIds.includes(String(line?.['lineId'])))
  const isBefore = sales.length === 0 || returns[0]!.atMs < sales[0]!.atMs
  const others = new Set(returns.map(({ body }) => body.toString())).size - 1
  return [
    ...strange.map((line) => wrong('return', `lineId ${line?.['lineId']} of the return is not of the charged basket`)),
    ...(isBefore ? [wrong('return', 'the return came before the event of its sale')] : []),
    ...(others > 0 ? [wrong('return-again', 'returns that differ came: the same bytes go out again')] : []),
    ...(returns.length < returnAnswers.length
      ? [wrong('return-again', 'the return was not sent again after 503')]
      : []),
    ...(returns.length > returnAnswers.length
      ? [wrong('return-again', 'the return was sent again after it was recorded')]
      : []),
  ]
}

function wrongStatus(expected: string, received: unknown): Problem {
  const text = `status of the sale event: expected ${expected}, received ${received}`
  if (expected === 'cancelled') return wrong('abandoned', text)
  if (received === 'applied') return wrong('keeps-basket', `${text}: the guest pays the basket as it was`)
  if (expected === 'applied') return wrong('applies-basket', `${text}: the returned basket adds up, and is charged`)
  return wrong('sale-status', text)
}

function sameAsBasket(sale: Json, sent: PosBasket): Problem[] {
  const fields = ['currency', 'context'] as const
  return [
    ...fields
      .filter((field) => !isDeepStrictEqual(sale[field], sent[field]))
      .map((field) => wrong('form', `${field} of the sale event is not that of its basket`)),
    ...((sale['loyaltyId'] ?? sent.loyaltyId) === sent.loyaltyId
      ? []
      : [wrong('form', 'loyaltyId of the sale event is not that of its basket')]),
  ]
}

function differs(sale: Json, check: { rule: Rule; field: string; expected: number }): Problem[] {
  const received = sale[check.field] ?? check.expected
  if (received === check.expected) return []
  return [wrong(check.rule, `${check.field}: expected ${check.expected}, received ${received}`)]
}

function discountIn(basket: PosBasket, code: string): number {
  return [...basket.lines.flatMap(({ discounts }) => discounts ?? []), ...(basket.orderDiscounts ?? [])]
    .filter(({ lineDiscountCode }) => lineDiscountCode === code)
    .reduce((sum, { amount }) => sum + amount, 0)
}

function wrong(rule: Rule, text: string): Problem {
  return { rule, text }
}

export function repeatedRequestIds(runs: readonly Run[]): ReadonlyMap<Run, Problem> {
  const known = new Set<string>()
  const found = new Map<Run, Problem>()
  for (const { run, seen } of runs.flatMap((run) => requestsOf(run).map((seen) => ({ run, seen })))) {
    const id = idOf(seen)
    if (id === null) continue
    if (known.has(id)) found.set(run, wrong('request-id', `X-Request-Id ${id} came before: each attempt has its own`))
    known.add(id)
  }
  return found
}

function idOf({ headers }: Seen): string | null {
  const id = headers['x-request-id']
  return id === undefined ? null : String(id).toLowerCase()
}
