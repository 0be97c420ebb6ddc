import type { Basket, Line } from '../../engine/core/basket.js'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { quantityOne } from '../../engine/core/money.js'
import { answerBytes, packAnswer } from '../../engine/wire/pack.js'
import { readBasket } from '../../engine/wire/read-basket.js'
import { writeAnswer } from '../../engine/wire/write-answer.js'
import { createDice, type Dice } from '../load/dice.js'
import { basketOfEach } from './build-basket.js'
import { buildBenefit, percent } from './draw-benefits.js'
import { type EngineCase, type EngineSettings, effortOf, inputOf, type Row } from './engine-case.js'
import { measure } from './measure.js'
import { createShop } from './shop.js'

const calculationId = '5f0c2b6e-8f2d-4f0a-9d57-3a1f0e6b7c11'

export const wireCases: readonly EngineCase[] = [20, 200].flatMap((lines) => [
  { name: `engine/read/${lines}`, run: (settings: EngineSettings) => readCase(lines, settings) },
  { name: `engine/write/${lines}`, run: (settings: EngineSettings) => writeCase(lines, settings) },
])

/** Bytes to basket: JSON, schema and identities. */
function readCase(lines: number, settings: EngineSettings): Row[] {
  const { body } = bodyOf(createDice(settings.seed), lines)
  const spread = measure(() => void readBasket(body, calculationId, lines), effortOf(settings))
  return [{ name: `engine/read/${lines}`, spread, unit: 'us', note: `${body.length} bytes`, target: null }]
}

/** Calculation to bytes, every line discounted, and packed for keeping. */
function writeCase(lines: number, settings: EngineSettings): Row[] {
  const { body, venue } = bodyOf(createDice(settings.seed), lines)
  const read = readBasket(body, calculationId, lines)
  if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.details.field}`)
  const everything = buildBenefit('everything', { kind: 'line_percentage', percentage: percent(20) })
  const calculation = calculate(compileProgramme([everything]), inputOf(read.basket, venue, settings.stepsMax))
  const bytes = { answer: 0, packed: 0 }
  const spread = measure(() => {
    const answer = writeAnswer(read, calculation)
    bytes.answer = answerBytes(read.json, answer).length
    bytes.packed = packAnswer(read.json, answer).length
  }, effortOf(settings))
  const note = `${bytes.answer} bytes, packed with the request ${bytes.packed}`
  return [{ name: `engine/write/${lines}`, spread, unit: 'us', note, target: null }]
}

function bodyOf(dice: Dice, lines: number) {
  const shop = createShop(dice, { name: 'shop', products: lines, groups: Math.ceil(lines / 10) })
  const basket = basketOfEach(dice, shop.products)
  return { body: Buffer.from(JSON.stringify(requestOf(basket))), venue: shop.venue }
}

/** The basket as a POS sends it, with a few fields of its own. */
function requestOf(basket: Basket): unknown {
  const { currency, channel, venueId, totals } = basket
  return {
    calculationId,
    loyaltyId: 'LOY-1',
    currency,
    requestedAt: new Date(basket.requestedAt).toISOString(),
    context: { venueId, baxId: '7100001', cashRegisterId: 'till-1', clerkNumber: 7, channel },
    lines: basket.lines.map(lineOf),
    totals,
  }
}

function lineOf({
  parent,
  orderDiscountAllocations,
  addedByLoyalty,
  splitFromLineId,
  quantity,
  discounts,
  ...line
}: Line) {
  return {
    ...line,
    quantity: quantity / quantityOne,
    name: `Product ${line.productId}`,
    vatRate: 25,
    ...(discounts.length > 0 ? { discounts } : {}),
  }
}
