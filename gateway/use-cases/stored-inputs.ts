import { engineVersion, type PricingFacts } from '../../engine/index.js'

export interface StoredInputs {
  readonly facts: PricingFacts
  readonly engineVersion: number
}

/** The facts of a calculation with the version of the engine, as JSON to be stored. */
export function writeInputs(facts: PricingFacts): string {
  return JSON.stringify({ ...facts, engineVersion })
}

export function readInputs(inputs: string): StoredInputs {
  const { engineVersion: stored, ...facts } = JSON.parse(inputs) as PricingFacts & { engineVersion: number }
  return { facts, engineVersion: stored }
}
