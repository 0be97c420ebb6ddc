import type { ConnectRouter } from '@connectrpc/connect'
import type { PricingEngine } from '../../engine/index.js'
import type { Ledger } from '../../store/index.js'
import type { Facts } from '../facts.js'
import type { Log } from '../log.js'
import type { ProgrammeReader } from '../programme-reader.js'
import type { PartnerStories } from '../replies.js'
import { auditRoutes } from './audit-service.js'
import { limitRoutes } from './limit-service.js'
import { memberRoutes } from './member-service.js'
import { programmeRoutes } from './programme-service.js'
import { venueRoutes } from './venue-service.js'

/** What internal services are made of. */
export interface RpcParts {
  readonly ledger: Ledger
  readonly engine: PricingEngine
  readonly facts: Facts
  readonly stories: PartnerStories
  readonly programmeReader: ProgrammeReader
  readonly environment: 'staging' | 'production'
  readonly log: Log
}

/** Registers every internal service; the proto files are the promise. */
export function internalRoutes(parts: RpcParts): (router: ConnectRouter) => void {
  return (router) => {
    auditRoutes(parts)(router)
    limitRoutes(parts)(router)
    memberRoutes(parts)(router)
    programmeRoutes(parts)(router)
    venueRoutes(parts)(router)
  }
}
