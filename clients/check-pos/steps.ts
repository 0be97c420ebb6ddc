import type { FailureReason } from '../pos-js/call.js'
import type { AnswerInCase, BasketCase, Cases, SaleCase } from './cases.js'

export type Doing = 'pay' | 'abandon' | 'change' | 'return' | 'away'

export interface Step {
  readonly name: string
  readonly title: string
  readonly doing: Doing
  readonly answer: AnswerInCase | null
  readonly saleAnswers: readonly AnswerInCase[]
  readonly returnAnswers: readonly AnswerInCase[]
  readonly expect: Expected
}

export interface Expected {
  readonly status: 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'
  readonly failureReasons: readonly FailureReason[]
  readonly attempts: number
  readonly pauseMs: number
}

const recorded: readonly AnswerInCase[] = [{ json: { result: 'recorded' } }]
const discount: AnswerInCase = { change: ['discounted'] }
const noBenefits: AnswerInCase = { json: { status: 'unchanged', reason: 'no_benefits' } }

/**
 * The steps in their order. The one with the service down is the first: no basket can be on its way then.
 *
 * @param all      every case; false: those for a person
 * @param product  true when the service may add a product
 * @param returns  true for a POS that records returns
 */
export function stepsOf(
  cases: Cases,
  { all, product, returns }: { readonly all: boolean; readonly product: boolean; readonly returns: boolean },
): Step[] {
  const chosen = <Case extends BasketCase | SaleCase>(each: readonly Case[]) =>
    each.filter(({ step }) => all || step !== undefined)
  const baskets = chosen(cases.baskets).filter(({ answer }) => answer !== null && (product || !addsProduct(answer)))
  const others = [abandoned, changed, ...(returns ? [returned] : [])]
  return [away, ...baskets.map(basketStep), ...chosen(cases.sales).map(saleStep), ...others]
}

/** Steps by name. The good answer before a cut comes with it: the cut has to hit the connection that the POS kept from there. */
export function stepsNamed(steps: readonly Step[], names: readonly string[]): Step[] {
  return steps.filter(({ name }, at) => {
    const next = steps[at + 1]
    return names.includes(name) || (next?.answer?.cut === true && names.includes(next.name))
  })
}

const away: Step = {
  name: 'away',
  title: 'the service is down',
  doing: 'away',
  answer: null,
  saleAnswers: recorded,
  returnAnswers: [],
  expect: expected('failed', ['connection_error', 'offline']),
}

const abandoned: Step = {
  name: 'abandoned',
  title: 'the payment is abandoned',
  doing: 'abandon',
  answer: discount,
  saleAnswers: recorded,
  returnAnswers: [],
  expect: expected('cancelled'),
}

const changed: Step = {
  name: 'changed',
  title: 'the basket changes before it is paid',
  doing: 'change',
  answer: discount,
  saleAnswers: recorded,
  returnAnswers: [],
  expect: expected('applied'),
}

const returned: Step = {
  name: 'return',
  title: 'a piece of the first line comes back after the sale; the first answer is 503',
  doing: 'return',
  answer: discount,
  saleAnswers: recorded,
  returnAnswers: [
    { status: 503, json: { error: { code: 'unavailable', message: 'later' } } },
    { json: { result: 'recorded', refund: 0, lines: [], takenBack: 0, givenBack: 0 } },
  ],
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
    returnAnswers: [],
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
    returnAnswers: [],
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
