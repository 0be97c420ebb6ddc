import type { HandlerContext } from '@connectrpc/connect'
import { isWeighed, partOf } from '../../../engine/value/ladder.js'
import { refundedBefore, returnedWith } from '../../../engine/value/returns.js'
import type { ListedReturn } from '../../../store/ledger/returns.js'
import {
  type ListReturnsRequest,
  type QuoteReturnRequest,
  type RecordReturnRequest,
  type ReturnedLine,
  ReturnService,
} from '../../gen/loyalty/v1/return_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { findLadder, quoteReturn, type ReturnParts } from '../../use-cases/record-return.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, microsecondsFrom } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { type Fields, refusalFrom } from '../messages/refusals.js'
import { ValueFields } from '../messages/value-fields.js'

const linesMax = 1_000

export interface ReturnServiceParts extends ReturnParts {
  readonly commands: Commands
}

/** Returns of sales (4-member-value, sections 5 and 6). */
export function returnRoutes(parts: ReturnServiceParts) {
  return routeOf(ReturnService, {
    async getLadder({ calculationId }, { signal }) {
      new FieldChecks().uuid('calculation_id', calculationId).done()
      const found = await findLadder(parts, calculationId, signal)
      if (found.kind !== 'laddered') throw refusalFrom(found, { calculationId })
      const { basis } = found
      const { ladder } = basis
      const returned = returnedWith(basis, [])
      const isRepriced = ladder.policy === 'reprice' && ladder.anew
      const lines = ladder.lines.map((line, at) => ({
        lineId: line.lineId,
        quantityThousandths: line.quantity,
        returnedThousandths: returned[at]!,
        net: line.paid,
        weighed: isWeighed(line),
        ...(isRepriced ? {} : { refunded: partOf(line, line.paid, returned[at]!) }),
      }))
      return { lines, refunded: refundedBefore(basis) }
    },
    quoteReturn: (request, { signal }) => quote(parts, request, signal),
    recordReturn: (request, context) => record(parts, request, context),
    listReturns: (request) => list(parts, request),
  })
}

const namedLines = (lines: readonly ReturnedLine[]) =>
  lines.map(({ lineId, quantityThousandths }) => ({ lineId, quantity: Number(quantityThousandths) }))

function checkLineCount(checks: FieldChecks, lines: readonly ReturnedLine[]): FieldChecks {
  return checks.expect(
    'lines',
    lines.length >= 1 && lines.length <= linesMax,
    `1 to ${linesMax} lines`,
    String(lines.length),
  )
}

/** The account that has no room is one of several. */
const returnFields: Fields = { out_of_range: 'lines' }

async function quote(parts: ReturnParts, request: QuoteReturnRequest, signal: AbortSignal) {
  const { calculationId } = request
  checkLineCount(new FieldChecks().uuid('calculation_id', calculationId), request.lines).done()
  const reply = await quoteReturn(parts, { calculationId, lines: namedLines(request.lines) }, signal)
  if (reply.kind !== 'done') throw refusalFrom(reply, request, returnFields)
  return { ...reply, keptBasketRefund: reply.keptRefund }
}

async function record({ commands }: ReturnServiceParts, request: RecordReturnRequest, context: HandlerContext) {
  const { requestId, calculationId, reference } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  checkLineCount(checks, request.lines).id('reference', reference)
  const fields = new ValueFields(checks)
  const occurredAt = fields.moment('occurred_at', request.occurredAt)
  fields.reasonOrEmpty('reason', request.reason)
  checks.expect('occurred_at', request.occurredAt !== undefined, 'a moment', '').done()
  const asked = { calculationId, lines: namedLines(request.lines), reference, occurredAt: occurredAt ?? 0 }
  const reply = await sendCommand(commands.recordReturn, [asked, context.signal], {
    request,
    context,
    fields: returnFields,
  })
  return { ...reply, keptBasketRefund: reply.keptRefund }
}

async function list({ adminLedger }: ReturnParts, request: ListReturnsRequest) {
  const { calculationId, from, until } = request
  if (calculationId !== '') new FieldChecks().uuid('calculation_id', calculationId).done()
  const fromUs = microsecondsFrom(from) ?? 0
  const untilUs = microsecondsFrom(until) ?? Number.MAX_SAFE_INTEGER
  const filter = { fromUs, untilUs, calculationId }
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListReturns',
    filters: Object.values(filter),
    form: ['number', 'number'],
    read: (page) => adminLedger.returns.list(filter, page),
    cursorOf: ({ recordedAtUs, returnId }) => [recordedAtUs, returnId],
  })
  return { returns: rows.map(messageFromReturn), nextPageToken }
}

export function messageFromReturn(made: ListedReturn) {
  return { ...made, lines: made.lines.map(([lineId, quantity]) => ({ lineId, quantityThousandths: quantity })) }
}
