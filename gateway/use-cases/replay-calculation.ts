import { engineVersion } from '../../engine/index.js'
import type { InspectedCalculation } from '../../store/ledger/calculations.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import { readInputs } from './calculation-record.js'
import { publishedProgramme } from './simulate-basket.js'

export interface ReplayParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes'>
  readonly lowPriority: LowPriority
}

export type Replayed =
  | {
      readonly kind: 'replayed'
      readonly stored: Uint8Array
      readonly replayed: Uint8Array
      /** True: the same bytes, or for another engine version's answer the same value. */
      readonly isSame: boolean
      readonly storedEngineVersion: number
    }
  | { readonly kind: 'body_gone' | 'programme_not_found' }

/**
 * Computes a stored calculation again from the stored request, the programme version and the stored facts (with the units that were
 * left of each limit). Pricing is pure, so the same engine gives the same bytes; another may prefer another outcome of the same value.
 */
export async function replayCalculation(
  { adminLedger, lowPriority }: ReplayParts,
  { summary, body }: InspectedCalculation,
  signal: AbortSignal,
): Promise<Replayed> {
  if (body === null) return { kind: 'body_gone' }
  const { facts, engineVersion: storedEngineVersion } = readInputs(body.inputs)
  const programme = await publishedProgramme(adminLedger, facts.programmeVersion)
  if (programme === null) return { kind: 'programme_not_found' }
  return await lowPriority.run(signal, async (engine) => {
    const { request, answer } = await engine.unpack(body.packed)
    const read = await engine.readBasket(request, summary.calculationId)
    if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
    try {
      const { answer: replayed, netAfter } = await engine.priceBasket(read.ticket, programme, facts)
      const isSame =
        storedEngineVersion === engineVersion
          ? Buffer.from(answer).equals(replayed)
          : netAfter - grossAdded(replayed, request) === summary.netAfter - grossAdded(answer, request)
      return { kind: 'replayed', stored: answer, replayed, isSame, storedEngineVersion }
    } finally {
      engine.forget(read.ticket)
    }
  })
}

interface SomeBasket {
  readonly lines: readonly { readonly addedByLoyalty?: boolean | null; readonly totals: { readonly gross: number } }[]
}

/** Gross of the lines that the service added: they net to 0, so the net needs it to give the value (3-benefits 4). */
function grossAdded(answer: Uint8Array, request: Uint8Array): number {
  const { basket } = JSON.parse(Buffer.from(answer).toString()) as { readonly basket?: SomeBasket }
  const { lines } = basket ?? (JSON.parse(Buffer.from(request).toString()) as SomeBasket)
  return lines.reduce((sum, line) => sum + (line.addedByLoyalty === true ? line.totals.gross : 0), 0)
}
