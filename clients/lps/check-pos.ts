import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { readCases } from '../check-pos/cases.js'
import type { Product } from '../check-pos/fit-change.js'
import { playService, stepPath } from '../check-pos/play-service.js'
import type { Run } from '../check-pos/run.js'
import { type Step, stepsNamed, stepsOf } from '../check-pos/steps.js'
import { checkedOf, instructions, pageOf, shortenProblems, type Verdict, verdictsOf } from '../check-pos/verdict.js'
import { junitOf } from '../conformance/run-checks.js'
import { exits, oneLine, print, printError, WrongUse } from './screen.js'
import { readText, several } from './words.js'

interface CheckOptions {
  readonly listen?: { readonly host: string; readonly port: number }
  readonly secret?: string
  readonly secretFile?: string
  readonly cert?: string
  readonly key?: string
  readonly step: readonly string[]
  readonly all?: boolean
  readonly returns?: boolean
  readonly list?: boolean
  readonly product?: Product
  readonly discountCode: string
  readonly attemptMs: number
  readonly wait: number
  readonly quiet: number
  readonly away: number
  readonly end: number
  readonly junit?: string
  readonly page?: string
}

/** Exit code without a completed step. */
const notJudged = 2

export function addCheckPos(program: Command): void {
  program
    .command('check-pos')
    .summary('play the service for a POS, and judge the POS')
    .description(`Plays the service: point a POS at its address, do at the POS what each step says, and read whether the POS holds the
contract. Good answers, failures, late, half, wrong and no answers come; each step is one sale. A step ends by itself.

  lps check-pos --listen 0.0.0.0:8090 --page pos.html

Ctrl-C ends it before the last step, with the results so far; after that step, at once. Exit code 0: every
step holds; 1: a step is broken; 2: no step was done.`)
    .option('--listen <host:port>', 'port 0: a free one. Default: 127.0.0.1:8090', addressFrom)
    .option('--secret <text>', 'the signing secret of the POS. Default: one is made and printed')
    .option('--secret-file <file>', 'a file with it in the first line')
    .option('--cert <file>', 'PEM file, with --key: HTTPS')
    .option('--key <file>', 'PEM file of the key')
    .option('--step <name>', 'only this step; may be repeated. The good answer before "cut" comes with it', several, [])
    .option(
      '--all',
      `every answer of clients/cases/cases.json, for a POS that rings up by itself: it gets { "do": "pay" | "abandon" | "change" | "return" | "wait" | "end" } from GET ${stepPath}. Without an answer there, the service is down: it pays once, and asks again until it has one`,
    )
    .option('--returns', 'one more step: goods come back, for a POS that records returns')
    .option('--list', 'prints the steps, and ends')
    .option(
      '--product <id:price>',
      "what the service may add free of charge, at its price in the venue's list, in minor units",
      productFrom,
    )
    .option('--discount-code <code>', 'the code of its discounts', 'THIRD_PARTY_LOYALTY')
    .option('--attempt-ms <n>', "what an attempt of a basket call has: the contract's", numberFrom, 500)
    .option('--wait <s>', 'how long a step waits for the POS, in seconds', numberFrom, 120)
    .option('--quiet <s>', 'how long it then watches for events too many', numberFrom, 2)
    .option('--away <s>', 'how long the service is down in the first step', numberFrom, 30)
    .option('--end <s>', 'how long that GET is answered with "end" after the last step', numberFrom, 30)
    .option('--junit <file>', 'writes the results as JUnit XML too')
    .option('--page <file>', 'writes them as one HTML page too')
    .action(exits(checkPos))
}

