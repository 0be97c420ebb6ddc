import type { EngineCase } from './engine-case.js'
import { priceCases } from './price-cases.js'
import { realisticCase } from './realistic-case.js'
import { searchCases } from './search-cases.js'
import { wireCases } from './wire-cases.js'

/** Every engine case, in report order. */
export const engineCases: readonly EngineCase[] = [...priceCases, realisticCase, ...searchCases, ...wireCases]
