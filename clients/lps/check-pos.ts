import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readCases } from '../check-pos/cases.js'
import type { Product } from '../check-pos/fit-change.js'
import { instructions, pageOf } from '../check-pos/page.js'
import { playService, stepPath } from '../check-pos/play-service.js'
import type { Run } from '../check-pos/run.js'
import { shortenProblems } from '../check-pos/shorten.js'
import { type Step, stepsNamed, stepsOf } from '../check-pos/steps.js'
import { checkedOf, type Verdict, verdictsOf } from '../check-pos/verdict.js'
import { junitOf } from '../conformance/junit.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { readText } from './files.js'
import { oneLine } from './plain-text.js'

export const checkPos: Command = {
  name: 'check-pos',
  summary: 'play the service for a POS, and judge the POS',
  help: `lps check-pos

Plays the service: point a POS at its address, do at the POS what each step says, and read whether the POS holds the
contract. Good answers, failures, late, half, wrong and no answers come; each step is one sale. A step ends by itself.

  lps check-pos --listen 0.0.0.0:8090 --page pos.html

  --listen HOST:PORT     default 127.0.0.1:8090; port 0: a free one
  --secret TEXT          the signing secret of the POS. Default: one is made and printed
  --secret-file FILE     a file with it in the first line
  --cert, --key FILE     PEM files: HTTPS
  --step NAME            only this step; may be repeated. The good answer before "cut" comes with it
  --all                  every answer of clients/cases/cases.json, for a POS that rings up by itself: it gets
                         { "do": "pay" | "abandon" | "change" | "wait" | "end" } from GET ${stepPath}. Without an
                         answer there, nobody listens: it pays once, and asks again until it has one
  --list                 prints the steps, and ends
  --product ID:PRICE     what the service may add free of charge, at its price in the venue's list, in minor units
  --discount-code CODE   default THIRD_PARTY_LOYALTY
  --attempt-ms N         what an attempt of a basket call has. Default: 500, the contract's
  --wait S               how long a step waits for the POS, in seconds. Default: 120
  --quiet S              how long it then watches for events too many. Default: 2
  --away S               how long nobody listens in the first step. Default: 30
  --end S                how long that GET is answered with "end" after the last step. Default: 30
  --junit FILE           writes the results as JUnit XML too
  --page FILE            writes them as one HTML page too

Ctrl-C ends it before the last step, with the results so far; after that step, at once. Exit code 0: every
step holds; 1: a step is broken; 2: no step was done.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const cases = readCases()
    const product = productIn(values.product)
    const wanted = values.step ?? []
    const known = stepsOf(cases, { all: values.all === true || wanted.length > 0, product: product !== null })
    const steps = wanted.length === 0 ? known : stepsNamed(known, wanted)
    const unknown = wanted.find((name) => !known.some((step) => step.name === name))
    if (unknown !== undefined) throw new WrongUse(`--step: there is no step ${unknown}; --list prints them`)
    if (values.list) {
      for (const { name, title } of steps) screen.print(`${name}  ${title}`)
      return 0
    }
    const secret = secretIn(values)
    const judging = { secret, discountCode: values['discount-code'], attemptMs: numberIn(values, 'attempt-ms') }
    const endS = numberIn(values, 'end')
    const parts = { cases, discountCode: judging.discountCode, product }
    const reported = new Map<Run, number>()
    const served = await playService({
      ...addressIn(values.listen),
      ...timesIn(values),
      tls: certificateIn(values),
      parts,
      steps,
      onStep: (step, at) => announce(screen, step, `${at} of ${steps.length}`),
      onEnd: (run) => {
        const [verdict] = verdictsOf([run], judging)
        reported.set(run, verdict!.problems.length)
        report(screen, verdict!)
      },
    })
    screen.tell(
      `Point the POS at ${served.url} with the secret ${values.secret ?? secret}; any card and venue will do.`,
    )
    await readiness(screen)
    process.once('SIGINT', served.stop)
    served.begin()
    const runs = await served.runs
    const verdicts = verdictsOf(runs, judging)
    // What came later, such as a second event.
    for (const verdict of verdicts) if (verdict.problems.length !== reported.get(verdict.run)) report(screen, verdict)
    const code = conclude(screen, verdicts, values)
    await answerEnd(screen, endS)
    await served.close()
    return code
  },
}

/** A person says when the POS is ready. */
async function readiness({ tell }: Screen): Promise<void> {
  if (!process.stdin.isTTY) return
  tell('Press Enter when it is.')
  await once(process.stdin, 'data')
  process.stdin.pause()
}

/** An automatic POS that got no answer would ring up again. */
async function answerEnd({ tell }: Screen, seconds: number): Promise<void> {
  tell(`The run is over. For ${seconds} s, GET ${stepPath} is answered with "end"; Ctrl-C ends this.`)
  const ended = new AbortController()
  process.once('SIGINT', () => ended.abort())
  await sleep(seconds * 1000, undefined, { signal: ended.signal }).catch(() => {})
}

function announce({ tell }: Screen, { name, title, doing }: Step, place: string): void {
  tell(`\nStep ${place}, ${name}: ${title}\n  ${instructions[doing]}`)
}

function report({ print }: Screen, { run, problems, note }: Verdict): void {
  print(`${problems.length === 0 ? 'holds ' : 'BROKEN'}  ${run.step.name}: ${run.step.title}`)
  for (const { rule, text } of shortenProblems(problems)) print(`        ${rule}: ${oneLine(text)}`)
  if (note !== null) print(`        note: ${note}`)
}

/** Prints what is broken in all, and writes the files. */
function conclude(
  { print, tell }: Screen,
  verdicts: readonly Verdict[],
  { junit, page }: { readonly junit?: string | undefined; readonly page?: string | undefined },
): number {
  const broken = verdicts.filter(({ problems }) => problems.length > 0)
  if (junit !== undefined) writeFileSync(junit, junitOf(verdicts.map(checkedOf)))
  if (page !== undefined) writeFileSync(page, pageOf(verdicts, new Date()))
  const rules = new Set(broken.flatMap(({ problems }) => problems.map(({ rule }) => rule)))
  if (rules.size > 0) print(`broken rules: ${[...rules].sort().join(', ')}`)
  tell(`${verdicts.length - broken.length} of ${verdicts.length} steps hold`)
  if (verdicts.length === 0) return notJudged
  return broken.length === 0 ? 0 : 1
}

/** Exit code where no step was done. */
const notJudged = 2

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

function secretIn({ secret, 'secret-file': file }: Values): string {
  return secret ?? (file === undefined ? randomBytes(32).toString('hex') : readText(file).split('\n')[0]!.trim())
}

function productIn(text: string | undefined): Product | null {
  if (text === undefined) return null
  const [, productId, price] = /^(.{1,64}):(\d{1,9})$/.exec(text) ?? []
  if (productId === undefined) throw new WrongUse(`--product: expected such as espresso:3200, received ${text}`)
  return { productId, unitPrice: Number(price) }
}

function addressIn(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === undefined) throw new WrongUse(`--listen: expected such as 127.0.0.1:8090, received ${text}`)
  return { host, port: Number(port) }
}

function timesIn(values: Values) {
  const ms = (name: 'wait' | 'quiet' | 'away') => numberIn(values, name) * 1000
  return { waitMs: ms('wait'), quietMs: ms('quiet'), awayMs: ms('away') }
}

function numberIn(values: Values, name: 'wait' | 'quiet' | 'away' | 'end' | 'attempt-ms'): number {
  const text = values[name]
  if (!/^\d{1,6}(\.\d+)?$/.test(text)) throw new WrongUse(`--${name}: expected a number, received ${text}`)
  return Number(text)
}

function certificateIn({ cert, key }: Values): { readonly cert: string; readonly key: string } | null {
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined) throw new WrongUse('expected --cert and --key together')
  return { cert: readText(cert), key: readText(key) }
}

const options = {
  listen: { type: 'string', default: '127.0.0.1:8090' },
  secret: { type: 'string' },
  'secret-file': { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  step: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  list: { type: 'boolean' },
  product: { type: 'string' },
  'discount-code': { type: 'string', default: 'THIRD_PARTY_LOYALTY' },
  'attempt-ms': { type: 'string', default: '500' },
  wait: { type: 'string', default: '120' },
  quiet: { type: 'string', default: '2' },
  away: { type: 'string', default: '30' },
  end: { type: 'string', default: '30' },
  junit: { type: 'string' },
  page: { type: 'string' },
} as const