async function checkPos(options: CheckOptions): Promise<number> {
  const { step: wanted, discountCode, attemptMs, product = null } = options
  const cases = readCases()
  const known = stepsOf(cases, {
    all: options.all === true || wanted.length > 0,
    product: product !== null,
    returns: options.returns === true || wanted.includes('return'),
  })
  const steps = wanted.length === 0 ? known : stepsNamed(known, wanted)
  const unknown = wanted.find((name) => !known.some((step) => step.name === name))
  if (unknown !== undefined) throw new WrongUse(`--step: there is no step ${unknown}; --list prints them`)
  if (options.list) {
    for (const { name, title } of steps) print(`${name}  ${title}`)
    return 0
  }
  const secret = secretIn(options)
  const judging = { secret, discountCode, attemptMs }
  const reported = new Map<Run, number>()
  const served = await playService({
    ...(options.listen ?? { host: '127.0.0.1', port: 8_090 }),
    waitMs: options.wait * 1000,
    quietMs: options.quiet * 1000,
    awayMs: options.away * 1000,
    tls: certificateIn(options),
    parts: { cases, discountCode, product },
    steps,
    onStep: (step, at) => announce(step, `${at} of ${steps.length}`),
    onEnd: (run) => {
      const [verdict] = verdictsOf([run], judging)
      reported.set(run, verdict!.problems.length)
      report(verdict!)
    },
  })
  printError(`Point the POS at ${served.url} with the secret ${options.secret ?? secret}; any card and venue will do.`)
  await readiness()
  process.once('SIGINT', served.stop)
  served.begin()
  const verdicts = verdictsOf(await served.runs, judging)
  for (const verdict of verdicts) if (verdict.problems.length !== reported.get(verdict.run)) report(verdict)
  const code = conclude(verdicts, options)
  await answerEnd(options.end)
  await served.close()
  return code
}

async function readiness(): Promise<void> {
  if (!process.stdin.isTTY) return
  printError('Press Enter when it is.')
  await once(process.stdin, 'data')
  process.stdin.pause()
}

async function answerEnd(seconds: number): Promise<void> {
  printError(`The run is over. For ${seconds} s, GET ${stepPath} is answered with "end"; Ctrl-C ends this.`)
  const ended = new AbortController()
  process.once('SIGINT', () => ended.abort())
  await sleep(seconds * 1000, undefined, { signal: ended.signal }).catch(() => {})
}

function announce({ name, title, doing }: Step, place: string): void {
  printError(`\nStep ${place}, ${name}: ${title}\n  ${instructions[doing]}`)
}

function report({ run, problems, note }: Verdict): void {
  print(`${problems.length === 0 ? 'holds ' : 'BROKEN'}  ${run.step.name}: ${run.step.title}`)
  for (const { rule, text } of shortenProblems(problems)) print(`        ${rule}: ${oneLine(text)}`)
  if (note !== null) print(`        note: ${note}`)
}

function conclude(verdicts: readonly Verdict[], { junit, page }: CheckOptions): number {
  const broken = verdicts.filter(({ problems }) => problems.length > 0)
  if (junit !== undefined) writeFileSync(junit, junitOf(verdicts.map(checkedOf)))
  if (page !== undefined) writeFileSync(page, pageOf(verdicts, new Date()))
  const rules = new Set(broken.flatMap(({ problems }) => problems.map(({ rule }) => rule)))
  if (rules.size > 0) print(`broken rules: ${[...rules].sort().join(', ')}`)
  printError(`${verdicts.length - broken.length} of ${verdicts.length} steps hold`)
  if (verdicts.length === 0) return notJudged
  return broken.length === 0 ? 0 : 1
}

function secretIn({ secret, secretFile }: CheckOptions): string {
  if (secret !== undefined) return secret
  return secretFile === undefined ? randomBytes(32).toString('hex') : readText(secretFile).split('\n')[0]!.trim()
}

function certificateIn({ cert, key }: CheckOptions): { readonly cert: string; readonly key: string } | null {
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined) throw new WrongUse('expected --cert and --key together')
  return { cert: readText(cert), key: readText(key) }
}

function productFrom(text: string): Product {
  const [, productId, price] = /^(.{1,64}):(\d{1,9})$/.exec(text) ?? []
  if (productId === undefined) throw new InvalidArgumentError('expected such as espresso:3200')
  return { productId, unitPrice: Number(price) }
}

function addressFrom(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(text) ?? []
  if (host === undefined) throw new InvalidArgumentError('expected such as 127.0.0.1:8090')
  return { host, port: Number(port) }
}

function numberFrom(text: string): number {
  if (!/^\d{1,6}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('expected a number')
  return Number(text)
}
