import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Service } from './pos/call.js'

const main = join(import.meta.dirname, '..', 'gateway', 'main.js')
/** The embedded stores take a few seconds the first time, in milliseconds. */
const startMs = 60_000
/** Lines of its output that are kept for the error when it does not start. */
const outputKept = 40

export interface StartedService extends Service {
  stop(): Promise<void>
}

/**
 * Starts the built service in a process, on a free port and with a data folder of its own; resolves when it listens.
 *
 * @param settings  environment variables besides (wire decisions 7)
 */
export async function startService(settings: Readonly<Record<string, string>>): Promise<StartedService> {
  if (!existsSync(main)) throw new Error('the service is not built yet: npm run build')
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-bench-'))
  const secret = randomBytes(32).toString('hex')
  const env = {
    PATH: process.env['PATH'] ?? '',
    LOYALTY_HTTP: '127.0.0.1:0',
    LOYALTY_GRPC: '127.0.0.1:0',
    LOYALTY_DATA: folder,
    LOYALTY_SECRETS: secret,
    ...settings,
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { url: await listening(child), secret, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function listening(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    const output: string[] = []
    const fail = (what: string) => reject(new Error(`the service ${what}:\n${output.join('\n')}`))
    const timer = setTimeout(() => fail(`does not listen after ${startMs / 1000} s`), startMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream! }).on('line', (line) => {
        if (output.length < outputKept) output.push(line)
        const url = /\blistening on (https?:\/\/[^\s"]+)/.exec(line)?.[1]
        if (url === undefined) return
        clearTimeout(timer)
        resolve(url)
      })
    }
  })
}
