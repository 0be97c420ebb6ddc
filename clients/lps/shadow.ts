import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  type MoneyDifference,
  ProgrammeService,
  type ShadowRunReport,
  ShadowRunReportSchema,
  type ValueDifference,
} from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { onlyWord, readDocument } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { amountText, moneyText } from './money.js'
import { momentHelp, rangeFrom } from './since.js'
import { barText, tableLines } from './table.js'

export const shadow: Command = {
  name: 'shadow',
  summary: 'what a draft would have cost: past calculations priced with it',
  help: `lps shadow FILE

Prices past calculations with the benefits of a draft, and shows the discounts that each benefit, venue and day would have had.
It changes nothing, and POS callers have priority. Each calculation uses its own member, limits left and balances as stored then. Of
value it shows what sales would issue and baskets would spend, in smallest units: without cooldowns, and of maxima only those of a
basket. A draft spends nothing in baskets of a programme without costs, tiers and audiences by visits: no balance was stored with them.

  lps shadow draft.json --since 7d

  --since WHEN        ${momentHelp}. Default: 7d
  --until WHEN        the same. Default: now
  --in-force ID       price this benefit as if it were in force already: enabled, and begun before. May stand several times
  --examples COUNT    calculations with the largest differences to show, 1 to 100. Default: 10
  --json              the report as JSON
${internalHelp}

Exit code 0: done, whatever the difference; 1: the draft is faulty, or the run was refused.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const draftDocument = readDocument(onlyWord(positionals, 'one draft'))
    const range = rangeFrom(values, Date.now())
    const examplesMax = Number(values.examples)
    if (!(Number.isInteger(examplesMax) && examplesMax >= 1 && examplesMax <= 100))
      throw new WrongUse(`--examples: expected 1 to 100, received ${values.examples}`)
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(ProgrammeService, transport)
    return await orExplained(url, screen, async () => {
      const request = { draftDocument, examplesMax, ...range, asIfInForce: values['in-force'] ?? [] }
      for await (const { event } of client.shadowRun(request, { timeoutMs: 0 })) {
        if (event.case === 'progress') {
          const { done, total } = event.value
          screen.status(`${barText(Number(done), Number(total))}  ${done} of ${total} calculations`)
        }
        if (event.case !== 'report') continue
        screen.status('')
        if (values.json) screen.print(JSON.stringify(toJson(ShadowRunReportSchema, event.value), null, 2))
        else show(event.value, screen)
      }
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  since: { type: 'string', default: '7d' },
  until: { type: 'string' },
  'in-force': { type: 'string', multiple: true },
  examples: { type: 'string', default: '10' },
  json: { type: 'boolean' },
} as const

function show(report: ShadowRunReport, { print, tell }: Screen): void {
  showRows(print, 'in all', report.totals)
  showRows(print, 'benefit', report.byBenefit)
  showRows(print, 'venue', report.byVenue)
  showRows(print, 'day', report.byDay)
  showBenefits(print, report)
  showValue(print, 'value', report.value)
  showValue(print, 'value by benefit or rule', report.valueBySource)
  showValue(print, 'value by venue', report.valueByVenue)
  showValue(print, 'value by day', report.valueByDay)
  const examples = report.examples.map(({ calculationId, currency, netThen, netDraft }) => [
    calculationId,
    moneyText(netThen, currency),
    moneyText(netDraft, currency),
    signed(netDraft - netThen, currency),
  ])
  for (const line of tableLines(['largest differences', 'to pay>', 'with the draft>', 'more to pay>'], examples))
    print(line)
  const { calculations, changed, skipped } = report
  const gone = skipped === 0n ? '' : `; ${skipped} were left out because their bodies are no longer stored`
  tell(`${changed} of ${calculations} calculations would come out differently${gone}`)
}

/** In how many baskets of members each benefit of the draft came to what; of one that never applies why. */
function showBenefits(print: Screen['print'], { benefits, ofMembers }: ShadowRunReport): void {
  const cells = benefits.map(({ benefitId, applied, beaten, notMet, closed, off, before, after }) => [
    benefitId,
    ...[applied, beaten, notMet, closed].map(String),
    [
      ...(off > 0n ? ['not enabled: --in-force prices it all the same'] : []),
      ...(before > 0n ? [`not begun in ${before}: --in-force prices it as if it had`] : []),
      ...(after > 0n ? [`ended before ${after}`] : []),
    ].join(', '),
  ])
  const headings = ['benefit of the draft', 'applies>', 'beaten>', 'not met>', 'not open>', `of ${ofMembers} baskets`]
  if (cells.length > 0) for (const line of [...tableLines(headings, cells), '']) print(line)
}

function showValue(print: Screen['print'], heading: string, rows: readonly ValueDifference[]): void {
  const cells = rows.map(({ key, currencyId, issuedThen, issuedDraft, spentThen, spentDraft }) => [
    key === '' ? currencyId : `${key} ${currencyId}`,
    ...[issuedThen, issuedDraft, spentThen, spentDraft].map(String),
  ])
  const headings = [heading, 'issued>', 'with the draft>', 'spent>', 'with the draft>']
  if (cells.length > 0) for (const line of [...tableLines(headings, cells), '']) print(line)
}

function showRows(print: Screen['print'], heading: string, rows: readonly MoneyDifference[]): void {
  const cells = rows.map(({ key, currency, discountThen, discountDraft, changed }) => [
    key || currency,
    moneyText(discountThen, currency),
    moneyText(discountDraft, currency),
    signed(discountDraft - discountThen, currency),
    String(changed),
  ])
  if (cells.length === 0) return
  for (const line of tableLines([heading, 'given>', 'with the draft>', 'more given>', 'baskets>'], cells)) print(line)
  print('')
}

function signed(amount: bigint, currency: string): string {
  return `${amount > 0n ? '+' : ''}${amountText(amount, currency)}`
}
