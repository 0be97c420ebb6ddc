import type { StoredLadder } from '../../store/ledger/returns.js'
import { keptBasket, returnedOfSent, type SentBasket } from './basket-after-return.js'
import type { LadderParts } from './charged-ladder.js'
import { publishedProgramme } from './simulate-basket.js'
import { readInputs } from './stored-inputs.js'

export interface KeptOf {
  readonly calculationId: string
  readonly ladder: StoredLadder
  readonly returned: readonly number[]
  /** Refunded before this return, minor units. */
  readonly refunded: number
}

/**
 * What would be refunded if the basket that is kept were priced anew, by the programme version of the sale, with what was left of its
 * limits and balances then (4-member-value 9). Minor units, 0 or more; null: the stored basket is gone.
 */
export async function keptRefund(
  { adminLedger, lowPriority }: LadderParts,
  { calculationId, ladder, returned, refunded }: KeptOf,
  signal: AbortSignal,
): Promise<number | null> {
  const found = await adminLedger.calculations.find(calculationId)
  if (found === null || found.body === null) return null
  const { packed, inputs } = found.body
  const { facts } = readInputs(inputs)
  const programme = await publishedProgramme(adminLedger, facts.programmeVersion)
  if (programme === null) return null
  const paid = ladder.lines.reduce((sum, [, , net]) => sum + net, 0)
  const netAfter = await lowPriority.run(signal, async (engine) => {
    const { request, answer } = await engine.unpack(packed)
    const sent: SentBasket = JSON.parse(Buffer.from(request).toString())
    const basket = keptBasket(sent, returnedOfSent(sent, chargedBasket(sent, answer, ladder), returned))
    if (basket.lines.length === 0) return 0
    const read = await engine.readBasket(Buffer.from(JSON.stringify(basket)), calculationId)
    if (read.kind === 'refused') throw new Error(`a kept basket is refused: ${read.refusal.message}`)
    try {
      return (await engine.priceBasket(read.ticket, programme, facts)).netAfter
    } finally {
      engine.forget(read.ticket)
    }
  })
  return Math.max(0, paid - refunded - netAfter)
}

/** The basket whose lines are those of the ladder: as returned, or as sent. */
function chargedBasket(sent: SentBasket, answer: Uint8Array, { lines }: StoredLadder): SentBasket {
  const { basket = sent }: { readonly basket?: SentBasket } = JSON.parse(Buffer.from(answer).toString())
  const isReturned =
    basket.lines.length === lines.length && basket.lines.every(({ lineId }, at) => lineId === lines[at]![0])
  return isReturned ? basket : sent
}
