import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Service } from '../../clients/pos-js/call.js'
import type { ProbeReading, ReadingAsk } from '../probe/probe.js'

const built = join(import.meta.dirname, '..', '..')
const entries = {
  service: join(built, 'gateway', 'main.js'),
  floor: join(built, 'bench', 'floor', 'floor-server.js'),
} as const
const probe = join(built, 'bench', 'probe', 'probe.js')
/** Time to start, in milliseconds; embedded stores take a few seconds the first time. */
const startMs = 60_000
/** Lines of output quoted in the error when the server does not start. */
const outputLinesMax = 40

export interface StartedServer extends Service {
  readonly internal: string | null
  readonly pid: number
  /** Token of an internal service with write access. */
  readonly token: string
  /** From process start to its listening message, in milliseconds. */
  readonly startMs: number
  /** The reading since the last one, or since the start. */
  read(ask?: ReadingAsk): Promise<ProbeReading>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly entry: keyof typeof entries
  readonly settings: Readonly<Record<string, string>>
}

/** Starts a built server as a process, on a free port and with its own data folder; resolves when it listens. */
export async function startServer({ entry, settings }: ServerOptions): Promise<StartedServer> {
  if (!existsSync(entries[entry])) throw new Error('the service is not built yet: npm run build')
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-bench-'))
  const secret = randomBytes(32).toString('hex')
  const token = randomBytes(32).toString('hex')
  const env = {
    PATH: process.env['PATH'] ?? '',
    LOYALTY_HTTP: '127.0.0.1:0',
    LOYALTY_GRPC: '127.0.0.1:0',
    LOYALTY_DATA: folder,
    LOYALTY_SECRETS: secret,
    LOYALTY_TOKENS: `admin:${token}`,
    LOYALTY_LOG: 'warn',
    LOYALTY_PROCESSES: '1',
    ...settings,
  }
  const beganMs = performance.now()
  const args = ['--import', probe, '--expose-gc', entries[entry]]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const { url, internal } = await listening(child)
    const tookMs = performance.now() - beganMs
    return {
      ...{ url, secret, token, internal, pid: child.pid!, startMs: tookMs, stop },
      read: (ask = { collect: false }) => readingOf(child, ask),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function readingOf(child: ChildProcess, ask: ReadingAsk): Promise<ProbeReading> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('the server has ended'))
    child.once('exit', gone)
    child.once('message', (message) => {
      child.off('exit', gone)
      resolve(message as ProbeReading)
    })
    child.send(ask, (error) => error !== null && reject(error))
  })
}

/** The service logs its URL first, then its internal listener; a floor has no internal one. */
function listening(child: ChildProcess): Promise<{ url: string; internal: string | null }> {
  return new Promise((resolve, reject) => {
    const output: string[] = []
    let url: string | null = null
    const fail = (what: string) => reject(new Error(`the server ${what}:\n${output.join('\n')}`))
    const timer = setTimeout(() => fail(`does not listen after ${startMs / 1000} s`), startMs)
    const done = (internal: string | null) => {
      clearTimeout(timer)
      if (url !== null) resolve({ url, internal })
    }
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        if (output.length < outputLinesMax) output.push(line)
        url ??= /\blistening on (https?:\/\/[^\s"]+)/.exec(line)?.[1] ?? null
        const internal = /\binternal on (?:https?:\/\/([^\s"]+)|nowhere)/.exec(line)
        if (internal !== null) done(internal[1] ?? null)
      })
    }
  })
}
