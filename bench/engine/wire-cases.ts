import { calculate, compileProgramme } from '../../engine/core/index.js'
import { answerBytes, packAnswer } from '../../engine/wire/pack.js'
import { readBasket } from '../../engine/wire/read-basket.js'
import { writeAnswer } from '../../engine/wire/write-answer.js'
import { createDice, type Dice } from '../load/dice.js'
import { basketOfEach } from './build-basket.js'
import { buildBenefit, percent } from './draw-benefits.js'
import { type EngineCase, type EngineSettings, effortOf, inputOf, type Row } from './engine-case.js'
import { measure } from './measure.js'
import { bodyOf, calculationId } from './request-body.js'
import { createShop } from './shop.js'

export const wireCases: readonly EngineCase[] = [20, 200].flatMap((lines) => [
  { name: `engine/read/${lines}`, run: (settings: EngineSettings) => readCase(lines, settings) },
  { name: `engine/write/${lines}`, run: (settings: EngineSettings) => writeCase(lines, settings) },
])

function readCase(lines: number, settings: EngineSettings): Row[] {
  const { body } = drawnBody(createDice(settings.seed), lines)
  const spread = measure(() => void readBasket(body, calculationId, lines), effortOf(settings))
  return [{ name: `engine/read/${lines}`, spread, unit: 'us', note: `${body.length} bytes`, target: null }]
}

function writeCase(lines: number, settings: EngineSettings): Row[] {
  const { body, venue } = drawnBody(createDice(settings.seed), lines)
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

function drawnBody(dice: Dice, lines: number) {
  const shop = createShop(dice, { name: 'shop', products: lines, groups: Math.ceil(lines / 10) })
  const basket = basketOfEach(dice, shop.products)
  return { body: bodyOf(basket), venue: shop.venue }
}
