import type { Ladder, ReturnPolicy } from '../../engine/core/base/earning.js'
import { everyCounter } from '../../engine/core/base/input.js'
import { accountKey, amountsSpent, counterKey } from '../../engine/core/base/outcome.js'
import type { PricingFacts } from '../../engine/index.js'
import type { StoredLadder } from '../../engine/value/ladder.js'
import { spendingFromText } from '../../engine/wire/write-stored.js'
import type { ReturnState, SaleReturns } from '../../store/ledger/returns.js'
import { readInputs } from './calculation-record.js'
import { priceStored, type StoredBasket, type StoredPricingParts } from './price-stored.js'
import { publishedProgramme } from './simulate-basket.js'

/** Through the door of the caller, POS or admin. */
export interface LadderParts extends StoredPricingParts {
  readonly ledger: StoredPricingParts['ledger'] & { readonly returns: SaleReturns }
}

export type Laddered =
  | Exclude<ReturnState, { readonly kind: 'sold' }>
  | { readonly kind: 'body_gone' | 'programme_not_found' }

/**
 * The ladder of a sale: as stored, or when it is first asked for computed from the stored basket by the programme version of the sale, and
 * stored for ever.
 */
export async function chargedLadder(parts: LadderParts, calculationId: string, signal: AbortSignal): Promise<Laddered> {
  const state = await parts.ledger.returns.find(calculationId)
  if (state.kind !== 'sold') return state
  const { asReturned, paidTotal, spending, pricedAs } = state.sale
  const basket = await findBody(parts, calculationId)
  if (basket === null) return { kind: 'body_gone' }
  const change = (facts: PricingFacts) => ({ ...facts, ...(paidTotal === null ? {} : { paidTotal }) })
  const ladder = await storedLadder(parts, basket, { change, asReturned, spending }, signal)
  if ('kind' in ladder) return ladder
  // A basket that was dropped has left the discounts on this one: they count as its own.
  const facts = pricedAs && (await keptFacts(parts, (await findBody(parts, pricedAs)) ?? basket, signal))
  await parts.ledger.returns.storeLadder(calculationId, { ...ladder, anew: facts !== null }, facts)
  const stored = await parts.ledger.returns.find(calculationId)
  if (stored.kind !== 'laddered') throw new Error(`the ladder of ${calculationId} was not stored`)
  return stored
}

async function findBody({ ledger }: LadderParts, calculationId: string): Promise<StoredBasket | null> {
  const body = await ledger.returns.findBody(calculationId)
  return body && { calculationId, body }
}

/** JSON of the facts to price the kept part of a basket: with no more of limits and value than it used itself. */
async function keptFacts(parts: LadderParts, basket: StoredBasket, signal: AbortSignal): Promise<string | null> {
  const priced = await priceStored(parts, basket, (facts) => facts, signal)
  if (priced === null) return null
  const used = priced.wants.map((want) => [counterKey(want), want.units] as const)
  const spent = [...amountsSpent(spendingFromText(priced.spending))]
  const available = {
    [everyCounter]: 0,
    ...Object.fromEntries([...used, ...spent.map(([currencyId, amount]) => [accountKey(currencyId), amount] as const)]),
  }
  return JSON.stringify({ ...readInputs(basket.body.inputs).facts, available })
}

interface ChargedAs {
  readonly asReturned: boolean
  readonly spending: string | null
  /** Makes of the stored facts those that count. */
  readonly change: (facts: PricingFacts) => PricingFacts
}

/** The ladder of a stored basket, by the version that priced it; its lines stay as they were charged. */
export async function storedLadder(
  { ledger, lowPriority }: StoredPricingParts,
  { calculationId, body: { packed, inputs } }: StoredBasket,
  { change, asReturned, spending }: ChargedAs,
  signal: AbortSignal,
): Promise<StoredLadder | { readonly kind: 'programme_not_found' }> {
  const facts = change(readInputs(inputs).facts)
  const programme = await publishedProgramme(ledger, facts.programmeVersion)
  if (programme === null) return { kind: 'programme_not_found' }
  return await lowPriority.run(signal, async (engine) => {
    const { request, answer } = await engine.unpack(packed)
    const read = await engine.readBasket(request, calculationId)
    if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
    try {
      const text = await engine.ladder(read.ticket, programme, { facts, answer: asReturned ? answer : null })
      const ladder: Ladder & { readonly policy: ReturnPolicy } = JSON.parse(text)
      return { ...ladder, anew: false, spent: spentOn(ladder.lines, spending) }
    } finally {
      engine.forget(read.ticket)
    }
  })
}

/** Lines that the charged basket has not are left out. */
function spentOn(lines: StoredLadder['lines'], spending: string | null): StoredLadder['spent'] {
  const positions = new Map(lines.map(({ lineId }, at) => [lineId, at]))
  return spendingFromText(spending).map(({ lines: discounted, ...spent }) => ({
    ...spent,
    lines: discounted.flatMap(({ lineId, ...taken }) => {
      const at = positions.get(lineId)
      return at === undefined ? [] : [{ at, ...taken }]
    }),
  }))
}
