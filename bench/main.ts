import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Programme, readProgramme } from '../engine/programme/read-programme.js'
import { startPostgres } from '../test/servers/start-postgres.js'
import { startRedis } from '../test/servers/start-redis.js'
import { installMedusa, isMedusaInstalled } from './engine/medusa-engine.js'
import { casesFor, runEngineCases } from './engine/run-engine-cases.js'
import { measureLedgerSize } from './ledger-size.js'
import { createBaskets } from './load/baskets.js'
import { driveOpenLoop } from './load/drive-open-loop.js'
import { createFiring } from './load/fire-baskets.js'
import { type Load, planLoad } from './load/plan-load.js'
import { aboutRun, reportOf } from './load/report.js'
import { createTallies } from './load/tally.js'
import { type BenchOptions, type EngineOptions, help, readOptions } from './options.js'
import type { Service } from './pos/call.js'
import { startService } from './start-service.js'

const sampleFile = join(import.meta.dirname, '..', 'engine', 'programme', 'sample-programme.json')
/** What was started, to be stopped in the reverse order, also when somebody presses Ctrl-C. */
const stops: (() => Promise<void>)[] = []

process.once('SIGINT', () => void stopAll().then(() => process.exit(130)))
process.exitCode = await run()

async function run(): Promise<number> {
  const read = readOptions(process.argv.slice(2))
  if (read.kind === 'help') {
    console.log(help)
    return 0
  }
  if (read.kind === 'wrong') {
    console.error(`${read.message}\nnpm run bench -- --help says what there is`)
    return 2
  }
  try {
    if (read.kind === 'size') {
      await measureLedgerSize(readSample(), read.rows, read.lines)
      return 0
    }
    if (read.kind === 'engine') return await measureEngine(read.options)
    return await measure(await serviceFor(read.options), read.options)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  } finally {
    await stopAll()
  }
}

async function measureEngine({ pattern, settings, installPeers }: EngineOptions): Promise<number> {
  if (casesFor(pattern).length === 0) throw new Error(`no case is named like "${pattern}"`)
  if (installPeers && !isMedusaInstalled()) installMedusa()
  return (await runEngineCases(pattern, settings, aboutRun(settings.seed))) ? 0 : 1
}

async function measure(service: Service, { load, stores, url }: BenchOptions): Promise<number> {
  const where = url ?? `${stores} stores`
  const each = load.lines.join(' and ')
  console.log(
    `${load.rate}/s (${load.arrivals}) for ${load.seconds} s after ${load.warmupSeconds} s of warm-up, ${each} lines, ${where}`,
  )
  const firing = createFiring(service, load.rate, createBaskets(readSample()))
  const tallies = createTallies(load.lines)
  await driveOpenLoop(planLoad(load), firing.fire, tallies.add)
  await firing.close()
  const report = reportOf(tallies, aboutRun(load.seed))
  for (const line of report.lines) console.log(line)
  for (const [outcome, problem] of firing.problems) console.log(`${outcome.padEnd(24)} ${problem}`)
  return report.kept ? 0 : 1
}

async function serviceFor({ url, secret, stores, load }: BenchOptions): Promise<Service> {
  if (url !== null && secret !== null) return { url: url.replace(/\/+$/, ''), secret }
  const service = await startService({ ...rateSettings(load), ...(stores === 'real' ? await realStores() : {}) })
  stops.push(() => service.stop())
  return service
}

/** The rate limit stays on, for it is part of the path, with room for what is sent. */
function rateSettings({ rate }: Load): Record<string, string> {
  return { LOYALTY_RATE: String(rate * 2), LOYALTY_BURST: String(rate * 4) }
}

async function realStores(): Promise<Record<string, string>> {
  const redis = await startRedis({ durable: true })
  stops.push(() => redis.stop())
  const postgres = await startPostgres({ fsync: true })
  stops.push(() => postgres.stop())
  return { REDIS_URL: redis.url, DATABASE_URL: await postgres.createDatabase() }
}

async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop()
}

function readSample(): Programme {
  const read = readProgramme(readFileSync(sampleFile, 'utf8'))
  if (read.kind === 'faulty') throw new Error('the sample programme is faulty')
  return read.programme
}
