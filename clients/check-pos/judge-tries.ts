import type { Calculation, Problem, Rule, Run, Seen } from './run.js'
import type { Step } from './steps.js'

/** Tolerance for an attempt's time: the way here, and the end of a connection. Milliseconds. */
const slackMs = 250
/** Below this, events count as sent without a pause. Of three or more pauses the last is at least this many times the first. */
const pauseMinMs = 50
const growthMin = 1.5
/** A measured pause may be shorter by the round trip, in milliseconds. */
const pauseSlackMs = 20

export function problemsOfTries(calculation: Calculation, step: Step, attemptMs: number): Problem[] {
  return [...basketProblems(calculation, attemptMs), ...eventProblems(calculation.sales, step)]
}

function basketProblems({ baskets }: Calculation, attemptMs: number): Problem[] {
  const bodies = new Set(baskets.map(({ body }) => body.toString()))
  const longestMs = Math.max(0, ...baskets.map(({ waitedMs }) => waitedMs()))
  const problems: Problem[] = []
  if (bodies.size > 1) problems.push(wrong('new-calculation', 'another basket came under the same calculationId'))
  else if (baskets.length > 1) {
    const text = `the basket was sent ${baskets.length} times: only one that got no connection is sent again`
    problems.push(wrong('basket-once', isSilentRepeat(baskets) ? `${text}; ${silentRepeatHint}` : text))
  }
  if (longestMs > attemptMs + slackMs) {
    const text = `the POS waited ${Math.round(longestMs)} ms for an answer: an attempt has ${attemptMs} ms`
    problems.push(wrong('in-time', text))
  }
  return problems
}

function isSilentRepeat([first, second]: readonly Seen[]): boolean {
  const id = first!.headers['x-request-id']
  const pauseMs = second!.atMs - first!.atMs - first!.waitedMs()
  return pauseMs < pauseMinMs || (id !== undefined && second!.headers['x-request-id'] === id)
}

/** The part of a cut's step that this POS's requests cannot show; null: none. */
export function noteOfCut({ step, calculations }: Run): string | null {
  const baskets = calculations.flatMap(({ baskets }) => baskets)
  if (step.answer?.cut !== true || baskets.length !== 1 || baskets[0]!.isReused) return null
  return 'basket-once: the POS opened a connection for this basket. An HTTP library that repeats by itself does so on a kept one, which was not seen here; a POS that opens one for each call keeps none'
}

function eventProblems(sales: readonly Seen[], { expect, saleAnswers }: Step): Problem[] {
  if (sales.length === 0) return []
  const problems: Problem[] = []
  const others = new Set(sales.map(({ body }) => body.toString())).size - 1
  if (others > 0) problems.push(wrong('one-event', 'sale events that differ came for one calculation'))
  if (sales.length < expect.attempts) {
    const text = `the event was sent ${sales.length} times, and is not delivered after ${expect.attempts - 1} failures`
    problems.push(wrong('event-again', text))
  }
  const end = saleAnswers.at(-1)?.status ?? 200
  if (sales.length > expect.attempts && others === 0) {
    const text = `the event was sent again after it was answered ${end}`
    problems.push(end >= 400 ? wrong('event-stop', text) : wrong('one-event', text))
  }
  return [...problems, ...pauseProblems(sales.slice(0, expect.attempts), expect.pauseMs)]
}

function pauseProblems(sales: readonly Seen[], askedMs: number): Problem[] {
  const pauses = sales.slice(1).map(({ atMs }, at) => Math.round(atMs - sales[at]!.atMs))
  const [first] = pauses
  if (first === undefined) return []
  const text = `pauses of ${pauses.join(', ')} ms before the event was sent again`
  if (first < askedMs - pauseSlackMs) return [wrong('retry-after', `${text}: Retry-After asked for ${askedMs} ms`)]
  const isFlat = pauses.length >= 3 && pauses.at(-1)! < first * growthMin
  if (first < pauseMinMs) return [wrong('backoff', `${text}: expected exponential backoff; ${silentRepeatHint}`)]
  return isFlat ? [wrong('backoff', `${text}: expected exponential backoff`)] : []
}

function wrong(rule: Rule, text: string): Problem {
  return { rule, text }
}

const settings: readonly (readonly [library: string, setting: string])[] = [
  ['Go', 'request.GetBody = nil'],
  ['libcurl', 'CURLOPT_FORBID_REUSE or CURLOPT_FRESH_CONNECT'],
  ['OkHttp', 'retryOnConnectionFailure(false)'],
  ['HttpURLConnection', '-Dsun.net.http.retryPost=false'],
  ['Java HttpClient', 'no jdk.httpclient.enableAllMethodRetry'],
  ['.NET', 'DisableForUnsafeHttpMethods() in a resilience handler'],
  ['undici', 'no POST in the methods of RetryAgent or interceptors.retry'],
  ['urllib3', 'retries=False'],
]

const silentRepeatHint = `where your code does not do this, your HTTP library repeats by itself: ${settings.map(([library, setting]) => `${library}: ${setting}`).join('; ')}`
