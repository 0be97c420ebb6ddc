import type { FailureReason } from '../pos-js/call.js'
import type { AnswerInCase, BasketCase, Cases, SaleCase } from './cases.js'

/** What is done at the POS: a sale, one that is abandoned, one whose basket changes, or one while nobody listens. */
export type Doing = 'pay' | 'abandon' | 'change' | 'away'

/** One sale at the POS, with what the played service does and what the POS then has to do. */
export interface Step {
  /** Short and unique. */
  readonly name: string
  readonly title: string
  readonly doing: Doing
  /** To the basket; null: nobody listens. */
  readonly answer: AnswerInCase | null
  /** To the events of the sale, in turn, then the last one again. */
  readonly saleAnswers: readonly AnswerInCase[]
  readonly expect: Expected
}

export interface Expected {
  readonly status: 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'
  /** Of `failed`: any of these. */
  readonly failureReasons: readonly FailureReason[]
  /** Attempts to send the event. */
  readonly attempts: number
  /** Before the second attempt, in milliseconds. */
  readonly pauseMs: number
}

const recorded: readonly AnswerInCase[] = [{ json: { result: 'recorded' } }]
const discount: AnswerInCase = { change: ['discounted'] }
const noBenefits: AnswerInCase = { json: { status: 'unchanged', reason: 'no_benefits' } }

/**
 * The steps, in the order in which they are done. The one at which nobody listens is the first: no basket can be on its way then.
 *
 * @param all      every case; false: those that a person does
 * @param product  whether the service may add a product
 */
export function stepsOf(cases: Cases, { all, product }: { readonly all: boolean; readonly product: boolean }): Step[] {
  const chosen = <Case extends BasketCase | SaleCase>(each: readonly Case[]) =>
    each.filter(({ step }) => all || step !== undefined)
  const baskets = chosen(cases.baskets).filter(({ answer }) => answer !== null && (product || !addsProduct(answer)))
  return [away, ...baskets.map(basketStep), ...chosen(cases.sales).map(saleStep), abandoned, changed]
}

/** Steps by name. The good answer before a cut comes with it: the cut has to meet the connection that the POS kept from there. */
export function stepsNamed(steps: readonly Step[], names: readonly string[]): Step[] {
  return steps.filter(({ name }, at) => {
    const next = steps[at + 1]
    return names.includes(name) || (next?.answer?.cut === true && names.includes(next.name))
  })
}

const away: Step = {
  name: 'away',
  title: 'nobody listens',
  doing: 'away',
  answer: null,
  saleAnswers: recorded,
  expect: expected('failed', ['connection_error', 'offline']),
}

const abandoned: Step = {
  name: 'abandoned',
  title: 'the payment is abandoned',
  doing: 'abandon',
  answer: discount,
  saleAnswers: recorded,
  expect: expected('cancelled'),
}

const changed: Step = {
  name: 'changed',
  title: 'the basket changes before it is paid',
  doing: 'change',
  answer: discount,
  saleAnswers: recorded,
  expect: expected('applied'),
}

function basketStep({ step, name, answer, expect }: BasketCase): Step {
  const { status, failureReason } = expect
  // Half an answer may count as a wrong one.
  const isBroken = answer?.raw !== undefined || answer?.half === 'cut'
  const reasons = failureReason === undefined ? [] : [failureReason, ...(isBroken ? ['invalid_response' as const] : [])]
  return {
    name: step ?? shortName(name),
    title: name,
    doing: 'pay',
    answer,
    saleAnswers: recorded,
    expect: expected(status, reasons),
  }
}

function saleStep({ step, name, answers, expect: { attempts, pauseMs = 0 } }: SaleCase): Step {
  const expect = { ...expected('unchanged'), attempts, pauseMs }
  const title = `a sale event: ${name}`
  return {
    name: step ?? `sale-${shortName(name)}`,
    title,
    doing: 'pay',
    answer: noBenefits,
    saleAnswers: answers,
    expect,
  }
}

function expected(status: Expected['status'], failureReasons: readonly FailureReason[] = []): Expected {
  return { status, failureReasons, attempts: 1, pauseMs: 0 }
}

function addsProduct({ change = [] }: AnswerInCase): boolean {
  return change.includes('free product')
}

function shortName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
