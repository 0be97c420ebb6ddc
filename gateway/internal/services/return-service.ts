import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectError, ConnectRouter, HandlerContext } from '@connectrpc/connect'
import { isWeighed, partOf } from '../../../engine/value/ladder.js'
import { type ReturnBasis, refundedBefore, returnedWith, type TooMuch } from '../../../engine/value/returns.js'
import type {
  ListedReturn,
  PlannedReturn,
  RecordedReturn,
  RecordReply,
  ReturnedValue,
} from '../../../store/ledger/returns.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import {
  type ListReturnsRequest,
  type ListReturnsResponseSchema,
  type QuoteReturnRequest,
  type QuoteReturnResponseSchema,
  type RecordReturnRequest,
  type RecordReturnResponseSchema,
  type ReturnedLine,
  ReturnService,
} from '../../gen/loyalty/v1/return_service_pb.js'
import { chargedLadder, type LadderParts } from '../../use-cases/charged-ladder.js'
import { type LineFault, makeReturn, type PlacedLines, placeLines } from '../../use-cases/make-return.js'
import { invalidFields, refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, microsecondsFrom, quoted, timestamp } from '../messages/fields.js'
import { pageOf } from '../messages/page-token.js'
import { ValueFields } from '../messages/value-fields.js'

const linesMax = 1_000

export interface ReturnParts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'returns'>
  readonly journal: Pick<Journal, 'ensureInLedger'>
}

/** Returns of sales (4-member-value, sections 5 and 6). */
export function returnRoutes(parts: ReturnParts): (router: ConnectRouter) => void {
  return (router) => {
    router.service(ReturnService, {
      async getLadder({ calculationId }, { signal }) {
        new FieldChecks().uuid('calculation_id', calculationId).done()
        const basis = await findBasis(parts, calculationId, signal)
        const { ladder } = basis
        const returned = returnedWith(basis, [])
        const isRepriced = ladder.policy === 'reprice' && ladder.anew
        const lines = ladder.lines.map((line, at) => ({
          lineId: line.lineId,
          quantityThousandths: BigInt(line.quantity),
          returnedThousandths: BigInt(returned[at]!),
          net: BigInt(line.paid),
          weighed: isWeighed(line),
          ...(isRepriced ? {} : { refunded: BigInt(partOf(line, line.paid, returned[at]!)) }),
        }))
        return { lines, refunded: BigInt(refundedBefore(basis)) }
      },
      quoteReturn: (request, { signal }) => quote(parts, request, signal),
      recordReturn: (request, context) => record(parts, request, context),
      listReturns: (request) => list(parts, request),
    })
  }
}

const ladderParts = ({ adminLedger, lowPriority }: ReturnParts): LadderParts => ({ ledger: adminLedger, lowPriority })

async function findBasis(parts: ReturnParts, calculationId: string, signal: AbortSignal): Promise<ReturnBasis> {
  await parts.journal.ensureInLedger(calculationId)
  const found = await chargedLadder(ladderParts(parts), calculationId, signal)
  switch (found.kind) {
    case 'laddered':
      return found.basis
    case 'unknown_calculation':
      throw refusal('CALCULATION_NOT_FOUND', 'no calculation with this id')
    case 'not_sold':
      throw refusal('SALE_NOT_FOUND', 'no sale of this calculation was charged')
    case 'body_gone':
      throw refusal('CALCULATION_BODY_GONE', 'request and answer are no longer kept')
    case 'programme_not_found':
      throw refusal('PROGRAMME_NOT_FOUND', 'its programme version is not there')
  }
}

type LinesRequest = Pick<QuoteReturnRequest, 'calculationId' | 'lines'>

/** The requested return, checked against the ladder. */
async function ask(
  parts: ReturnParts,
  { calculationId, lines }: LinesRequest,
  signal: AbortSignal,
): Promise<PlacedLines> {
  const { ladder } = await findBasis(parts, calculationId, signal)
  const named = lines.map(({ lineId, quantityThousandths }) => ({ lineId, quantity: Number(quantityThousandths) }))
  const placed = placeLines(ladder, named)
  if ('places' in placed) return placed
  throw invalidFields(placed.map((fault) => violationOf(fault, lines[fault.place]!)))
}

function checkLineCount(checks: FieldChecks, lines: readonly ReturnedLine[]): FieldChecks {
  return checks.expect(
    'lines',
    lines.length >= 1 && lines.length <= linesMax,
    `1 to ${linesMax} lines`,
    String(lines.length),
  )
}

