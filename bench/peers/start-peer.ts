import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { freePort } from '../../test/support/free-port.js'
import { startPostgres } from '../../test/support/servers/start-postgres.js'
import { plainMix } from '../load/draw-baskets.js'
import type { Load } from '../load/plan-load.js'
import { benchFolder } from '../run/report.js'
import { type PeerShop, promotions } from './shop.js'

/** A service with promotions and stores of its own. */
export interface Peer {
  readonly name: string
  readonly service: { readonly url: string; readonly secret: string }
  readonly startMs: number
  readonly pids: { readonly node: number; readonly stores: readonly number[] }
  /** Baskets of 20 lines, whose answers have a discount on each. */
  readonly load: Pick<Load, 'catalogue' | 'mix' | 'request' | 'answers'>
  /** Baskets a second of its warm-up. */
  readonly warmRate: number
  /** null: this service, whose cost without promotions is not compared. */
  readonly turnPromotionsOff: (() => Promise<void>) | null
  stop(): Promise<void>
}

interface PeerKind {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Arguments of node that fill the empty database, and that serve. */
  readonly seed: readonly (readonly string[])[]
  readonly serve: readonly string[]
}

const run = promisify(execFile)
const outputMax = 2 ** 26
const healthStepMs = 50
const entry = (name: string) => join(import.meta.dirname, `${name}-entry.js`)
const cli = 'node_modules/@medusajs/cli/cli.js'
const version = '2.21.2'
const medusaConfig = `module.exports = require('@medusajs/framework/utils').defineConfig({ admin: { disable: true } })\n`
const secrets = { JWT_SECRET: 'bench', COOKIE_SECRET: 'bench', MEDUSA_DISABLE_TELEMETRY: 'true' }

export const medusa: PeerKind = {
  name: 'Medusa',
  dependencies: { '@medusajs/cli': version, '@medusajs/framework': version, '@medusajs/medusa': version },
  seed: [
    [cli, 'db:migrate', '--skip-scripts'],
    [cli, 'exec', entry('medusa')],
  ],
  serve: [cli, 'start', '-H', '127.0.0.1'],
}

export const vendure: PeerKind = {
  name: 'Vendure',
  dependencies: { '@vendure/core': '3.7.3', pg: '8.23.1' },
  seed: [[entry('vendure'), 'seed']],
  serve: [entry('vendure')],
}

/** Installed at its first use into a folder that git ignores; its database is new each time. */
export async function startPeer(kind: PeerKind): Promise<Peer> {
  const cwd = await installed(kind)
  const store = await startPostgres({ fsync: true })
  const [databaseUrl, port] = [await store.createDatabase(), await freePort()]
  const env = {
    ...{ PATH: process.env['PATH'], HOME: cwd, NODE_ENV: 'production', ...secrets },
    ...{ PORT: String(port), DATABASE_URL: databaseUrl },
  }
  for (const words of kind.seed) await run(process.execPath, [...words], { cwd, env, maxBuffer: outputMax })
  const beganMs = performance.now()
  const child = spawn(process.execPath, [...kind.serve], { cwd, env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  while ((await fetch(`${url}/health`).catch(() => null))?.ok !== true) {
    if (child.exitCode !== null) throw new Error(`${kind.name} ended with ${child.exitCode}`)
    await sleep(healthStepMs)
  }
  const { path, header, body, discount, sqlOff } = JSON.parse(readFileSync(join(cwd, 'shop.json'), 'utf8')) as PeerShop
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${header}\r\n`
  return {
    ...{ name: kind.name, service: { url, secret: '' }, startMs: performance.now() - beganMs, warmRate: 2 },
    pids: { node: child.pid!, stores: [store.pid] },
    load: {
      ...{ catalogue: { kind: 'sample' }, mix: { ...plainMix, lines: [1] } },
      request: `${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      answers: { text: discount, times: promotions.length },
    },
    async turnPromotionsOff() {
      const sql = postgres(databaseUrl, { max: 1 })
      await sql.unsafe(sqlOff)
      await sql.end()
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
      await store.stop()
    },
  }
}

async function installed({ name, dependencies }: PeerKind): Promise<string> {
  const folder = resolve(benchFolder, 'peers', name.toLowerCase())
  const wanted = JSON.stringify({ private: true, dependencies })
  const stamp = join(folder, 'installed.json')
  mkdirSync(folder, { recursive: true })
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder
  writeFileSync(join(folder, 'package.json'), wanted)
  writeFileSync(join(folder, 'medusa-config.js'), medusaConfig)
  const words = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--no-package-lock']
  await run('npm', words, { cwd: folder, maxBuffer: outputMax })
  writeFileSync(stamp, wanted)
  return folder
}
