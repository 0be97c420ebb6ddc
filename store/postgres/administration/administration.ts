import type { Administration } from '../../administration.js'
import { createSingleLookUps } from '../calculations/look-ups.js'
import type { LedgerOptions } from '../connection/options.js'
import type { Sql } from '../connection/sql.js'
import { inspectTerms } from '../inspection/terms.js'
import { createFacts } from '../members/facts.js'
import { createAudit } from './audit.js'
import { createForgetting } from './forgetting.js'
import { createMemberAdministration } from './members.js'
import { createProgrammeAdministration } from './programmes.js'
import { createVenueAdministration } from './venues.js'

/** What internal services change, over a database of ours. */
export function createAdministration(database: Sql, options: Required<LedgerOptions>): Administration {
  const own = { ...options, readMs: inspectTerms.withinMs }
  const { findMember, findVenue } = createFacts(database, createSingleLookUps(database, own), own)
  return {
    findMember,
    findVenue,
    ...createProgrammeAdministration(database),
    ...createMemberAdministration(database),
    ...createForgetting(database),
    ...createVenueAdministration(database),
    ...createAudit(database),
  }
}
