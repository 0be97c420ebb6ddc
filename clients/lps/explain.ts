import type { Message } from '@bufbuild/protobuf'
import { createClient, type Transport } from '@connectrpc/connect'
import type { Command } from 'commander'
import {
  CalculationService,
  type GetCalculationResponse,
  GetCalculationResponseSchema,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, type Discrepancy, DiscrepancySchema } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import { SaleService } from '../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { VenueService } from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { wordFromEnum } from '../../gateway/internal/messages/message.js'
import { printAnswer } from './answer.js'
import { type InternalOptions, onInternal, reasonOf, withInternal } from './internal.js'
import { closedLines, type Receipt, receiptLines, reportLines } from './report-lines.js'
import { exits, print, WrongUse } from './screen.js'

export function addExplain(program: Command): void {
  const command = program
    .command('explain <guid>')
    .summary('one calculation: the receipt before and after, and every benefit with its reason')
    .description(`Shows the answer to a member and its reasons: the receipt as sent and as answered, and for every benefit open to the member its
discount by line, or why it was dropped, for the others the terms that kept them closed, what benefits cost the member and whether it is
held, used or released, what earning rules count and the sale earned, or would earn now, and where the sale disagrees. Requests and
answers are stored for days; after that only the sums remain.

  lps explain 5f0c6f2e-6a43-4b53-9d44-0d3c4a1f7a11

Exit code 0: found; 1: there is no such calculation.`)
    .option('--json', 'the calculation as JSON')
  withInternal(command).action(
    exits(async (guid: string, { json, ...place }: InternalOptions & { readonly json?: boolean }) => {
      const calculationId = guid.toLowerCase()
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(calculationId))
        throw new WrongUse(`expected a GUID such as 5f0c6f2e-6a43-4b53-9d44-0d3c4a1f7a11, received ${guid}`)
      return await onInternal(place, async (transport) => {
        const found = await createClient(CalculationService, transport).getCalculation({ calculationId })
        if (json) printAnswer(GetCalculationResponseSchema, found, { asJson: true })
        else {
          const names = await namesAt(transport, found.calculation!.venueId)
          show(found, names, await discrepanciesOf(transport, calculationId))
        }
        return 0
      })
    }),
  )
}

async function namesAt(transport: Transport, venueId: string): Promise<ReadonlyMap<string, string>> {
  try {
    const { venue } = await createClient(VenueService, transport).getVenue({ venueId })
    return new Map(venue?.products.map(({ productId, name }) => [productId, name]) ?? [])
  } catch (error) {
    if (reasonOf(error) === 'VENUE_NOT_FOUND') return new Map()
    throw error
  }
}

async function discrepanciesOf(transport: Transport, calculationId: string): Promise<readonly Discrepancy[]> {
  try {
    return (await createClient(SaleService, transport).getSale({ calculationId })).sale?.discrepancies ?? []
  } catch (error) {
    if (reasonOf(error) === 'SALE_NOT_FOUND') return []
    throw error
  }
}

function show(
  found: GetCalculationResponse,
  names: ReadonlyMap<string, string>,
  discrepancies: readonly Discrepancy[],
): void {
  const { requestJson, answerJson, explanation, closed, ...rest } = found
  const head: Message = Object.assign(rest, { explanation: [] })
  printAnswer(GetCalculationResponseSchema, head, {
    money: ['net_before', 'net_after', 'loyalty_discount_total', 'gap'],
  })
  if (discrepancies.length > 0)
    print(`\nits sale: ${discrepancies.map((each) => wordFromEnum(DiscrepancySchema, each)).join(', ')}`)
  if (requestJson === undefined || answerJson === undefined) {
    print('\nRequest, answer and reasons are no longer stored.')
    return
  }
  const { currency, status } = found.calculation!
  const sent = JSON.parse(requestJson) as Receipt
  const { basket } = JSON.parse(answerJson) as { readonly basket?: Receipt }
  print('')
  receiptLines('As sent', sent, names).forEach(print)
  print('')
  if (basket === undefined) print('Nothing changes: charge the basket as sent.')
  else receiptLines('As answered', basket, names).forEach(print)
  print('')
  if (explanation.length > 0) print('Benefits')
  else if (status !== CalculationStatus.MEMBER_NOT_FOUND) print('No benefit was open to this member.')
  else print('No benefit was considered: there was no such member.')
  reportLines(explanation, { lines: sent.lines, names, currency }).forEach(print)
  if (closed !== undefined) closedLines(closed).forEach(print)
}
