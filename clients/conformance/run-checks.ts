import { tlsFaultOf, tlsHint } from '../lps/certificates.js'
import { basketChecks } from './basket-checks.js'
import { callChecks } from './call-checks.js'
import { Broken, type Check, type Deployment, Probe } from './probe.js'
import { returnChecks, saleChecks } from './sale-checks.js'

export interface Checked {
  readonly name: string
  readonly section: string
  readonly problem: string | null
  readonly durationMs: number
}

const checks: readonly Check[] = [...callChecks, ...basketChecks, ...saleChecks, ...returnChecks]

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

/** A sentence on a problem that would fail every check, such as no connection or a wrong secret. null: none. */
export async function obstacleTo(deployment: Deployment): Promise<string | null> {
  const probe = new Probe(deployment)
  try {
    const { body } = await probe.postBasket(probe.basket('TEST-NOT-FOUND'))
    const { code } = (body?.['error'] ?? {}) as { readonly code?: unknown }
    return obstacles.get(code) ?? null
  } catch (error) {
    const refusal = tlsFaultOf(error)
    if (refusal !== null) return refusal
    const { message, cause } = error as Error
    return `no answer (${cause instanceof Error && cause.message !== '' ? cause.message : message})${tlsHint(deployment.service.url, error)}`
  }
}

const obstacles: ReadonlyMap<unknown, string> = new Map([
  [
    'invalid_signature',
    'the secret is not one of the deployment (invalid_signature): name it with --secret or --secret-file',
  ],
  ['stale_timestamp', 'the clocks here and there are more than 300 s apart (stale_timestamp)'],
  [
    'venue_not_configured',
    'there is no such venue with this bax (venue_not_configured): name them with --venue and --bax',
  ],
  ['unknown_currency', 'this is not the currency of the venue (unknown_currency): name it with --currency'],
])

export function junitOf(results: readonly Checked[]): string {
  const failures = results.filter(({ problem }) => problem !== null).length
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const total = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const cases = results.map(({ name, section, problem, durationMs }) => {
    const open = `    <testcase classname="${escaped(section)}" name="${escaped(name)}" time="${seconds(durationMs)}"`
    return problem === null ? `${open}/>` : `${open}>\n      <failure message="${escaped(problem)}"/>\n    </testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failures}" time="${seconds(total)}">`,
    `  <testsuite name="partner contract" tests="${results.length}" failures="${failures}" time="${seconds(total)}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

function escaped(text: string): string {
  const sound = text.toWellFormed().replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
  return sound.replace(/[&<>"']/g, (sign) => entities[sign]!)
}
