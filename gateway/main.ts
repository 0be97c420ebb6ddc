import { composeService, type Service } from './compose.js'
import type { Address, Config } from './config.js'
import { createLog } from './log.js'
import { readConfig } from './read-config.js'
import { StartFault } from './start-fault.js'

/** A shutdown that takes longer than this is cut off (wire decisions 6). */
const stopMaxMs = 10_000

const read = readConfig(process.env)
if (read.kind === 'faults') stopTheStart(read.faults)
else await serve(read.config)

async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel)
  try {
    const service = await composeService(config, log)
    stopOnSignals(service)
    announce(service, config)
  } catch (error) {
    if (!(error instanceof StartFault)) throw error
    stopTheStart([error.message])
  }
}

function announce(service: Service, config: Config): void {
  const { environment, tls, databaseUrl, redisUrl } = config
  const scheme = tls === null ? 'http' : 'https'
  const url = `${scheme}://${addressText(service.http)}`
  const stores = `${databaseUrl === null ? 'embedded Postgres' : 'Postgres'}, ${redisUrl === null ? 'no Redis' : 'Redis'}`
  say(`Loyalty Partner Service, ${environment}; ${stores}; programme version ${service.programmeVersion}`)
  if (service.secretsFile !== null) say(`signing secret in ${service.secretsFile}`)
  if (service.tokensFile !== null) say(`tokens of internal services in ${service.tokensFile}`)
  say(`listening on ${url}`)
  say(`internal on ${scheme}://${addressText(service.internal)}`)
  if (service.secretsFile !== null) say(`try: npm run demo -- --url ${url} --secret-file ${service.secretsFile}`)
}

function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The first signal ends the service in order, a second one at once. */
function stopOnSignals(service: Service): void {
  let stopping = false
  const stop = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), stopMaxMs).unref()
    void service.stop().then(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** What was opened by then, stores and threads, would keep the process alive. */
function stopTheStart(faults: readonly string[]): never {
  for (const fault of faults) say(fault)
  process.exit(1)
}

/** For people: on standard error, so that standard output holds log records alone. */
function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
