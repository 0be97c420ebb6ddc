import type { Administration } from '../../administration.js'
import type { Sql } from '../sql.js'
import { createAudit } from './audit.js'
import { createForgetting } from './forgetting.js'
import { createMemberAdministration } from './members.js'
import { createProgrammeAdministration } from './programmes.js'
import { createVenueAdministration } from './venues.js'

/** What internal services change, over a database of ours. */
export function createAdministration(database: Sql): Administration {
  return {
    ...createProgrammeAdministration(database),
    ...createMemberAdministration(database),
    ...createForgetting(database),
    ...createVenueAdministration(database),
    ...createAudit(database),
  }
}
