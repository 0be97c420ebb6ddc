import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { junitOf } from '../conformance/junit.js'
import { obstacleTo } from '../conformance/obstacle.js'
import { type Checked, runChecks } from '../conformance/run-checks.js'
import { authorityHelp } from './authority.js'
import { type Command, WrongUse } from './command.js'
import { findService, serviceHelp, serviceOptions } from './find-service.js'

export const check: Command = {
  name: 'check',
  summary: 'run the partner contract against a deployment',
  help: `lps check [URL]

Runs the partner contract against any deployment on staging, with its test members, and prints the result of each
check. It leaves some dozens of calculations and sales there.

  lps check https://loyalty.staging.example --secret ... --venue oslo-cafe --bax 7100001 --currency NOK

  --venue, --bax, --currency   a venue of the deployment. Default: the first of the sample programme
  --discount-code CODE         the deployment's LOYALTY_DISCOUNT_CODE. Default: THIRD_PARTY_LOYALTY
  --junit FILE                 writes the results as JUnit XML too
${serviceHelp}
${authorityHelp}

Exit code 0: every check passed; 1: a check failed; 2: nothing could be checked.`,
  async run(words, { print, tell }) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    if (positionals.length > 1) throw new WrongUse('expected one URL')
    const { venue, bax, currency, junit, ...named } = values
    const service = findService({ ...named, url: positionals[0] ?? named.url })
    const deployment = { service, venueId: venue, baxId: bax, currency, discountCode: values['discount-code'] }
    const obstacle = await obstacleTo(deployment)
    if (obstacle !== null) {
      tell(`${service.url}: ${obstacle}; nothing was checked`)
      return notChecked
    }
    const results: Checked[] = []
    for await (const result of runChecks(deployment)) {
      results.push(result)
      print(`${result.problem === null ? 'holds ' : 'BROKEN'}  ${result.name}`)
      if (result.problem !== null) print(`        ${result.problem} (${result.section})`)
    }
    const broken = results.filter(({ problem }) => problem !== null).length
    if (junit !== undefined) writeFileSync(junit, junitOf(results))
    tell(`${results.length - broken} of ${results.length} hold at ${service.url}`)
    return broken === 0 ? 0 : 1
  },
}

const notChecked = 2

const options = {
  ...serviceOptions,
  venue: { type: 'string', default: 'oslo-cafe' },
  bax: { type: 'string', default: '7100001' },
  currency: { type: 'string', default: 'NOK' },
  'discount-code': { type: 'string', default: 'THIRD_PARTY_LOYALTY' },
  junit: { type: 'string' },
} as const
