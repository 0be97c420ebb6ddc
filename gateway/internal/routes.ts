import type { ConnectRouter } from '@connectrpc/connect'
import type { PricingEngine } from '../../engine/index.js'
import type { Cache } from '../../store/cache.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Journal } from '../background/journal.js'
import type { LowPriority } from '../background/low-priority.js'
import type { ProgrammeReader } from '../background/programme-reader.js'
import type { Reach } from '../background/webhook-address.js'
import type { WorstSearch } from '../background/worst-search.js'
import type { KeptRequests } from '../cache/kept-requests.js'
import type { LookupCache } from '../cache/lookup-cache.js'
import type { Certificate } from '../config/certificate.js'
import type { ShownSetting } from '../config/settings.js'
import type { RateLimiter } from '../listeners/rate-limit.js'
import type { Log } from '../telemetry/log.js'
import type { RequestFeed } from '../telemetry/request-feed.js'
import { createFindClosed } from '../use-cases/closed-benefits.js'
import { createCommands } from '../use-cases/commands.js'
import type { PartnerUseCases } from '../use-cases/replies.js'
import { accessRoutes } from './services/access-service.js'
import { auditRoutes } from './services/audit-service.js'
import { calculationRoutes } from './services/calculation-service.js'
import { eventRoutes } from './services/event-service.js'
import { experimentRoutes } from './services/experiment-service.js'
import { limitRoutes } from './services/limit-service.js'
import { memberRoutes } from './services/member-service.js'
import { posRoutes } from './services/pos-service.js'
import { programmeRoutes } from './services/programme-service.js'
import { reportRoutes } from './services/report-service.js'
import { requestRoutes } from './services/request-service.js'
import { returnRoutes } from './services/return-service.js'
import { rewardRoutes } from './services/reward-service.js'
import { saleRoutes } from './services/sale-service.js'
import { systemRoutes } from './services/system-service.js'
import { timelineRoutes } from './services/timeline-service.js'
import { valueRoutes } from './services/value-service.js'
import { venueRoutes } from './services/venue-service.js'
import { viewRoutes } from './services/view-service.js'

export interface RpcParts {
  readonly adminLedger: AdminLedger
  readonly cache: Cache | null
  readonly engine: PricingEngine
  readonly facts: LookupCache
  readonly useCases: PartnerUseCases
  readonly rateLimiter: RateLimiter
  readonly bodyBytesMax: number
  readonly linesMax: number
  readonly journal: Pick<Journal, 'ensureInLedger' | 'depth' | 'journalled'>
  readonly keptRequests: KeptRequests | null
  readonly lowPriority: LowPriority
  readonly programmeReader: ProgrammeReader
  readonly worstSearch: WorstSearch
  readonly webhooks: Reach
  readonly requests: RequestFeed
  readonly environment: 'staging' | 'production'
  /** The ledger has no server of its own. */
  readonly isEmbedded: boolean
  readonly settings: readonly ShownSetting[]
  readonly certificate: Pick<Certificate, 'validUntilS'> | null
  readonly settingWarnings: () => Promise<readonly string[]>
  readonly publishReview: 'optional' | 'required'
  readonly publishWorst: 'off' | 'warn' | 'require'
  readonly log: Log
}

/** Registers every internal service; the proto files are the contract. */
export function internalRoutes(all: RpcParts): (router: ConnectRouter) => void {
  const parts = { ...all, commands: createCommands(all), findClosed: createFindClosed(all) }
  return (router) => {
    accessRoutes(parts)(router)
    auditRoutes(parts)(router)
    calculationRoutes(parts)(router)
    eventRoutes(parts)(router)
    experimentRoutes(parts)(router)
    limitRoutes(parts)(router)
    memberRoutes(parts)(router)
    posRoutes(parts)(router)
    programmeRoutes(parts)(router)
    reportRoutes(parts)(router)
    requestRoutes(parts)(router)
    returnRoutes(parts)(router)
    rewardRoutes(parts)(router)
    saleRoutes(parts)(router)
    systemRoutes(parts)(router)
    timelineRoutes(parts)(router)
    valueRoutes(parts)(router)
    venueRoutes(parts)(router)
    viewRoutes(parts)(router)
  }
}
