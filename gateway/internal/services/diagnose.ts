import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { LedgerSetup, RunningGateway } from '../../../store/ledger/gateways.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Certificate } from '../../config/certificate.js'
import { runtimeWarning } from '../../config/runtime.js'
import { evictionWarning } from '../../config/start-warnings.js'
import { type FindingSchema, FindingState } from '../../gen/loyalty/v1/system_service_pb.js'

/** Clocks further apart are a warning, then a fault: the signature of a POS counts for 300 s. */
const skewWarnsMs = 1_000
const skewMaxMs = 30_000
/** Time left of a certificate, in days. */
const certificateWarnsDays = 21
const certificateMinDays = 3
/** A sale that is in no archive for longer is lost with the disks. */
const archivedMaxS = 900
const memoryMax = 0.8
const gatewaysMax = 1_000
const postgresMajorMin = 15

type Finding = MessageInitShape<typeof FindingSchema>

export interface DiagnoseParts {
  readonly adminLedger: Pick<AdminLedger, 'processes' | 'server'>
  readonly cache: Pick<Cache, 'describe'> | null
  /** The ledger has no server of its own. */
  readonly isEmbedded: boolean
  readonly certificate: Pick<Certificate, 'validUntilS'> | null
  /** Warnings of a start on production, whatever the environment is. */
  readonly settingWarnings: () => Promise<readonly string[]>
  readonly environment: 'staging' | 'production'
}

export async function diagnose(parts: DiagnoseParts) {
  const { adminLedger, cache, isEmbedded, certificate, settingWarnings, environment } = parts
  const [warnings, gateways, ledger, redis] = await Promise.all([
    settingWarnings(),
    adminLedger.processes.listGateways(gatewaysMax),
    isEmbedded ? [] : ledgerFindings(adminLedger),
    cache === null ? [] : cacheFindings(cache),
  ])
  const findings = [
    ...settingFindings(environment, warnings),
    ...(certificate === null ? [] : [certificateFinding(certificate.validUntilS)]),
    ...ledger,
    ...redis,
    ...gatewayFindings(gateways),
  ]
  return { at: Date.now(), findings }
}

function ok(check: string, found: string): Finding {
  return { check, state: FindingState.OK, found }
}

function warning(check: string, found: string, remedy: string): Finding {
  return { check, state: FindingState.WARNING, found, remedy }
}

function fault(check: string, found: string, remedy: string): Finding {
  return { check, state: FindingState.FAULT, found, remedy }
}

function settingFindings(environment: string, warnings: readonly string[]): Finding[] {
  const found = warnings.map((text) => warning('settings', text, ''))
  if (environment !== 'production')
    found.unshift(warning('settings', `LOYALTY_ENVIRONMENT: ${environment}`, 'set production'))
  return found.length > 0 ? found : [ok('settings', 'as production needs them')]
}

function certificateFinding(validUntilS: number): Finding {
  const days = Math.floor((validUntilS - Date.now() / 1000) / 86_400)
  const found = `${days} days left`
  if (days >= certificateWarnsDays) return ok('certificate', found)
  return (days < certificateMinDays ? fault : warning)('certificate', found, 'renew it: no restart is needed')
}

async function ledgerFindings({ server }: Pick<AdminLedger, 'server'>): Promise<Finding[]> {
  const beganMs = Date.now()
  const setup = await server.inspect()
  return [
    clockFinding('clock of Postgres', [setup.nowMs], beganMs),
    serverFinding(setup),
    standbyFinding(setup),
    backupFinding(setup),
  ]
}

/** Half of the round trip may be the measurement's own. */
export function clockFinding(
  check: string,
  clocksMs: readonly number[],
  beganMs: number,
  endedMs = Date.now(),
): Finding {
  const apart = clocksMs.map((clockMs) =>
    Math.max(0, Math.abs(clockMs - (beganMs + endedMs) / 2) - (endedMs - beganMs) / 2),
  )
  const mostMs = Math.max(0, ...apart)
  const found = `${(mostMs / 1000).toFixed(1)} s apart`
  if (mostMs < skewWarnsMs) return ok(check, found)
  return (mostMs < skewMaxMs ? warning : fault)(check, found, 'set both clocks by NTP')
}

