import { EngineFault, type PricingEngine } from '../../engine/index.js'
import type { JsonFault } from '../../engine/wire/json-faults.js'
import { type ReturnEvent, readReturn } from '../../engine/wire/read-return.js'
import { invalidRequest } from '../../engine/wire/refusal.js'
import { StoreFault } from '../../store/fault.js'
import type { PlannedReturn, PosRecordReply, StoredPosReturn } from '../../store/ledger/returns.js'
import type { PosLedger } from '../../store/ledger.js'
import { chargedLadder, type LadderParts } from './charged-ladder.js'
import { type LineFault, makeReturn, type PlacedLines, placeLines } from './make-return.js'
import type { Call, Reply } from './replies.js'
import { conflict, isAdmitted, oneAtATimeWithin, refused, sameBody, turnedAway } from './replying.js'

export interface RecordReturnParts extends Pick<LadderParts, 'lowPriority'> {
  readonly engine: Pick<PricingEngine, 'sameValue'>
  readonly posLedger: Pick<PosLedger, 'programmes' | 'returns'>
  readonly deadlineMs: number
}

/** Records a return that happens at a POS, exactly once: an addition beyond the draft contract. */
export function createRecordReturn(parts: RecordReturnParts): (call: Call) => Promise<Reply> {
  return oneAtATimeWithin(parts.deadlineMs, (call) => record(parts, call))
}

async function record(parts: RecordReturnParts, call: Call): Promise<Reply> {
  // A return is short and rare: read here, not on a pricing thread.
  const read = readReturn(call.body, call.idempotencyKey)
  if (read.kind === 'refused') return refused(read.refusal)
  const { event } = read
  call.onRead?.({ ...event, loyaltyId: null })
  if (!(await isAdmitted(call))) return turnedAway
  const { returns } = parts.posLedger
  const [stored, sales] = await Promise.all([
    returns.findStored(event.returnId),
    returns.findSales({ venueId: event.venueId, by: event.sold }),
  ])
  if (stored !== null) return await again(parts, call, { event, stored, sales })
  const [calculationId, ...others] = sales
  if (calculationId === undefined) return unknown(event)
  if (others.length > 0) return refused(invalidRequest([severalSales(event)]))
  const leftMs = Math.max(0, parts.deadlineMs - (performance.now() - call.arrivedAtMs))
  const signal = AbortSignal.timeout(Math.floor(leftMs))
  try {
    return await returnOf(parts, call, { event, calculationId, signal })
  } catch (error) {
    if (signal.aborted && !(error instanceof StoreFault)) throw new EngineFault('too_late', { cause: error })
    throw error
  }
}

/** Within LOYALTY_IDEMPOTENCY_S the first answer again, or a conflict; later `duplicate` for the same sale. */
async function again({ engine }: RecordReturnParts, call: Call, { event, stored, sales }: Again): Promise<Reply> {
  const made = { ...stored.made, lineIds: stored.made.lines.map(([lineId]) => lineId) }
  if (!stored.isFresh && sales.includes(made.calculationId)) return answered(event, 'duplicate', made)
  const isSame = await sameBody(engine, stored, { digest: event.digest, body: call.body })
  return isSame && stored.isFresh ? { ...answered(event, 'recorded', made), replayed: true } : conflict(call, 'return')
}

interface Again {
  readonly event: ReturnEvent
  readonly stored: StoredPosReturn
  /** Those that the return names, at its venue. */
  readonly sales: readonly string[]
}

interface OfSale {
  readonly event: ReturnEvent
  readonly calculationId: string
  readonly signal: AbortSignal
}

