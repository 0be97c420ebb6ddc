import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { signatureOf } from '../support/sign.js'

/** A service as `npm start` starts it, on free ports with its own folder. */
export interface RunningService {
  readonly url: string
  readonly internalUrl: string
  readonly secret: string
  readonly child: ChildProcess
  /** Its output so far, by line. */
  readonly output: readonly string[]
  send(path: string, body: string | Buffer, options?: SendOptions): Promise<Answer>
  /** Ends it with a signal; resolves to its exit code, null where the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface SendOptions {
  /** null: no header. */
  readonly key?: string | null
  readonly secret?: string
  /** Seconds since the epoch, in the signature. */
  readonly t?: number
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked into freely
  readonly json: any
}

export interface ServiceOptions {
  readonly env?: Record<string, string>
  /** Data folder to use again; absent: a new one. */
  readonly folder?: string
  /** Entry file. Default: the gateway of this build. */
  readonly main?: string
  /** Files that it may hold open (`ulimit -n`); absent: as many as this process. */
  readonly openFiles?: number
}

const ownMain = join(import.meta.dirname, '..', '..', 'gateway', 'main.js')

/** Time to start listening, in milliseconds; generous, for a busy machine. */
const startMs = 120_000
/** Time for which a POS of the tests repeats a call that gets 503. */
const patienceMs = 60_000

/**
 * For tests that do not test the deadline: a busy machine gets more time for calls and store calls. Shorter than a hold lasts in the
 * cache.
 */
export const unhurried = { LOYALTY_DEADLINE_MS: '4500' } as const

/** Starts the built service and waits until it listens; removes its folder unless it was given. */
export async function startService({
  env = {},
  folder,
  openFiles,
  main = ownMain,
}: ServiceOptions = {}): Promise<RunningService> {
  const dataFolder = folder ?? mkdtempSync(join(tmpdir(), 'lps-'))
  const limited = openFiles === undefined ? '' : `ulimit -n ${openFiles}; `
  // The embedded ledger is WebAssembly: optimising it takes half the processor time of a start.
  const quick = env['DATABASE_URL'] === undefined ? '--liftoff-only' : '--no-liftoff-only'
  const child = spawn('/bin/sh', ['-c', `${limited}exec "$0" "$1" "$2"`, process.execPath, quick, main], {
    env: {
      PATH: process.env['PATH'] ?? '',
      TMPDIR: tmpdir(),
      LOYALTY_HTTP: '127.0.0.1:0',
      LOYALTY_GRPC: '127.0.0.1:0',
      LOYALTY_DATA: dataFolder,
      LOYALTY_RATE: '0',
      LOYALTY_PROCESSES: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  const output: string[] = []
  const { url, internalUrl } = await listening(child, output).catch((error: unknown) => {
    child.kill('SIGKILL')
    if (folder === undefined) rmSync(dataFolder, { recursive: true, force: true })
    throw error
  })
  const secret = env['LOYALTY_SECRETS']?.split(',')[0] ?? readFileSync(join(dataFolder, 'secret'), 'utf8').trim()
  const pool = new Pool(url || internalUrl, { connections: 256 })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  return {
    url,
    internalUrl,
    secret,
    child,
    output,
    send: (path, body, options) => send(pool, { path, body, secret, ...options }),
    async stop(signal = 'SIGTERM') {
      await pool.destroy()
      child.kill(signal)
      const code = await exited
      if (folder === undefined) rmSync(dataFolder, { recursive: true, force: true })
      return code
    },
  }
}

/** A shell that ends the service when this process dies: its input then closes. */
function endWithUs(child: ChildProcess): void {
  const guard = spawn('/bin/sh', ['-c', `while read -r line; do :; done; kill -KILL ${child.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  guard.unref()
  ;(guard.stdin as { unref?(): void } | null)?.unref?.()
  child.once('exit', () => guard.kill('SIGKILL'))
}

async function listening(child: ChildProcess, output: string[]): Promise<{ url: string; internalUrl: string }> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`not listening after ${startMs} ms:\n${output.join('\n')}`)),
      startMs,
    )
    let [url, internalUrl] = ['', '']
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        output.push(line)
        url = /^listening on (https?:\S+)/.exec(line)?.[1] ?? url
        internalUrl = /^internal on (https?:\S+)/.exec(line)?.[1] ?? internalUrl
        if (!line.startsWith('to read: ')) return
        clearTimeout(timer)
        resolve({ url, internalUrl })
      })
    }
    // Not `exit`: its last output may still arrive.
    child.once('close', (code) => {
      clearTimeout(timer)
      reject(new Error(`ended with ${code}:\n${output.join('\n')}`))
    })
  })
}

type Sending = SendOptions & { readonly path: string; readonly body: string | Buffer; readonly secret: string }

async function send(
  pool: Pool,
  { path, body, secret, key, t = Math.floor(Date.now() / 1000), headers = {} }: Sending,
): Promise<Answer> {
  const idempotencyKey = key === undefined ? keyOf(body) : key
  const {
    statusCode,
    headers: answered,
    body: stream,
  } = await pool.request({
    path,
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'pos-signature': signature(secret, t, body),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
  })
  const text = await stream.text()
  return { status: statusCode, headers: answered, text, json: JSON.parse(text) }
}

/** `t=<t>,v1=<hex HMAC-SHA256 of "<t>.<body>">` (contract 5). */
export function signature(secret: string, t: number, body: string | Buffer): string {
  return `t=${t},v1=${signatureOf(secret, t, body)}`
}

function keyOf(body: string | Buffer): string {
  const idIn = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"]+)"`).exec(body.toString())?.[1]
  return idIn('returnId') ?? idIn('calculationId') ?? randomUUID()
}

/** Repeats while the answer is 503, as a POS would. */
export async function eventually<T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503 || performance.now() > untilMs) return answer
    await sleep(100)
  }
}
