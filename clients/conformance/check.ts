import type { Probe } from './probe.js'

/** One promise of the contract, and how to see whether it holds. */
export interface Check {
  readonly name: string
  /** Where the contract makes it. */
  readonly section: string
  /** Throws Broken where it does not hold. */
  run(probe: Probe): Promise<void>
}
