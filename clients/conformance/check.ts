import type { Probe } from './probe.js'

export interface Check {
  readonly name: string
  /** Section of the contract. */
  readonly section: string
  /** Throws Broken where the promise does not hold. */
  run(probe: Probe): Promise<void>
}