function violationOf(fault: LineFault, { lineId, quantityThousandths }: ReturnedLine) {
  const path = `lines[${fault.place}]`
  const violation = (field: string, expected: string, received: string) => {
    return { field: `${path}.${field}`, description: `expected ${expected}; received ${quoted(received)}` }
  }
  switch (fault.kind) {
    case 'unknown':
      return violation('line_id', 'the line_id of a line of the ladder', lineId)
    case 'twice':
      return violation('line_id', `another line than lines[${fault.first}]`, lineId)
    case 'no_part': {
      const expected = fault.isWhole ? `a multiple of 1000 up to ${fault.bought}` : `1 to ${fault.bought}`
      return violation('quantity_thousandths', expected, String(quantityThousandths))
    }
  }
}

async function quote(
  parts: ReturnParts,
  request: QuoteReturnRequest,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof QuoteReturnResponseSchema>> {
  const { calculationId } = request
  checkLineCount(new FieldChecks().uuid('calculation_id', calculationId), request.lines).done()
  const { lines, places } = await ask(parts, request, signal)
  const quote = (planned: PlannedReturn) => parts.adminLedger.returns.quote(calculationId, planned)
  const reply = await makeReturn(ladderParts(parts), { calculationId, lines }, quote, signal)
  if (reply.kind !== 'done') throw refusalFrom(reply, request.lines, places)
  return movedBy(reply)
}

async function record(
  parts: ReturnParts,
  request: RecordReturnRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof RecordReturnResponseSchema>> {
  const { requestId, calculationId, reference } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  checkLineCount(checks, request.lines).id('reference', reference)
  const fields = new ValueFields(checks)
  const occurredAt = fields.moment('occurred_at', request.occurredAt)
  fields.reasonOrEmpty('reason', request.reason)
  checks.expect('occurred_at', request.occurredAt !== undefined, 'a moment', '').done()
  const { lines, places } = await ask(parts, request, context.signal)
  const record = (planned: PlannedReturn) =>
    sendCommand(request, context, (command) =>
      parts.adminLedger.returns.record(command, { calculationId, reference, occurredAt: occurredAt ?? 0, ...planned }),
    )
  const reply = await makeReturn(ladderParts(parts), { calculationId, lines }, record, context.signal)
  if (reply.kind !== 'done') throw refusalFrom(reply, request.lines, places)
  return { ...movedBy(reply), returnId: BigInt(reply.returnId) }
}

async function list(
  { adminLedger }: ReturnParts,
  request: ListReturnsRequest,
): Promise<MessageInitShape<typeof ListReturnsResponseSchema>> {
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

export function messageFromReturn(
  made: ListedReturn,
): NonNullable<MessageInitShape<typeof ListReturnsResponseSchema>['returns']>[number] {
  const { returnId, calculationId, reference, lines, occurredAt, recordedAt, actor } = made
  const { refund, takenBack, givenBack } = movedBy(made)
  return {
    returnId: BigInt(returnId),
    ...{ calculationId, reference, refund, takenBack, givenBack, actor },
    lines: lines.map(([lineId, quantity]) => ({ lineId, quantityThousandths: BigInt(quantity) })),
    occurredAt: timestamp(occurredAt),
    recordedAt: timestamp(recordedAt),
  }
}

function movedBy({ refund, asPaidRefund, keptRefund: kept, takenBack, givenBack }: Moved) {
  return {
    refund: BigInt(refund),
    asPaidRefund: BigInt(asPaidRefund),
    ...(kept === null ? {} : { keptBasketRefund: BigInt(kept) }),
    takenBack: takenBack.map(messageFromValue),
    givenBack: givenBack.map(messageFromValue),
  }
}

type Moved = Pick<RecordedReturn, 'refund' | 'asPaidRefund' | 'keptRefund' | 'takenBack' | 'givenBack'>

export function messageFromValue({ currencyId, amount, debt, forgiven }: ReturnedValue) {
  return { currencyId, amount: BigInt(amount), debt: BigInt(debt), forgiven: BigInt(forgiven) }
}

type Refusal = Exclude<RecordReply | TooMuch, { readonly kind: 'done' | 'changed' | 'refused' | 'request_id_conflict' }>

/** @param places  of the lines as the ledger got them, in the request */
function refusalFrom(reply: Refusal, lines: readonly ReturnedLine[], places: readonly number[]): ConnectError {
  switch (reply.kind) {
    case 'no_ladder':
      return refusal('SALE_NOT_FOUND', 'no sale of this calculation was charged')
    case 'too_much': {
      const place = places[reply.place]!
      const description = `expected at most ${reply.left}, which is left; received "${lines[place]!.quantityThousandths}"`
      return invalidFields([{ field: `lines[${place}].quantity_thousandths`, description }])
    }
    case 'out_of_range':
      return refusal('OUT_OF_RANGE', 'an account would pass 2^53 - 1')
    case 'reference_conflict':
      return refusal('REQUEST_ID_CONFLICT', 'the reference was recorded with other lines')
  }
}
