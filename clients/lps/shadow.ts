import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { type Command, InvalidArgumentError } from 'commander'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  type ShadowRunReport,
  ShadowRunReportSchema,
  type ShadowRunResponse,
} from '../../gateway/gen/loyalty/v1/shadow_run_pb.js'
import { printAnswer } from './answer.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, printError, printProgress, printStatus } from './screen.js'
import { momentFrom, momentHelp, rangeFrom, readDocument, several } from './words.js'

interface ShadowOptions extends InternalOptions {
  readonly since?: Timestamp
  readonly until?: Timestamp
  readonly inForce?: string[]
  readonly examples: number
  readonly json?: boolean
}

export function addShadow(program: Command): void {
  const command = program
    .command('shadow <file>')
    .summary('what a draft would have cost: past calculations priced with it')
    .description(`Prices past calculations with the benefits of a draft, and shows the discounts that each benefit, venue and day would have had.
It changes nothing, and POS callers have priority. Each calculation uses its own member, limits left and balances as stored then. Of
value it shows what sales would issue and baskets would spend, in smallest units: without cooldowns, and of maxima only those of a
basket. A draft spends nothing in baskets of a programme without costs, tiers and audiences by visits: no balance was stored with them.

  lps shadow draft.json --since 7d

Exit code 0: done, whatever the difference; 1: the draft is faulty, or the run was refused.`)
    .option('--since <when>', `${momentHelp}. Default: 7d`, momentFrom)
    .option('--until <when>', 'the same. Default: now', momentFrom)
    .option(
      '--in-force <id>',
      'price this benefit as if it were in force already: enabled, and begun before; may be repeated',
      several,
    )
    .option('--examples <count>', 'calculations with the largest differences to show, 1 to 100', examplesFrom, 10)
    .option('--json', 'the report as JSON')
  withInternal(command).action(
    exits(
      async (file: string, { since = momentFrom('7d'), until, inForce, examples, json, ...place }: ShadowOptions) => {
        const draftDocument = readDocument(file)
        const range = rangeFrom({ since, ...(until && { until }) })
        const request = { draftDocument, examplesMax: examples, ...range, asIfInForce: inForce ?? [] }
        return await onInternal(place, async (transport) => {
          const report = await shadowReport(
            createClient(ProgrammeService, transport).shadowRun(request, { timeoutMs: 0 }),
          )
          if (json) printAnswer(ShadowRunReportSchema, report, { asJson: true })
          else show(report)
          return 0
        })
      },
    ),
  )
}

function examplesFrom(word: string): number {
  const count = Number(word)
  if (!(Number.isInteger(count) && count >= 1 && count <= 100)) throw new InvalidArgumentError('expected 1 to 100')
  return count
}

export async function shadowReport(run: AsyncIterable<ShadowRunResponse>): Promise<ShadowRunReport> {
  for await (const { event } of run) {
    if (event.case === 'progress') {
      const { done, total } = event.value
      printProgress(Number(done), Number(total), `${done} of ${total} calculations`)
    }
    if (event.case !== 'report') continue
    printStatus('')
    return event.value
  }
  throw new Error('the run ended without a report')
}

function show(report: ShadowRunReport): void {
  const { calculations, changed, skipped, benefits } = report
  printAnswer(ShadowRunReportSchema, report, { money: ['discount_then', 'discount_draft', 'net_then', 'net_draft'] })
  for (const { benefitId, off, before } of benefits)
    if (off + before > 0n)
      printError(`${benefitId} was not in force in ${off + before} baskets: --in-force prices it all the same`)
  const gone = skipped === 0n ? '' : `; ${skipped} were left out because their bodies are no longer stored`
  printError(`${changed} of ${calculations} calculations would come out differently${gone}`)
}