async function returnOf(
  parts: RecordReturnParts,
  call: Call,
  { event, calculationId, signal }: OfSale,
): Promise<Reply> {
  const { posLedger, lowPriority } = parts
  const ladderParts = { ledger: posLedger, lowPriority }
  const found = await chargedLadder(ladderParts, calculationId, signal)
  if (found.kind !== 'laddered') return unknown(event)
  const { ladder } = found.basis
  const placed = placeLines(ladder, event.lines)
  if (!('places' in placed)) return refused(invalidRequest(placed.map((fault) => jsonFault(fault, event))))
  const { lines } = placed
  const { occurredAt, dryRun } = event
  const { returnId, digest } = event
  const sent = { returnId, digest, body: call.body, actor: `${event.venueId}/${event.cashRegisterId}` }
  const send = (planned: PlannedReturn): Promise<PosRecordReply> =>
    dryRun
      ? posLedger.returns.quote(calculationId, planned)
      : posLedger.returns.recordSent(sent, { calculationId, occurredAt, ...planned })
  const reply = await makeReturn(ladderParts, { calculationId, lines }, send, signal)
  switch (reply.kind) {
    case 'done': {
      const lineIds = lines.map(([at]) => ladder.lines[at]!.lineId)
      return answered(event, dryRun ? 'quoted' : 'recorded', { ...reply, lineIds })
    }
    case 'not_sold':
      return unknown(event)
    case 'too_much':
      return refused(invalidRequest([tooMuch(event, placed, reply)]))
    case 'out_of_range':
      return refused(invalidRequest([noRoom]))
    case 'reference_conflict':
      return conflict(call, 'return')
    case 'stored': {
      const stored = await posLedger.returns.findStored(returnId)
      return await again(parts, call, { event, stored: stored!, sales: [calculationId] })
    }
  }
}

/** The venue has no such sale that was charged; another venue's is as unknown. */
function unknown(event: ReturnEvent): Reply {
  return replyOf(event, 'unknown_calculation', {})
}

interface Made {
  readonly refund: number
  readonly lineIds: readonly string[]
  readonly lineRefunds: readonly number[]
  readonly takenBack: readonly { readonly amount: number }[]
  readonly givenBack: readonly { readonly amount: number }[]
}

function answered(event: ReturnEvent, result: string, { refund, lineIds, lineRefunds, takenBack, givenBack }: Made) {
  const lines = lineIds.map((lineId, at) => ({ lineId, refund: lineRefunds[at]! }))
  const sum = (rows: Made['takenBack']) => rows.reduce((total, { amount }) => total + amount, 0)
  return replyOf(event, result, { refund, lines, takenBack: sum(takenBack), givenBack: sum(givenBack) })
}

function replyOf({ returnId }: ReturnEvent, outcome: string, more: object) {
  const body = Buffer.from(JSON.stringify({ returnId, result: outcome, ...more }))
  return { kind: 'answered', body, replayed: false, outcome } as const
}

function jsonFault(fault: LineFault, { lines }: ReturnEvent): JsonFault {
  const { lineId, quantity } = lines[fault.place]!
  const path = `lines[${fault.place}]`
  switch (fault.kind) {
    case 'unknown':
      return {
        field: `${path}.lineId`,
        expected: 'the lineId of a line of the charged basket',
        received: JSON.stringify(lineId),
      }
    case 'twice':
      return {
        field: `${path}.lineId`,
        expected: `another line than lines[${fault.first}]`,
        received: JSON.stringify(lineId),
      }
    case 'no_part': {
      const expected = fault.isWhole ? `a whole number up to ${units(fault.bought)}` : `at most ${units(fault.bought)}`
      return { field: `${path}.quantity`, expected, received: units(quantity) }
    }
  }
}

function tooMuch(
  { lines }: ReturnEvent,
  { places }: PlacedLines,
  { place, left }: { place: number; left: number },
): JsonFault {
  const at = places[place]!
  return {
    field: `lines[${at}].quantity`,
    expected: `at most ${units(left)}, which is left`,
    received: units(lines[at]!.quantity),
  }
}

function units(thousandths: number): string {
  return String(thousandths / 1_000)
}

function severalSales({ sold }: ReturnEvent): JsonFault {
  const received = 'transactionId' in sold ? JSON.stringify(sold.transactionId) : ''
  return { field: 'transactionId', expected: 'the id of one sale of the venue: send its calculationId', received }
}

const noRoom: JsonFault = {
  field: 'lines',
  expected: 'a return whose value has room in the accounts of the member',
  received: 'more',
}