function serverFinding({ version, unsafe }: LedgerSetup): Finding {
  const found = `version ${version}`
  if (unsafe !== '') return fault('Postgres', `${found}, ${unsafe} off`, 'set them on: acknowledged sales can be lost')
  if (Number.parseInt(version, 10) < postgresMajorMin)
    return fault('Postgres', found, `use ${postgresMajorMin} or newer`)
  return ok('Postgres', found)
}

function standbyFinding({ standbyNames, standbys }: LedgerSetup): Finding {
  const check = 'standby'
  if (standbyNames === '')
    return warning(
      check,
      'a commit waits for no standby',
      'use Patroni with synchronous_mode (deploy/ha); nothing where the provider copies the disks',
    )
  if (standbys === null)
    return warning(check, `${standbyNames}, whose state the role may not see`, 'grant pg_read_all_stats to it')
  if (standbys === 0) return fault(check, `${standbyNames} is away: commits may wait`, 'bring it back')
  return ok(check, `${standbys} synchronous`)
}

function backupFinding({ archives, archivedS, archiveFailed }: LedgerSetup): Finding {
  const check = 'backups'
  if (!archives)
    return warning(
      check,
      'the log is not archived',
      'use pgBackRest (deploy/pgbackrest.conf); nothing where the provider makes backups',
    )
  if (archiveFailed !== null) return fault(check, `${archiveFailed} cannot be archived`, "see the server's log")
  if (archivedS === null) return warning(check, 'nothing was archived yet', 'run pgbackrest check')
  const found = `archived ${Math.round(archivedS)} s ago`
  if (archivedS <= archivedMaxS) return ok(check, found)
  return warning(check, found, 'set archive_timeout to 60 s')
}

async function cacheFindings(cache: Pick<Cache, 'describe'>): Promise<Finding[]> {
  const beganMs = Date.now()
  const server = await cache.describe().catch((error: unknown) => {
    if (error instanceof StoreFault) return null
    throw error
  })
  if (server === null) return [fault('Redis', 'it does not answer', 'bring it back, even empty')]
  const { version, bytes, bytesMax, evictionPolicy, clocksMs, appends, snapshotFailed } = server
  const found: Finding[] = []
  if (evictionPolicy !== null) found.push(fault('Redis', evictionWarning(evictionPolicy), ''))
  if (snapshotFailed) found.push(fault('Redis', 'it could not write a snapshot and may refuse writes', 'set save ""'))
  if (appends) found.push(warning('Redis', 'it waits for a disk', 'set appendonly no: Postgres has everything'))
  if (bytesMax > 0 && bytes > bytesMax * memoryMax)
    found.push(warning('Redis', `${Math.round((100 * bytes) / bytesMax)} % of maxmemory used`, 'raise maxmemory'))
  if (found.length === 0) found.push(ok('Redis', `version ${version}, evicts nothing`))
  return [clockFinding('clock of Redis', clocksMs, beganMs), ...found]
}

function gatewayFindings(gateways: readonly RunningGateway[]): Finding[] {
  const check = 'gateways'
  const running = gateways.filter(({ isSilent }) => !isSilent)
  const found = gateways.flatMap((gateway) => gatewayFaults(gateway))
  if (running.length < 2) found.push(warning(check, `${running.length} runs`, 'start another one'))
  const versions = [...new Set(running.map(({ version }) => version))]
  if (versions.length > 1) found.push(warning('versions', versions.join(', '), 'finish the upgrade'))
  const programmes = new Set(running.map(({ programmeVersion }) => programmeVersion))
  if (programmes.size > 1)
    found.push(warning('versions', `programmes ${[...programmes].join(', ')}`, 'ask again in a minute'))
  return found.length > 0 ? found : [ok(check, `${running.length} run, all with ${versions[0]}`)]
}

function gatewayFaults({
  host,
  port,
  isSilent,
  processes,
  processesWanted,
  cache,
  nodeVersion,
}: RunningGateway): Finding[] {
  const check = `gateway ${host}:${port}`
  if (isSilent) return [warning(check, 'it has not reported for a minute', 'start it, or nothing if it was removed')]
  const old = runtimeWarning(nodeVersion)
  return [
    ...(processes < processesWanted
      ? [warning(check, `${processes} of ${processesWanted} processes`, 'see its log')]
      : []),
    ...(cache === 'down' ? [fault(check, 'it does not reach Redis', 'see the network and REDIS_URL')] : []),
    ...(old === null ? [] : [warning(check, old, '')]),
  ]
}
