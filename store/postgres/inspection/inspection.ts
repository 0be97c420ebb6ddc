import type { Inspection } from '../../inspection.js'
import type { Sql } from '../connection/sql.js'
import { createCalculationInspection } from './calculations.js'
import { createLimitInspection } from './limits.js'
import { createSaleInspection } from './sales.js'

/** What internal services look into, over a database of ours. */
export function createInspection(database: Sql): Inspection {
  return {
    ...createLimitInspection(database),
    ...createCalculationInspection(database),
    ...createSaleInspection(database),
  }
}
