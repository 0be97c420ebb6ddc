import { accountKey } from '../../engine/core/base/outcome.js'
import type { Priced, PricingFacts } from '../../engine/index.js'
import { addedBy, isWeighed, paidIn, type Returned, restoredOf, type StoredLadder } from '../../engine/value/ladder.js'
import {
  type KeptBasket,
  planReturn,
  type ReturnBasis,
  type ReturnedLines,
  returnedWith,
  type TooMuch,
  tooMuchOf,
} from '../../engine/value/returns.js'
import { spendingFromText } from '../../engine/wire/write-stored.js'
import { StoreFault } from '../../store/fault.js'
import type { PlannedReturn, PosRecordReply, RecordReply } from '../../store/ledger/returns.js'
import { keptBasket, returnedOfSent, type SentBasket } from './basket-after-return.js'
import type { LadderParts } from './charged-ladder.js'
import { publishedProgramme } from './simulate-basket.js'

/** Thousandths in one unit. */
const unit = 1_000

/** A line by its id in the ladder; the quantity in thousandths. */
export interface NamedLine {
  readonly lineId: string
  readonly quantity: number
}

/** Lines of a request by their positions in the ladder, and their places in the request. */
export interface PlacedLines {
  readonly lines: ReturnedLines
  readonly places: readonly number[]
}

/** The fault of the line at this place of a request. */
export type LineFault = { readonly place: number } & (
  | { readonly kind: 'unknown' }
  | { readonly kind: 'twice'; readonly first: number }
  /** Not a part of the thousandths bought; `isWhole`: or not in whole units. */
  | { readonly kind: 'no_part'; readonly bought: number; readonly isWhole: boolean }
)

export function placeLines({ lines }: StoredLadder, named: readonly NamedLine[]): PlacedLines | readonly LineFault[] {
  const positions = new Map(lines.map(({ lineId }, at) => [lineId, at]))
  const first = new Map(named.map(({ lineId }, place) => [lineId, place] as const).reverse())
  const faults = named.flatMap(({ lineId, quantity }, place): LineFault[] => {
    const at = positions.get(lineId)
    if (at === undefined) return [{ kind: 'unknown', place }]
    const line = lines[at]!
    const bought = line.quantity
    const isWhole = !isWeighed(line)
    const isPart = quantity >= 1 && quantity <= bought && (!isWhole || quantity % unit === 0)
    return [
      ...(first.get(lineId) === place ? [] : [{ kind: 'twice', place, first: first.get(lineId)! } as const]),
      ...(isPart ? [] : [{ kind: 'no_part', place, bought, isWhole } as const]),
    ]
  })
  if (faults.length > 0) return faults
  const placed = named.map(({ lineId, quantity }, place) => ({ at: positions.get(lineId)!, quantity, place }))
  placed.sort((a, b) => a.at - b.at)
  return { lines: placed.map(({ at, quantity }) => [at, quantity] as const), places: placed.map(({ place }) => place) }
}

/** Changes of the member's value between plan and record that a return waits out. */
const plansMax = 20

export interface AskedLines {
  readonly calculationId: string
  readonly lines: ReturnedLines
}

/**
 * Plans a return of a sale with a stored ladder (4-member-value 5), and has it quoted or recorded; again where the member's value changed
 * in between.
 */
export async function makeReturn<Reply extends Pick<RecordReply | PosRecordReply, 'kind'>>(
  parts: LadderParts,
  { calculationId, lines }: AskedLines,
  send: (planned: PlannedReturn) => Promise<Reply>,
  signal: AbortSignal,
): Promise<Exclude<Reply, { readonly kind: 'changed' | 'refused' }> | TooMuch | { readonly kind: 'not_sold' }> {
  for (let attempt = 0; attempt < plansMax; attempt++) {
    const found = await parts.ledger.returns.find(calculationId)
    if (found.kind !== 'laddered') return { kind: 'not_sold' }
    const { basis, seen } = found
    const tooMuch = tooMuchOf(basis, lines)
    const kept = tooMuch === null ? await priceKept(parts, { calculationId, basis, lines }, signal) : null
    const reply = await send({ lines, seen, plan: tooMuch === null ? planReturn(basis, lines, kept) : null })
    if (reply.kind === 'refused') return tooMuch!
    if (reply.kind !== 'changed') return reply as Exclude<Reply, { readonly kind: 'changed' | 'refused' }>
  }
  throw new StoreFault('ledger', 'busy')
}

