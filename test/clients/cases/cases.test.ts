import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { compileDotnet, compileJava, dotnetOfClients, javaOfClients, missing, pythonOfClients } from './runtimes.js'
import { createScriptedService, type ScriptedAnswer, type SeenRequest } from './scripted-service.js'

const root = join(import.meta.dirname, '..', '..', '..', '..')
const sources = join(root, 'test', 'clients', 'cases')
const secret = '00ff-a secret that is text: blåbær'
/** Half a second, on a busy machine. */
const attemptMs = 1_500

t.setTimeout(300_000)

type Json = Readonly<Record<string, unknown>>
type Change = Json | string

/** An answer: a body as JSON with the calculation's id, as text, or an applied basket with changes by path. */
interface AnswerInCase extends Omit<ScriptedAnswer, 'body'> {
  readonly json?: Json
  readonly text?: string
  readonly change?: readonly Change[]
  readonly more?: Json
}

interface Cases {
  readonly basket: Json & { readonly calculationId: string }
  readonly prices: readonly Json[]
  readonly changes: Readonly<Record<string, Json>>
  readonly baskets: readonly {
    readonly name: string
    /** null: nobody listens. */
    readonly answer: AnswerInCase | null
    readonly expect: {
      readonly status: string
      readonly reason?: string
      readonly failureReason?: string
      readonly net?: number
      readonly requests?: number
    }
  }[]
  readonly sales: readonly {
    readonly name: string
    readonly answers: readonly AnswerInCase[]
    readonly expect: { readonly end: string; readonly attempts: number; readonly pauseMs?: number }
  }[]
}

const cases = JSON.parse(readFileSync(join(root, 'clients', 'cases', 'cases.json'), 'utf8')) as Cases

/** The clients, each by the program that drives it, and why it cannot run here. */
const drivers: readonly (readonly [client: string, skip: string | false, command: (t: Test) => readonly string[]])[] = [
  ['pos-js', false, () => [process.execPath, join(import.meta.dirname, 'drive-js.js')]],
  ['pos-python', await missing(pythonOfClients), () => ['python3', join(sources, 'drive.py')]],
  [
    'pos-java',
    await missing(javaOfClients),
    (t) => ['java', '-cp', compileJava(t, root, join(sources, 'Drive.java')), 'Drive'],
  ],
  ['pos-dotnet', await missing(dotnetOfClients), (t) => ['mono', compileDotnet(t, root, join(sources, 'Drive.cs'))]],
]

for (const [client, skip, command] of drivers) {
  t.test(`the client ${client} does with every answer what the cases say`, { skip }, async (t) => {
    const driver = drive(command(t))
    t.teardown(() => driver.end())
    for (const one of cases.baskets) await t.test(one.name, (t) => basketCase(t, driver, one))
    for (const one of cases.sales) await t.test(`a sale: ${one.name}`, (t) => saleCase(t, driver, one))
  })
}

interface Driver {
  ask(question: Json): Promise<Json>
  end(): void
}

function drive([program, ...words]: readonly string[]): Driver {
  const path = join(root, 'clients', 'pos-python')
  const env = { ...process.env, NODE_OPTIONS: '', PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' }
  const child: ChildProcess = spawn(program!, words, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    async ask(question) {
      child.stdin!.write(`${JSON.stringify(question)}\n`)
      const { value, done } = await answers.next()
      if (done === true) throw new Error('the client ended')
      return JSON.parse(value)
    },
    end: () => child.stdin!.end(),
  }
}

async function basketCase(t: Test, driver: Driver, { answer, expect }: Cases['baskets'][number]): Promise<void> {
  const scripted = answer === null ? [] : [scriptedAnswer(answer)]
  const { status, reason, failureReason, net, requests } = expect
  const { basket, prices } = cases
  const { answered, seen } = await asked(t, driver, scripted, { basket, prices })
  t.match(answered, {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(failureReason === undefined ? {} : { failureReason }),
  })
  const charged = status === 'applied' ? (JSON.parse(scripted[0]!.body) as { basket: Json }).basket : basket
  t.same(answered['charged'], charged, 'the basket to charge')
  if (net !== undefined) t.equal((charged['totals'] as { net: number }).net, net)
  t.equal(seen.length, requests ?? 1, 'requests')
  sentRight(t, seen, { path: '/v1/pos/basket', key: basket.calculationId, body: basket })
}

async function saleCase(t: Test, driver: Driver, { answers, expect }: Cases['sales'][number]): Promise<void> {
  const { context, currency } = cases.basket
  const sale = {
    calculationId: randomUUID(),
    status: 'unchanged',
    currency,
    occurredAt: '2026-11-21T11:01:00Z',
    context,
  }
  const scripted = answers.map((answer) => scriptedAnswer(answer, sale.calculationId))
  const { answered, seen, folder } = await asked(t, driver, scripted, { sale })
  const { end, attempts, pauseMs } = expect
  t.match(answered, { end, attempts, waiting: 0 })
  t.equal(seen.length, attempts)
  t.same(readdirSync(folder), end === 'taken' ? [] : [`${sale.calculationId}.json.${end}`])
  if (pauseMs !== undefined) t.ok(seen[1]!.atMs - seen[0]!.atMs >= pauseMs, `a pause of ${pauseMs} ms`)
  sentRight(t, seen, { path: '/v1/pos/sale', key: sale.calculationId, body: sale })
}

async function asked(t: Test, driver: Driver, scripted: readonly ScriptedAnswer[], what: Json) {
  const service = await createScriptedService(secret, scripted)
  const folder = mkdtempSync(join(tmpdir(), 'pos-cases-'))
  t.teardown(async () => {
    await service.close()
    rmSync(folder, { recursive: true })
  })
  const answered = await driver.ask({ url: service.url, secret, folder, attemptMs, ...what })
  return { answered, seen: service.seen, folder }
}

/** Every request is signed, has its calculation's key, the same bytes, and a request id of its own. */
function sentRight(t: Test, seen: readonly SeenRequest[], what: { path: string; key: string; body: Json }): void {
  for (const request of seen) {
    const { method, path, isSigned, idempotencyKey, contentType } = request
    t.same(
      { method, path, isSigned, idempotencyKey, contentType },
      { method: 'POST', path: what.path, isSigned: true, idempotencyKey: what.key, contentType: 'application/json' },
    )
    t.same(JSON.parse(request.body), what.body)
    t.match(request.requestId, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  }
  t.ok(new Set(seen.map(({ body }) => body)).size <= 1, 'the same bytes each time')
  t.equal(new Set(seen.map(({ requestId }) => requestId)).size, seen.length, 'a request id for each attempt')
}

function scriptedAnswer(answer: AnswerInCase, calculationId = cases.basket.calculationId): ScriptedAnswer {
  const { json, text, change, more, ...how } = answer
  const basket = (change ?? []).reduce((changed: Json, one) => withChange(changed, one), cases.basket)
  const applied = { calculationId, status: 'applied', basket, ...more }
  const body = text ?? JSON.stringify(change === undefined ? { calculationId, ...json } : applied)
  return { ...how, body }
}

function withChange(basket: Json, change: Change): Json {
  const changes = typeof change === 'string' ? cases.changes[change]! : change
  const copy = structuredClone(basket)
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split('.')
    const last = names.pop()!
    const parent = names.reduce((at, name) => at[name] as Record<string, unknown>, copy as Record<string, unknown>)
    parent[last] = value
  }
  return copy
}
