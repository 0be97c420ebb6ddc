export { checkIdentities } from './base/identities.js'
export type { CalculationInput } from './base/input.js'
export { calculate } from './calculate.js'
export { type CompiledProgramme, compileProgramme } from './match/compile.js'
