import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { readCases } from '../../../clients/check-pos/cases.js'
import { type PlayedService, playService, stepPath } from '../../../clients/check-pos/play-service.js'
import type { Rule } from '../../../clients/check-pos/run.js'
import { type Step, stepsNamed, stepsOf } from '../../../clients/check-pos/steps.js'
import { type Verdict, verdictsOf } from '../../../clients/check-pos/verdict.js'
import type { PosBasket } from '../../../clients/pos-js/basket.js'
import { until } from '../../support/until.js'
import { clients, type Driver, drive } from '../cases/drivers.js'
import { type AutomaticPos, type Outcome, type SellingFault, sellAsAsked } from './sell-as-asked.js'
import { type CallingFault, createRepeatingLibrary, createSmallPos, type Send } from './small-pos.js'

const cases = readCases()
const secret = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const discountCode = 'THIRD_PARTY_LOYALTY'
/** Three times the contract's, on a busy machine. */
const attemptMs = 1_500
/** By which attempts are judged: below the 2,500 ms of the late answer. */
const judgedMs = 2_000
const known = stepsOf(cases, { all: true, product: true, returns: true })
const away = known.find(({ doing }) => doing === 'away')
const espresso = { productId: 'espresso', unitPrice: 3_200 }

t.setTimeout(600_000)

