import type { Command } from '../../store/ledger/calls.js'
import type { PlannedReturn, RecordReply } from '../../store/ledger/returns.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Journal } from '../background/journal.js'
import { chargedLadder, type LadderParts } from './charged-ladder.js'
import { makeReturn, type NamedLine, placeLines } from './make-return.js'

export interface ReturnParts extends Pick<LadderParts, 'lowPriority'> {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'returns'>
  readonly journal: Pick<Journal, 'ensureInLedger'>
}

interface Asked {
  readonly calculationId: string
  readonly lines: readonly NamedLine[]
}

export async function findLadder({ adminLedger, lowPriority, journal }: ReturnParts, id: string, signal: AbortSignal) {
  await journal.ensureInLedger(id)
  return await chargedLadder({ ledger: adminLedger, lowPriority }, id, signal)
}

export function quoteReturn(parts: ReturnParts, asked: Asked, signal: AbortSignal) {
  const { returns } = parts.adminLedger
  return returnLines(parts, asked, (planned) => returns.quote(asked.calculationId, planned), signal)
}

interface Recorded extends Asked {
  readonly reference: string
  readonly occurredAt: number
}

export function recordReturn(parts: ReturnParts, command: Command, asked: Recorded, signal: AbortSignal) {
  const { calculationId, reference, occurredAt } = asked
  const { returns } = parts.adminLedger
  const send = (planned: PlannedReturn) => returns.record(command, { calculationId, reference, occurredAt, ...planned })
  return returnLines(parts, asked, send, signal)
}

/** The places of refusals are those of the lines as asked for. */
async function returnLines<Reply extends Pick<RecordReply, 'kind'>>(
  parts: ReturnParts,
  { calculationId, lines }: Asked,
  send: (planned: PlannedReturn) => Promise<Reply>,
  signal: AbortSignal,
) {
  const found = await findLadder(parts, calculationId, signal)
  if (found.kind !== 'laddered') return found
  const placed = placeLines(found.basis.ladder, lines)
  if (!('places' in placed)) return { kind: 'wrong_lines', faults: placed } as const
  const ladderParts = { ledger: parts.adminLedger, lowPriority: parts.lowPriority }
  const reply = await makeReturn(ladderParts, { calculationId, lines: placed.lines }, send, signal)
  return 'left' in reply ? { ...reply, place: placed.places[reply.place]! } : reply
}
