import type { PricingFacts } from '../../engine/index.js'
import { spendingFromText } from '../../engine/wire/write-stored.js'
import type { ReturnState, StoredLadder } from '../../store/ledger/returns.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority } from '../background/low-priority.js'
import type { StoredBasket, StoredPricingParts } from './price-stored.js'
import { publishedProgramme } from './simulate-basket.js'
import { readInputs } from './stored-inputs.js'

export interface LadderParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes' | 'calculations' | 'returns'>
  readonly lowPriority: Pick<LowPriority, 'run'>
}

/** What is known for returns of a sale, its ladder included. */
export type Laddered =
  | Exclude<ReturnState, { readonly kind: 'sold' }>
  | { readonly kind: 'body_gone' | 'programme_not_found' }

/**
 * The ladder of a sale: as stored, or when it is first asked for computed from the stored basket by the programme version of the sale, and
 * stored for ever.
 */
export async function chargedLadder(parts: LadderParts, calculationId: string, signal: AbortSignal): Promise<Laddered> {
  const state = await parts.adminLedger.returns.find(calculationId)
  if (state.kind !== 'sold') return state
  const computed = await computeLadder(parts, { calculationId, ...state.sale }, signal)
  if ('kind' in computed) return computed
  await parts.adminLedger.returns.storeLadder(calculationId, computed)
  const stored = await parts.adminLedger.returns.find(calculationId)
  if (stored.kind !== 'laddered') throw new Error(`the ladder of ${calculationId} was not stored`)
  return stored
}

type Charged = Extract<ReturnState, { readonly kind: 'sold' }>['sale'] & { readonly calculationId: string }

async function computeLadder(
  parts: LadderParts,
  { calculationId, asReturned, paidTotal, spending }: Charged,
  signal: AbortSignal,
): Promise<StoredLadder | Extract<Laddered, { readonly kind: 'body_gone' | 'programme_not_found' }>> {
  const found = await parts.adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return { kind: 'body_gone' }
  const change = (facts: PricingFacts) => ({ ...facts, ...(paidTotal === null ? {} : { paidTotal }) })
  return await storedLadder(parts, { calculationId, body: found.body }, { change, asReturned, spending }, signal)
}

interface ChargedAs extends Pick<Charged, 'asReturned' | 'spending'> {
  /** Makes of the stored facts those that count. */
  readonly change: (facts: PricingFacts) => PricingFacts
}

/** The ladder of a stored basket, by the version that priced it. */
export async function storedLadder(
  { adminLedger, lowPriority }: StoredPricingParts,
  { calculationId, body: { packed, inputs } }: StoredBasket,
  { change, asReturned, spending }: ChargedAs,
  signal: AbortSignal,
): Promise<StoredLadder | { readonly kind: 'programme_not_found' }> {
  const facts = change(readInputs(inputs).facts)
  const programme = await publishedProgramme(adminLedger, facts.programmeVersion)
  if (programme === null) return { kind: 'programme_not_found' }
  return await lowPriority.run(signal, async (engine) => {
    const { request, answer } = await engine.unpack(packed)
    const read = await engine.readBasket(request, calculationId)
    if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
    try {
      const text = await engine.ladder(read.ticket, programme, { facts, answer: asReturned ? answer : null })
      const ladder = JSON.parse(text) as Omit<StoredLadder, 'spent'>
      return { ...ladder, spent: spentOn(ladder.lines, spending) }
    } finally {
      engine.forget(read.ticket)
    }
  })
}

/** Lines that the charged basket has not are left out. */
function spentOn(lines: StoredLadder['lines'], spending: string | null): StoredLadder['spent'] {
  const positions = new Map(lines.map(([lineId], at) => [lineId, at]))
  return spendingFromText(spending).map(({ currencyId, per, amount, times, lines: discounted }) => ({
    ...{ currencyId, per, amount, times },
    lines: discounted.flatMap(({ lineId, units }) => {
      const at = positions.get(lineId)
      return at === undefined ? [] : [[at, units] as const]
    }),
  }))
}
