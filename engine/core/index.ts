export { calculate } from './calculate.js'
export { type CompiledProgramme, compileProgramme } from './compile.js'
export { checkIdentities } from './identities.js'
export type { CalculationInput } from './input.js'
