import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { setSoundFlags } from '../engine/thread/v8-flags.js'
import { runningBuild } from './config/build.js'
import type { Address, Config, Serve } from './config/config.js'
import { StartFault } from './config/config.js'
import { readConfig } from './config/read-config.js'
import { openFilesWarning, runtimeWarning } from './config/runtime.js'
import type { Announcement } from './processes/messages.js'
import { createSiblings, type Siblings } from './processes/siblings.js'
import { type ChildEvents, startSupervisor } from './processes/supervisor.js'
import { createLog } from './telemetry/log.js'
import { createMetrics } from './telemetry/metrics.js'

/** A shutdown that takes longer than this is cut off (wire decisions 6). */
const stopMaxMs = 10_000
/** SIGHUP too, which a closing terminal sends: by default Node ends without draining. Files are read again without it. */
const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** A process's place among those of one start; set by the supervisor alone. */
const numberVariable = 'LOYALTY_PROCESS_NUMBER'

/** How much nicer the internal process is than the others, as of nice(2). */
const internalPriority = 10
const lowestPriority = 19

setSoundFlags()
if (cluster.isPrimary) sayWhatIsLow()
const read = readConfig(process.env)
if (read.kind === 'faults') stopTheStart(read.faults)
else if (processCount(read.config) === 1) await serveAlone(read.config)
else if (cluster.isPrimary) supervise(read.config)
else await serveAmongOthers(read.config)

function sayWhatIsLow(): void {
  for (const warning of [runtimeWarning(process.versions.node), openFilesWarning(readLimits())]) {
    if (warning !== null) say(warning)
  }
}

/** Limits of this process; only Linux has the file. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

async function serveAlone(config: Config): Promise<void> {
  const service = await compose(config, config.serve, null)
  stopOnSignals(
    () => void service.stop().then(() => process.exit(0)),
    () => process.exit(1),
  )
  announce(service, config)
}

/** One of several processes: it drains at a signal or when its supervisor says so; a second one changes nothing. */
async function serveAmongOthers(config: Config): Promise<void> {
  let stopping = false
  let running: { stop(): Promise<void> } | null = null
  const stop = (): void => {
    if (stopping) return
    stopping = true
    if (running === null) process.exit(0)
    setTimeout(() => process.exit(1), stopMaxMs).unref()
    void running.stop().then(() => process.exit(0))
  }
  onEndSignals(stop)
  const number = Number(process.env[numberVariable])
  const isInternal = config.internalApart && number > config.processes
  // Where cores are short, POS processes come first.
  if (isInternal) setPriority(Math.min(lowestPriority, getPriority() + internalPriority))
  const serve = config.internalApart ? (isInternal ? 'internal' : 'pos') : config.serve
  const siblings = createSiblings({
    ...{ number, name: isInternal ? 'internal' : number },
    // Where the supervisor is gone, the closed channel ends this process.
    line: {
      send: (message) => process.send!(message, () => {}),
      onMessage: (receive) => process.on('message', receive),
    },
    stop,
  })
  const service = await compose(config, serve, siblings)
  running = service
  const { stop: _, ...announcement } = service
  siblings.up(announcement)
}

/** Loads the service only here: the supervisor of several processes needs none of it. */
async function compose(config: Config, serve: Serve, siblings: Siblings | null) {
  const { composeService } = await import('./compose.js')
  try {
    return await composeService(config, { serve, siblings, log: createLog(config.logLevel, undefined, siblings?.name) })
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    return stopTheStart([error.message])
  }
}

/** Only forks and watches: listening, pricing and the stores are its processes' work. */
function supervise(config: Config): void {
  const log = createLog(config.logLevel, undefined, 'supervisor')
  const supervisor = startSupervisor({
    count: processCount(config),
    fork,
    metrics: createMetrics('supervisor'),
    announce: (announcement) => announce(announcement, config),
    exit: (code) => process.exit(code),
    warn: (fields, message) => log.warn(fields, message),
  })
  onEndSignals(() => supervisor.stop())
}

function fork(number: number, publishes: boolean, events: ChildEvents) {
  const worker = cluster.fork({ [numberVariable]: String(number), ...(publishes ? {} : { LOYALTY_PROGRAM: '' }) })
  worker.on('message', events.said)
  worker.on('exit', events.ended)
  // A message to a process that has just ended; `exit` reports the end.
  worker.on('error', () => {})
  return {
    send: (message: object) => void (worker.isConnected() && worker.send(message, () => {})),
    kill: () => void worker.process.kill('SIGKILL'),
  }
}

function announce(service: Announcement, config: Config): void {
  const { environment, tls, databaseUrl, redisUrl, processes, internalApart } = config
  const { version, commit } = runningBuild()
  const scheme = tls === null ? 'http' : 'https'
  const url = service.http && `${scheme}://${addressText(service.http)}`
  const internalUrl = service.internal && `${scheme}://${addressText(service.internal)}`
  const stores = `${databaseUrl === null ? 'embedded Postgres' : 'Postgres'}, ${redisUrl === null ? 'no Redis' : 'Redis'}`
  const several = processCount(config) === 1 ? '' : `; ${processes} ${internalApart ? '+ 1 ' : ''}processes`
  say(
    `Loyalty Partner Service ${version} (${commit}), ${environment}; ${stores}; programme version ${service.programmeVersion}${several}`,
  )
  for (const warning of service.warnings) say(`warning: ${warning}`)
  if (service.secretsFile !== null) say(`signing secret in ${service.secretsFile}`)
  if (service.tokensFile !== null) say(`tokens of internal services in ${service.tokensFile}`)
  if (url !== null) say(`listening on ${url} (lps: --url)`)
  if (internalUrl !== null) say(`internal on ${internalUrl} (lps: --internal)`)
  const once = service.consolePath?.includes('#') ? ' (signs in once, within an hour)' : ''
  if (service.consolePath !== null) say(`console on ${openable(internalUrl!)}${service.consolePath}${once}`)
  say(`to read: ${internalUrl ?? url}/docs`)
  if (environment === 'staging' && url !== null && service.secretsFile !== null)
    say(`try: npm run demo -- --url ${url} --secret-file ${service.secretsFile}`)
}

function processCount({ processes, internalApart }: Config): number {
  return processes + (internalApart ? 1 : 0)
}

function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** For a browser on this machine: in a container the service listens on every address. */
function openable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//127.0.0.1:')
}

/** Acts on every signal but a SIGHUP after another one: a closing terminal sends it twice. */
function onEndSignals(act: () => void): void {
  let isFirst = true
  for (const signal of endSignals) {
    process.on(signal, () => {
      if (!isFirst && signal === 'SIGHUP') return
      isFirst = false
      act()
    })
  }
}

/** The first signal ends the service in order, a second one at once. */
function stopOnSignals(inOrder: () => void, atOnce: () => never): void {
  let stopping = false
  const stop = (): void => {
    if (stopping) atOnce()
    stopping = true
    setTimeout(atOnce, stopMaxMs).unref()
    inOrder()
  }
  onEndSignals(stop)
}

/** Stores and threads that are open would keep the process alive. */
function stopTheStart(faults: readonly string[]): never {
  for (const fault of faults) say(fault)
  process.exit(1)
}

/** For people: on standard error, so that standard output holds log records alone. */
function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
