import { compileCase } from './compile-case.js'
import type { EngineCase } from './engine-case.js'
import { medusaCase } from './medusa-case.js'
import { memoryCase } from './memory-case.js'
import { priceCases } from './price-cases.js'
import { searchCases } from './search-cases.js'
import { wireCases } from './wire-cases.js'

/** Every case of the engine, in the order of the report. Memory comes first: a process that has run the others has grown. */
export const engineCases: readonly EngineCase[] = [
  memoryCase,
  ...priceCases,
  ...searchCases,
  compileCase,
  ...wireCases,
  medusaCase,
]
