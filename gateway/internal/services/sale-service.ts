import type { HandlerContext } from '@connectrpc/connect'
import type { InspectedSale, SaleFilter } from '../../../store/ledger/sales.js'
import type { AdminLedger } from '../../../store/ledger.js'
import { DiscrepancySchema, SaleStatusSchema } from '../../gen/loyalty/v1/enums_pb.js'
import {
  type ListDiscrepanciesRequest,
  type ListSalesRequest,
  SaleService,
  type SettleDiscrepanciesRequest,
  type WatchSalesRequest,
  type WatchSalesResponseSchema,
} from '../../gen/loyalty/v1/sale_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, microsecondsFrom, receiptFrom } from '../messages/fields.js'
import { channelFromWord, type RecordOf, routeOf, wordFromEnum } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { ValueFields } from '../messages/value-fields.js'
import { boundWatchers, watchFeed } from '../watching.js'

/** Sales that get a place, or are read, in one step. */
const feedMax = 500

export interface SaleParts {
  readonly adminLedger: Pick<AdminLedger, 'sales'>
  readonly commands: Commands
}

export function saleRoutes(parts: SaleParts) {
  const bounded = boundWatchers(watch)
  return routeOf(SaleService, {
    async getSale({ calculationId }) {
      new FieldChecks().uuid('calculation_id', calculationId).done()
      const { sale, event } = await find(parts, calculationId)
      return { sale: messageFromSale(sale), eventJson: Buffer.from(event).toString() }
    },

    async listSales(request) {
      const { transactionId } = request
      const checks = new FieldChecks().enumOrNone('status', SaleStatusSchema, request.status)
      const receiptNumber = receiptFrom(checks, request.receiptNumber)
      checks.idOrEmpty('transaction_id', transactionId).done()
      const status = wordFromEnum(SaleStatusSchema, request.status) ?? ''
      return await list(parts, 'ListSales', request, { status, discrepancy: null, receiptNumber, transactionId })
    },

    async listDiscrepancies(request) {
      new FieldChecks().enumOrNone('discrepancy', DiscrepancySchema, request.discrepancy).done()
      const discrepancy = wordFromEnum(DiscrepancySchema, request.discrepancy) ?? 'any'
      return await list(parts, 'ListDiscrepancies', request, {
        ...{ status: '', discrepancy, receiptNumber: null, transactionId: '', isOpen: !request.includeSettled },
      })
    },

    settleDiscrepancies: (request, context) => settle(parts, request, context),

    watchSales: (request, { signal }) => bounded(parts, request, signal),
  })
}

async function find({ adminLedger }: SaleParts, calculationId: string) {
  const found = await adminLedger.sales.find(calculationId)
  if (found === null) throw refusal('SALE_NOT_FOUND', 'no sale of this calculation')
  return found
}

async function settle(parts: SaleParts, request: SettleDiscrepanciesRequest, context: HandlerContext) {
  const { requestId, calculationId, reason, discrepancies } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  new ValueFields(checks).reason('reason', reason)
  const words = discrepancies.flatMap((one) => wordFromEnum(DiscrepancySchema, one) ?? [])
  checks
    .expect(
      'discrepancies',
      words.length > 0 && words.length === discrepancies.length,
      'values of Discrepancy, 1 or more',
      discrepancies.join(),
    )
    .done()
  await sendCommand(parts.commands.settleDiscrepancies, [calculationId, words], { request, context })
  return { sale: messageFromSale((await find(parts, calculationId)).sale) }
}

async function list(
  { adminLedger }: SaleParts,
  name: 'ListSales' | 'ListDiscrepancies',
  request: ListSalesRequest | ListDiscrepanciesRequest,
  chosen: Omit<SaleFilter, 'fromUs' | 'untilUs' | 'venueId' | 'cashRegisterId'>,
) {
  const { venueId, cashRegisterId, from, until } = request
  new FieldChecks().idOrEmpty('venue_id', venueId).idOrEmpty('cash_register_id', cashRegisterId).done()
  const fromUs = microsecondsFrom(from) ?? 0
  const untilUs = microsecondsFrom(until) ?? Number.MAX_SAFE_INTEGER
  const filter = { fromUs, untilUs, venueId, ...chosen, cashRegisterId }
  const { rows, nextPageToken } = await pageOf(request, {
    name,
    filters: Object.values(filter),
    form: ['number', 'uuid'],
    read: (page) => adminLedger.sales.list(filter, page),
    cursorOf: ({ recordedAtUs, calculationId }) => [recordedAtUs, calculationId],
    lookedTo: (after) => adminLedger.sales.findLookedTo(filter, after),
  })
  return { sales: rows.map(messageFromSale), nextPageToken }
}

async function* watch(
  { adminLedger }: SaleParts,
  { cursor, fromBeginning, venueId }: WatchSalesRequest,
  signal: AbortSignal,
): AsyncGenerator<RecordOf<typeof WatchSalesResponseSchema>> {
  new FieldChecks().idOrEmpty('venue_id', venueId).done()
  const feed = watchFeed({
    name: 'WatchSales',
    ...{ cursor, filters: [venueId], signal },
    placeMore: () => adminLedger.sales.place(feedMax),
    begin: async () => (fromBeginning ? 0 : await adminLedger.sales.lastPlace()),
    read: (after) => adminLedger.sales.readFeed(after, feedMax),
    placeOf: ({ feedPlace }) => feedPlace!,
    isMeant: (sale) => venueId === '' || sale.venueId === venueId,
  })
  for await (const { row, cursor } of feed) yield { sale: row && messageFromSale(row), cursor }
}

export function messageFromSale(sale: InspectedSale) {
  return { ...sale, ...channelFromWord(sale.channel) }
}
