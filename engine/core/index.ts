export { calculate } from './calculate.js'
export { type CompiledProgramme, compileProgramme } from './compile.js'
export { checkIdentities, type IdentityFault } from './identities.js'
export type { CalculationFacts, CalculationInput } from './input.js'
