import { compileCase } from './compile-case.js'
import type { EngineCase } from './engine-case.js'
import { medusaCase } from './medusa-case.js'
import { memoryCase } from './memory-case.js'
import { priceCases } from './price-cases.js'
import { searchCases } from './search-cases.js'
import { wireCases } from './wire-cases.js'

/** Every engine case, in report order. Memory comes first, before other cases have grown the process. */
export const engineCases: readonly EngineCase[] = [
  memoryCase,
  ...priceCases,
  ...searchCases,
  compileCase,
  ...wireCases,
  medusaCase,
]