// The cases test all other answers; a cut must hit a connection that the client kept.
for (const { name, skip, command } of await clients()) {
  t.test(`the client ${name} sends nothing again by itself on a kept connection`, { skip }, async (t) => {
    const driver = drive(command(t))
    t.teardown(() => driver.end())
    const folder = mkdtempSync(join(tmpdir(), 'check-pos-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    // The first call of a process is slow.
    await posOf(driver, { url: 'http://127.0.0.1:1', folder }).calculate(cases.basket)
    const trial = { steps: ['cut', 'sale-cut'], fault: null, pos: (url: string) => posOf(driver, { url, folder }) }
    const verdicts = await judged(t, trial)
    t.same(brokenOf(verdicts), [])
    t.equal(verdicts.length, 3)
  })
}

t.test('a POS of another making holds every step', async (t) => {
  const verdicts = await judged(t, {
    steps: [],
    fault: null,
    pos: (url) => createSmallPos({ url, secret }, attemptMs, null),
  })
  t.same(brokenOf(verdicts), [])
  t.ok(verdicts.length > cases.baskets.length, 'one step a case, and more')
})

const callingFaults: readonly (readonly [CallingFault, step: string, Rule])[] = [
  ['charges what does not add up', 'total-sum', 'keeps-basket'],
  ['never charges a discount', 'line-discount', 'applies-basket'],
  ['waits too long', 'silence', 'in-time'],
  ['sends a basket again after 503', '503', 'basket-once'],
  ['has one request id', 'unchanged', 'request-id'],
  ['signs under the bytes of the secret', 'unchanged', 'signature'],
  ['gives up an event at the first failure', 'sale-again', 'event-again'],
  ['sends events without a pause', 'sale-again', 'backoff'],
  ['has one pause before each attempt', 'sale-again', 'backoff'],
  ['overlooks Retry-After', 'sale-retry-after', 'retry-after'],
  ['sends a refused event again', 'sale-400', 'event-stop'],
  ['has a new key for each attempt', 'unchanged', 'idempotency-key'],
  ['has no noDiscount', 'unchanged', 'form'],
  ['gives up an event at the first failure', 'return', 'return-again'],
  ['has a new key for each attempt', 'return', 'idempotency-key'],
]

for (const [fault, step, rule] of callingFaults) {
  t.test(`a POS that ${fault} breaks ${rule} in ${step}`, async (t) => {
    const pos = (url: string) => createSmallPos({ url, secret }, attemptMs, fault)
    t.same(rulesOf(await judged(t, { steps: [step], fault: null, pos })), [rule])
  })
}

const sellingFaults: readonly (readonly [SellingFault, step: string, Rule])[] = [
  ['sends each event twice', 'unchanged', 'one-event'],
  ['says http_error of every failure', 'cut', 'failure-reason'],
  ['does not name what it supersedes', 'changed', 'supersedes'],
  ['sends an event for what is superseded', 'changed', 'supersedes'],
  ['pays what is abandoned', 'abandoned', 'abandoned'],
  ['returns what was not sold', 'return', 'return'],
]

for (const [fault, step, rule] of sellingFaults) {
  t.test(`a POS that ${fault} breaks ${rule}`, async (t) => {
    const pos = (url: string) => createSmallPos({ url, secret }, attemptMs, null)
    t.same(rulesOf(await judged(t, { steps: [step], fault, pos })), [rule])
  })
}

t.test('a library that repeats on a kept connection breaks basket-once, and its setting is named', async (t) => {
  const verdicts = await judged(t, smallTrial(['cut'], createRepeatingLibrary({ keepsConnections: true })))
  t.match(brokenOf(verdicts), [
    /^cut: basket-once: the basket was sent 2 times: .*your HTTP library repeats by itself: Go: request\.GetBody = nil; /,
    /^cut: request-id: /,
  ])
})

t.test('a library that repeats an event at once breaks backoff, and its setting is named', async (t) => {
  const verdicts = await judged(t, smallTrial(['sale-cut'], createRepeatingLibrary({ keepsConnections: true })))
  t.match(brokenOf(verdicts).join(), /sale-cut: backoff: pauses of .*your HTTP library repeats by itself/)
})

t.test('a repeat at once under a new request id has the same hint', async (t) => {
  const pos = (url: string) => createSmallPos({ url, secret }, attemptMs, 'sends a basket again after 503')
  const verdicts = await judged(t, { steps: ['503'], fault: null, pos })
  t.match(brokenOf(verdicts), [/^503: basket-once: .*your HTTP library repeats by itself/])
})

t.test('the cut meets a kept connection, after a good answer; of a POS that keeps none it says so', async (t) => {
  const kept = await judged(t, smallTrial(['cut'], createRepeatingLibrary({ keepsConnections: true })))
  t.same(
    kept.map(({ run: { step, calculations } }) => [
      step.name,
      step.expect.status,
      calculations[0]?.baskets[0]?.isReused,
    ]),
    [
      ['unchanged', 'unchanged', false],
      ['cut', 'failed', true],
    ],
  )
  const fresh = await judged(t, smallTrial(['cut'], createRepeatingLibrary({ keepsConnections: false })))
  t.same(brokenOf(fresh), [])
  t.match(
    fresh.map(({ note }) => note),
    [null, /^basket-once: the POS opened a connection for this basket/],
  )
})

t.test('in every choice of steps the one before the cut has a good answer', (t) => {
  for (const all of [true, false]) {
    const steps = stepsOf(cases, { all, product: true, returns: false })
    const before = steps[steps.findIndex(({ answer }) => answer?.cut === true) - 1]
    t.same(before?.answer, { json: { status: 'unchanged', reason: 'no_benefits' } })
    t.same(
      stepsNamed(steps, ['cut', '503']).map(({ name }) => name),
      [before?.name, 'cut', '503'],
    )
  }
  t.end()
})

t.test('a POS that delivers its events in the background rings up once a step', async (t) => {
  const names = ['away', 'line-discount', '503', 'sale-again', 'sale-unknown', 'abandoned', 'changed']
  let sales = 0
  const pos = (url: string): AutomaticPos => {
    const small = createSmallPos({ url, secret }, attemptMs, null)
    return {
      calculate(basket) {
        sales += 1
        return small.calculate(basket)
      },
      async record(sale) {
        void small.record(sale)
      },
      giveBack: small.giveBack,
    }
  }
  t.same(brokenOf(await judged(t, { steps: names, fault: null, pos })), [])
  t.equal(sales, names.length + 1, 'one a step, and two where the basket changes')
})

t.test('an automatic POS that asks before the steps begin waits', async (t) => {
  const served = await serve(t, [], { waitMs: 1_000, quietMs: 50 })
  const next = async () => (await fetch(`${served.url}${stepPath}`)).json()
  t.same(await next(), { do: 'wait' })
  served.begin()
  await served.runs
  t.same(await next(), { do: 'end' })
})

t.test('stopped while the service is down, it listens again and answers end', async (t) => {
  const served = await serve(t, [away!], { waitMs: 1_000, quietMs: 50, awayMs: 60_000 })
  served.begin()
  await t.rejects(fetch(served.url))
  served.stop()
  const next = await until(
    () =>
      fetch(`${served.url}${stepPath}`)
        .then((response) => response.json())
        .catch(() => null),
    (answer) => answer !== null,
  )
  t.same(next, { do: 'end' })
})

t.test('a POS from which nothing comes does not hold a step', async (t) => {
  const pos = (): AutomaticPos => ({
    calculate: async (charged) => ({ status: 'unchanged', charged }),
    record: async () => {},
    giveBack: async () => {},
  })
  t.same(rulesOf(await judged(t, { steps: ['unchanged'], fault: null, pos, waitMs: 100 })), ['step'])
})

t.test('of a basket that a step cannot use it says so, and judges no outcome', async (t) => {
  const [line] = cases.basket.lines
  const basket = { ...cases.basket, lines: [line!], totals: line!.totals }
  const pos = (url: string) => createSmallPos({ url, secret }, attemptMs, null)
  const [verdict] = await judged(t, { steps: ['line-discount'], fault: null, pos, basket })
  t.match(verdict!.problems, [{ rule: 'step', text: /at least two different products/ }])
})

t.test('an event from before the steps is taken, and counts for none', async (t) => {
  const pos = (url: string): AutomaticPos => {
    const small = createSmallPos({ url, secret }, attemptMs, null)
    return {
      ...small,
      async record(sale) {
        await small.record({ ...sale, calculationId: randomUUID(), status: 'failed', failureReason: 'timeout' })
        await small.record(sale)
      },
    }
  }
  t.same(brokenOf(await judged(t, { steps: ['unchanged', '503'], fault: null, pos })), [])
})

interface Trial {
  /** Empty: every one. */
  readonly steps: readonly string[]
  readonly fault: SellingFault | null
  readonly waitMs?: number
  readonly basket?: PosBasket
  pos(url: string): AutomaticPos
}

async function judged(
  t: Test,
  { steps, fault, pos, waitMs = 15_000, basket = cases.basket }: Trial,
): Promise<readonly Verdict[]> {
  const chosen = steps.length === 0 ? known : stepsNamed(known, steps)
  const served = await serve(t, chosen, { waitMs, quietMs: steps.length === 0 ? 50 : 400 })
  served.begin()
  const [runs] = await Promise.all([served.runs, sellAsAsked(served.url, pos(served.url), { basket, fault })])
  return verdictsOf(runs, { secret, discountCode, attemptMs: judgedMs })
}

async function serve(
  t: Test,
  steps: readonly Step[],
  times: { readonly waitMs: number; readonly quietMs: number; readonly awayMs?: number },
): Promise<PlayedService> {
  const served = await playService({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    parts: { cases, discountCode, product: espresso },
    steps,
    awayMs: 2_000,
    ...times,
    onStep: () => {},
    onEnd: () => {},
  })
  t.teardown(() => served.close())
  return served
}

function smallTrial(steps: readonly string[], send: Send): Trial {
  return { steps, fault: null, pos: (url) => createSmallPos({ url, secret, send }, attemptMs, null) }
}

function posOf(driver: Driver, { url, folder }: { readonly url: string; readonly folder: string }): AutomaticPos {
  const how = { url, secret, folder, attemptMs, pauseMs: 300 }
  return {
    calculate: async (basket) => (await driver.ask({ ...how, basket, prices: cases.prices })) as unknown as Outcome,
    record: async (sale) => {
      await driver.ask({ ...how, sale })
    },
    async giveBack(returned) {
      while ((await driver.ask({ ...how, returned }))['end'] === 'later') await sleep(100)
    },
  }
}

function brokenOf(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.flatMap(({ run, problems }) => problems.map(({ rule, text }) => `${run.step.name}: ${rule}: ${text}`))
}

function rulesOf(verdicts: readonly Verdict[]): readonly Rule[] {
  return [...new Set(verdicts.flatMap(({ problems }) => problems.map(({ rule }) => rule)))]
}
