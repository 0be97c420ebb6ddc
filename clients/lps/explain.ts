import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient, type Transport } from '@connectrpc/connect'
import {
  CalculationService,
  type CalculationSummary,
  type GetCalculationResponse,
  GetCalculationResponseSchema,
  ReservationStateSchema,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import {
  CalculationStateSchema,
  CalculationStatus,
  CalculationStatusSchema,
  type Discrepancy,
  DiscrepancySchema,
  UnchangedReasonSchema,
} from '../../gateway/gen/loyalty/v1/enums_pb.js'
import { SaleService } from '../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { VenueService } from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { wordFromEnum } from '../../gateway/rpc/messages/words.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { earningLines, spendingLines } from './earning-lines.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained, reasonOf } from './internal.js'
import { moneyText } from './money.js'
import { type Receipt, receiptLines } from './receipt.js'
import { closedLines, countedText, reportLines } from './report-lines.js'

export const explain: Command = {
  name: 'explain',
  summary: 'one calculation: the receipt before and after, and every benefit with its reason',
  help: `lps explain GUID

Shows the answer to a member and its reasons: the receipt as sent and as answered, and for every benefit open to the member its
discount by line, or why it was dropped, for the others the terms that kept them closed, what benefits cost the member and whether it is
held, used or released, what earning rules count and the sale earned, or would earn now, and where the sale disagrees. Requests and answers are stored for days; after that only the sums remain.

  lps explain 5f0c6f2e-6a43-4b53-9d44-0d3c4a1f7a11

  --json              the calculation as JSON
${internalHelp}

Exit code 0: found; 1: there is no such calculation.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const calculationId = onlyWord(positionals, 'the GUID of one calculation').toLowerCase()
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(calculationId))
      throw new WrongUse(`expected a GUID such as 5f0c6f2e-6a43-4b53-9d44-0d3c4a1f7a11, received ${calculationId}`)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const found = await createClient(CalculationService, transport).getCalculation({ calculationId })
      if (values.json) screen.print(JSON.stringify(toJson(GetCalculationResponseSchema, found), null, 2))
      else {
        const names = await namesAt(transport, found.calculation!.venueId)
        show(found, { names, discrepancies: await discrepanciesOf(transport, calculationId) }, screen)
      }
      return 0
    })
  },
}

const options = { ...internalOptions, json: { type: 'boolean' } } as const

/** Product names of the venue by productId; empty where the venue no longer exists. */
async function namesAt(transport: Transport, venueId: string): Promise<ReadonlyMap<string, string>> {
  try {
    const { venue } = await createClient(VenueService, transport).getVenue({ venueId })
    return new Map(venue?.products.map(({ productId, name }) => [productId, name]) ?? [])
  } catch (error) {
    if (reasonOf(error) === 'VENUE_NOT_FOUND') return new Map()
    throw error
  }
}

/** Where its sale disagrees with it; empty without a sale. */
async function discrepanciesOf(transport: Transport, calculationId: string): Promise<readonly Discrepancy[]> {
  try {
    return (await createClient(SaleService, transport).getSale({ calculationId })).sale?.discrepancies ?? []
  } catch (error) {
    if (reasonOf(error) === 'SALE_NOT_FOUND') return []
    throw error
  }
}

interface Beside {
  readonly names: ReadonlyMap<string, string>
  readonly discrepancies: readonly Discrepancy[]
}

function show(found: GetCalculationResponse, { names, discrepancies }: Beside, { print }: Screen): void {
  for (const line of headLines(found)) print(line)
  if (discrepancies.length > 0)
    print(`  its sale: ${discrepancies.map((each) => wordFromEnum(DiscrepancySchema, each)).join(', ')}`)
  const { requestJson, answerJson, explanation, earning, spending, closed } = found
  const { currency, status } = found.calculation!
  const isUnknown = status === CalculationStatus.MEMBER_NOT_FOUND
  const showValue = () => {
    for (const line of valueLines('Spending', spendingLines(spending))) print(line)
    for (const line of valueLines('Earning', earningLines(earning, currency))) print(line)
  }
  if (requestJson === undefined || answerJson === undefined) {
    print('')
    for (const line of sumLines(found.calculation!)) print(line)
    print('Request, answer and reasons are no longer stored.')
    showValue()
    return
  }
  const sent = JSON.parse(requestJson) as Receipt
  const { basket } = JSON.parse(answerJson) as { readonly basket?: Receipt }
  print('')
  for (const line of receiptLines('As sent', sent, names)) print(line)
  print('')
  if (basket === undefined) print('Nothing changes: charge the basket as sent.')
  else for (const line of receiptLines('As answered', basket, names)) print(line)
  print('')
  if (explanation.length > 0) print('Benefits')
  else print(isUnknown ? 'No benefit was considered: there was no such member.' : 'No benefit was open to this member.')
  for (const line of reportLines(explanation, { lines: sent.lines, names, currency })) print(line)
  if (closed !== undefined) for (const line of closedLines(closed)) print(line)
  showValue()
}

function valueLines(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}

/** The sums, which remain when a calculation's bodies are deleted. */
function sumLines({ currency, netBefore, netAfter }: CalculationSummary): readonly string[] {
  return [
    `To pay as sent:     ${moneyText(netBefore, currency)}`,
    `To pay as answered: ${moneyText(netAfter, currency)}`,
  ]
}

function headLines({ calculation, history, reservations, engineVersion }: GetCalculationResponse): readonly string[] {
  const { calculationId, venueId, cashRegisterId, requestedAt, memberId, loyaltyId, ...rest } = calculation!
  const { status, reason, state, programmeVersion, optimal, gap, currency } = rest
  const why = reason === 0 ? '' : ` (${wordFromEnum(UnchangedReasonSchema, reason)})`
  return [
    `Calculation ${calculationId}`,
    `  at ${venueId}, register ${cashRegisterId}, ${requestedAt}`,
    `  ${memberId === undefined ? 'no member' : `member ${memberId}`}${loyaltyId === undefined ? '' : `, card ${loyaltyId}`}`,
    `  ${wordFromEnum(CalculationStatusSchema, status)}${why}, now ${wordFromEnum(CalculationStateSchema, state)}; programme version ${programmeVersion}${engineVersion === undefined ? '' : `, engine version ${engineVersion}`}${optimal ? '' : `; a better outcome could gain ${moneyText(gap, currency)} at most`}`,
    ...history.slice(1).map((each) => {
      const at = each.at === undefined ? '' : ` at ${timestampDate(each.at).toISOString()}`
      return `  ${wordFromEnum(CalculationStateSchema, each.state)}${at}${each.cause === '' ? '' : ` by ${each.cause}`}`
    }),
    ...reservations.map(({ limitId, subject, period, units, counts, state }) => {
      const whose = [subject || 'everyone', period || 'ever'].join(', ')
      return `  took ${countedText(units, counts, currency)} of the limit ${limitId} (${whose}): ${wordFromEnum(ReservationStateSchema, state)}`
    }),
  ]
}
