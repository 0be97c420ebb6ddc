import { basketChecks } from './basket-checks.js'
import { callChecks } from './call-checks.js'
import { Broken, type Deployment, Probe } from './probe.js'
import { saleChecks } from './sale-checks.js'

export interface Check {
  readonly name: string
  /** Section of the contract. */
  readonly section: string
  /** Throws Broken where the promise does not hold. */
  run(probe: Probe): Promise<void>
}

export interface Checked {
  readonly name: string
  readonly section: string
  /** null: passed. */
  readonly problem: string | null
  readonly durationMs: number
}

export const checks: readonly Check[] = [...callChecks, ...basketChecks, ...saleChecks]

/** Runs every check against a deployment, one after the other; a broken connection fails only its own check. */
export async function* runChecks(deployment: Deployment): AsyncGenerator<Checked> {
  const probe = new Probe(deployment)
  for (const { name, section, run } of checks) {
    const startedAt = performance.now()
    const problem = await run(probe).then(
      () => null,
      (error: Error) => (error instanceof Broken ? error.message : `no answer: ${causeOf(error)}`),
    )
    yield { name, section, problem, durationMs: performance.now() - startedAt }
  }
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message
}
