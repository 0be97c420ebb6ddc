import { createClient } from '@connectrpc/connect'
import { type Command, InvalidArgumentError } from 'commander'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  type FindWorstBasketsResponse,
  type WorstBasket,
  WorstObjective,
  type WorstReport,
  WorstReportSchema,
} from '../../gateway/gen/loyalty/v1/worst_baskets_pb.js'
import { printAnswer } from './answer.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, print, printError, printProgress, printStatus } from './screen.js'
import { countFrom, moneyText, readDocument, several } from './words.js'

interface WorstOptions extends InternalOptions {
  readonly venue?: string[]
  readonly for?: WorstObjective[]
  readonly steps?: number
  readonly json?: boolean
}

const words = Object.values(WorstObjective)
  .filter((word): word is string => typeof word === 'string' && word !== 'UNSPECIFIED')
  .map((word) => word.toLowerCase().replaceAll('_', '-'))

export function addWorst(program: Command): void {
  const command = program
    .command('worst <file>')
    .summary('the worst baskets that a draft allows')
    .description(`Searches members, hours, venues and baskets for what a draft gives away: the largest share and amount off, a basket that gets
cheaper with more, two receipts that cost less than one, broken guards, value for nothing, and what a member gets too often. Every answer is
a basket that was priced, with what would close it. It changes nothing; "none found" is no proof.

  lps worst draft.json --for guards --for split

Exit code 0: done, and no guard is broken; 1: a guard is broken, the draft is faulty, or the search was refused.`)
    .option('--venue <id>', 'a stored venue with its price list; may be repeated. Default: those of the draft', several)
    .option('--for <objective>', `one of ${words.join(', ')}; may be repeated. Default: all`, objectiveFrom)
    .option('--steps <count>', 'baskets to price, 100 to 1000000. Default: 20000', countFrom)
    .option('--json', 'the report as JSON')
  withInternal(command).action(
    exits(async (file: string, { venue = [], for: objectives = [], steps = 0, json, ...place }: WorstOptions) => {
      const programme = { case: 'draftDocument' as const, value: readDocument(file) }
      const request = { programme, venueIds: venue, objectives, budgetSteps: steps }
      return await onInternal(place, async (transport) => {
        const report = await reportOf(
          createClient(ProgrammeService, transport).findWorstBaskets(request, { timeoutMs: 0 }),
        )
        if (json) printAnswer(WorstReportSchema, report, { asJson: true })
        else show(report)
        return report.baskets.some(({ guardId }) => guardId !== '') ? 1 : 0
      })
    }),
  )
}

function objectiveFrom(word: string, before: readonly WorstObjective[] = []): readonly WorstObjective[] {
  const at = words.indexOf(word)
  if (at === -1) throw new InvalidArgumentError(`expected one of ${words.join(', ')}`)
  return [...before, at + 1]
}

async function reportOf(run: AsyncIterable<FindWorstBasketsResponse>): Promise<WorstReport> {
  for await (const { event } of run) {
    if (event.case === 'progress') {
      const { steps, stepsMax } = event.value
      printProgress(steps, stepsMax, `${steps} baskets`)
    }
    if (event.case !== 'report') continue
    printStatus('')
    return event.value
  }
  throw new Error('the search ended without a report')
}

function show({ baskets, proofs, steps, settings, products, madeUpProducts, whole }: WorstReport): void {
  for (const basket of baskets) showBasket(basket)
  for (const { guardId, atMostTenThousandths } of proofs)
    print(`proven: ${guardId} holds; all benefits together take off at most ${atMostTenThousandths / 10_000} %`)
  const made = madeUpProducts ? ' made up, as there is no price list' : ''
  printError(`${steps} baskets of ${products} products${made} in ${settings} settings were priced`)
  if (!whole) printError('more baskets were built than --steps allows')
}

function showBasket({ sentence, name, receipt, remedies }: WorstBasket): void {
  print(sentence)
  const { currency, before, after, venueId } = receipt!
  print(`  at ${venueId}: ${moneyText(before, currency)} before, ${moneyText(after, currency)} to pay`)
  if (name !== '') print(`  named ${name}`)
  for (const { changes } of remedies)
    print(`  closes it: ${changes.map(({ path, valueJson }) => `${path} = ${valueJson || 'left out'}`).join(', ')}`)
}
