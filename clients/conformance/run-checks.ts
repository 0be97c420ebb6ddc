import { basketChecks } from './basket-checks.js'
import { callChecks } from './call-checks.js'
import type { Check } from './check.js'
import { Broken, type Deployment, Probe } from './probe.js'
import { saleChecks } from './sale-checks.js'

/** What became of one check. */
export interface Checked {
  readonly name: string
  readonly section: string
  /** null: it holds. */
  readonly problem: string | null
  readonly durationMs: number
}

const checks: readonly Check[] = [...callChecks, ...basketChecks, ...saleChecks]

/** Runs every check against a deployment, one after the other; what breaks a connection breaks its check alone. */
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