/** The kept basket of a sale, priced anew by the version of the sale; null: it cannot be. */
export async function priceKept(
  { ledger, lowPriority }: LadderParts,
  { calculationId, basis, lines }: AskedLines & { readonly basis: ReturnBasis },
  signal: AbortSignal,
): Promise<KeptBasket | null> {
  const { ladder } = basis
  const stored = ladder.anew ? await ledger.returns.findBasket(calculationId) : null
  if (stored === null) return null
  const returned = returnedWith(basis, lines)
  const facts = lessSpentOnAdded(JSON.parse(stored.facts), ladder, returned)
  const programme = await publishedProgramme(ledger, facts.programmeVersion)
  if (programme === null) return null
  return await lowPriority.run(signal, async (engine) => {
    const { request, answer } = await engine.unpack(stored.packed)
    const sent: SentBasket = JSON.parse(Buffer.from(request).toString())
    const basket = keptBasket(sent, returnedOfSent(sent, chargedBasket(sent, answer, ladder), returned))
    if (basket.lines.length === 0) return { price: 0, counts: new Map(), spent: [] }
    const read = await engine.readBasket(Buffer.from(JSON.stringify(basket)), calculationId)
    if (read.kind === 'refused') throw new Error(`a kept basket is refused: ${read.refusal.message}`)
    try {
      const priced = await engine.priceBasket(read.ticket, programme, facts)
      const price = paidFor(priced.netAfter, ladder)
      if (price === priced.netAfter) return keptFrom(priced, price)
      return keptFrom(await engine.priceBasket(read.ticket, programme, { ...facts, paidTotal: price }), price)
    } finally {
      engine.forget(read.ticket)
    }
  })
}

/** Where less was paid than the net, the same part of each price counts, rounded up. */
function paidFor(price: number, ladder: StoredLadder): number {
  const due = BigInt(ladder.lines.reduce((sum, line) => sum + line.due, 0))
  const paid = BigInt(paidIn(ladder))
  return paid === due ? price : Number((BigInt(price) * paid + due - 1n) / due)
}

function keptFrom({ earning, spending }: Pick<Priced, 'earning' | 'spending'>, price: number): KeptBasket {
  const { rules }: { readonly rules: readonly { readonly ruleId: string; readonly returned: number }[] } =
    earning === null ? { rules: [] } : JSON.parse(earning)
  return {
    price,
    counts: new Map(rules.map(({ ruleId, returned }) => [ruleId, returned])),
    spent: spendingFromText(spending).map(({ benefitId, currencyId, amount, times }) => {
      return { benefitId, currencyId, amount: amount * times }
    }),
  }
}

/** The costs of added lines stay spent until these are returned. */
function lessSpentOnAdded(facts: PricingFacts, ladder: StoredLadder, returned: Returned): PricingFacts {
  const available = { ...facts.available }
  const isAdded = addedBy(ladder)
  for (const spent of ladder.spent.filter(({ benefitId }) => isAdded.has(benefitId))) {
    const key = accountKey(spent.currencyId)
    available[key] = (available[key] ?? 0) - (spent.amount * spent.times - restoredOf(spent, ladder, returned))
  }
  return { ...facts, available }
}

/** The basket with the lines of the ladder: as returned, or as sent. */
function chargedBasket(sent: SentBasket, answer: Uint8Array, { lines }: StoredLadder): SentBasket {
  const { basket = sent }: { readonly basket?: SentBasket } = JSON.parse(Buffer.from(answer).toString())
  const isReturned =
    basket.lines.length === lines.length && basket.lines.every(({ lineId }, at) => lineId === lines[at]!.lineId)
  return isReturned ? basket : sent
}
