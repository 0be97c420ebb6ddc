import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Checked, junitOf, obstacleTo, runChecks } from '../conformance/run-checks.js'
import { findPartner, type PartnerOptions, withPartner } from './partner.js'
import { exits, print, printError } from './screen.js'

interface CheckOptions extends PartnerOptions {
  readonly venue: string
  readonly bax: string
  readonly currency: string
  readonly discountCode: string
  readonly junit?: string
}

const notChecked = 2

export function addCheck(program: Command): void {
  const command = program
    .command('check [url]')
    .summary('run the partner contract against a deployment')
    .description(`Runs the partner contract against any deployment on staging, with its test members, and prints the result of each
check. It leaves some dozens of calculations and sales there.

  lps check https://loyalty.staging.example --secret ... --venue oslo-cafe --bax 7100001 --currency NOK

Exit code 0: every check passed; 1: a check failed; 2: nothing could be checked.`)
    .option('--venue <id>', 'a venue of the deployment', 'oslo-cafe')
    .option('--bax <id>', 'a terminal of the venue', '7100001')
    .option('--currency <code>', 'the currency of the venue', 'NOK')
    .option('--discount-code <code>', "the deployment's LOYALTY_DISCOUNT_CODE", 'THIRD_PARTY_LOYALTY')
    .option('--junit <file>', 'writes the results as JUnit XML too')
  withPartner(command).action(
    exits(async (url: string | undefined, options: CheckOptions) => {
      const service = findPartner({ ...options, ...(url !== undefined && { url }) })
      const { venue: venueId, bax: baxId, currency, discountCode, junit } = options
      const deployment = { service, venueId, baxId, currency, discountCode }
      const obstacle = await obstacleTo(deployment)
      if (obstacle !== null) {
        printError(`${service.url}: ${obstacle}; nothing was checked`)
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
      printError(`${results.length - broken} of ${results.length} hold at ${service.url}`)
      return broken === 0 ? 0 : 1
    }),
  )
}
