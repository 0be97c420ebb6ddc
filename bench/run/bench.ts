import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Service } from '../../clients/pos-js/call.js'
import { type PostgresServer, startPostgres } from '../../test/support/servers/start-postgres.js'
import { type RedisServer, startRedis } from '../../test/support/servers/start-redis.js'
import { type CatalogueSpec, createCatalogue } from '../load/catalogue.js'
import { plainMix } from '../load/draw-baskets.js'
import { type Generator, startGenerator } from '../load/generator.js'
import { type Load, seedOf } from '../load/plan-load.js'
import type { LoadReport } from '../load/run-load.js'
import { type StartedServer, startServer } from './start-server.js'

export interface BenchSettings {
  readonly seed: number
  /** Counted seconds of a case's load; longer cases take a multiple. */
  readonly seconds: number
  /** Search budget of the engine's cases. */
  readonly stepsMax: number
  readonly baskets: number
}

export interface ServiceOptions {
  /** `real`: Redis and Postgres with a database of its own; `embedded`: no other processes. */
  readonly stores: 'real' | 'embedded'
  readonly catalogue: CatalogueSpec
  readonly settings?: Readonly<Record<string, string>>
}

export interface Stores {
  readonly redis: RedisServer
  readonly postgres: PostgresServer
}

/** Resources of cases. Servers start at first use and stop at the end. */
export interface Bench {
  readonly settings: BenchSettings
  /** The usual catalogue: 1,000 benefits and 2,000 members. */
  readonly catalogue: CatalogueSpec & { readonly kind: 'retail' }
  /** A new folder, deleted at the end. */
  folder(name: string): string
  redis(): Promise<RedisServer>
  postgres(): Promise<PostgresServer>
  /** Stores of the floor alone, so that their processor time is its own. */
  floorStores(): Promise<Stores>
  /** A service of the case's own; stopped by `release`, or at the end. */
  start(options: ServiceOptions): Promise<StartedServer>
  /** The shared service: real stores, the bench's catalogue, warmed up. */
  service(): Promise<StartedServer>
  floor(): Promise<StartedServer>
  release(server: StartedServer): Promise<void>
  load(service: Service, load: Load): Promise<LoadReport>
  once<T>(name: string, make: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** The rate limit is part of the request path, so it stays on, with room for every load. */
const wideRate = { LOYALTY_RATE: '100000', LOYALTY_BURST: '200000' }

/** Warm-up with baskets of every size: a fresh service compiles its code for half a minute of one core. */
const warmth: Omit<Load, 'seed' | 'catalogue'> = {
  stages: [{ rate: 120, seconds: 15, counted: true }],
  mix: { ...plainMix, lines: [1, 8, 20, 60, 200] },
  basketsDrawn: 200,
  arrivals: 'poisson',
  visits: null,
  answers: 'anything',
}

/** Created at first use; stopped at the end, last first. */
function createStops() {
  const stops: (() => Promise<void>)[] = []
  const made = new Map<string, Promise<unknown>>()
  return {
    stops,
    once<T>(name: string, make: () => Promise<T>): Promise<T> {
      const known = made.get(name) as Promise<T> | undefined
      if (known !== undefined) return known
      const making = make()
      made.set(name, making)
      return making
    },
    async stopped<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
      const started = await starting
      stops.push(() => started.stop())
      return started
    },
  }
}

export function createBench(settings: BenchSettings): Bench {
  const { stops, once, stopped } = createStops()
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-bench-'))
  const catalogue = { kind: 'retail', seed: settings.seed, benefits: 1_000, members: 2_000 } as const
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  const startStores = (name: string) => ({
    redis: () => once(`${name}redis`, () => stopped(startRedis({ durable: true }))),
    postgres: () => once(`${name}postgres`, () => stopped(startPostgres({ fsync: true }))),
  })
  const { redis, postgres } = startStores('')
  const ofFloor = startStores('floor ')
  const floorStores = async () => ({ redis: await ofFloor.redis(), postgres: await ofFloor.postgres() })
  const settingsOf = async (stores: Stores) => {
    return { REDIS_URL: stores.redis.url, DATABASE_URL: await stores.postgres.createDatabase() }
  }
  const storeSettings = async () => settingsOf({ redis: await redis(), postgres: await postgres() })
  const programmeFile = (spec: CatalogueSpec) =>
    once(`programme ${JSON.stringify(spec)}`, async () => {
      const file = join(folder, `programme-${randomUUID()}.json`)
      writeFileSync(file, createCatalogue(spec).document())
      return file
    })
  async function start(options: ServiceOptions): Promise<StartedServer> {
    const stores = options.stores === 'real' ? await storeSettings() : {}
    const LOYALTY_PROGRAM = await programmeFile(options.catalogue)
    const given = { ...wideRate, ...stores, LOYALTY_PROGRAM, ...options.settings }
    return await stopped(startServer({ entry: 'service', settings: given }))
  }
  const generator = (): Promise<Generator> => once('generator', () => stopped(startGenerator()))
  async function run({ url, secret }: Service, load: Load): Promise<LoadReport> {
    return await (await generator()).run({ load, service: { url, secret } })
  }
  async function startWarm(): Promise<StartedServer> {
    const server = await start({ stores: 'real', catalogue })
    await run(server, { ...warmth, catalogue, seed: seedOf(settings.seed, 'warmth') })
    return server
  }

  return {
    settings,
    catalogue,
    folder: (name) => mkdtempSync(join(folder, `${name}-`)),
    redis,
    postgres,
    floorStores,
    start,
    once,
    service: () => once('service', startWarm),
    floor: () =>
      once('floor', async () =>
        stopped(startServer({ entry: 'floor', settings: await settingsOf(await floorStores()) })),
      ),
    release: (server) => server.stop(),
    load: run,
    async stop() {
      for (const stop of stops.splice(0).reverse()) await stop()
    },
  }
}
