import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Pricer } from '../../engine/thread/pricer.js'
import { answerBytes } from '../../engine/wire/pack.js'
import { readBasket } from '../../engine/wire/read-basket.js'
import { writeAnswer } from '../../engine/wire/write-answer.js'
import { Dice } from '../../test/support/dice.js'
import type { BenchCase } from '../cases/bench-case.js'
import type { BenchSettings } from '../run/bench.js'
import { basketOfEach, bodyOf, calculationId } from './build-basket.js'
import { buildBenefit, drawMix, percent, publishedBenefits } from './draw-benefits.js'
import { effortOf, engineCase, inputOf, type Row } from './engine-case.js'
import { measure, measureSides, type Spread } from './measure.js'
import { tiedElsewhere } from './price-cases.js'
import { createShop } from './shop.js'

const lines = 200
/** Reading and answering against V8's own JSON, at most. */
const ratioMax = 1.6

/** Reading, pricing, writing and packing a basket of 200 lines, at most, in microseconds. */
const basketMaxUs = 900
const othersCount = 1000
const programmeVersion = 1
const everything = buildBenefit('everything', { kind: 'line_percentage', percentage: percent(20) })

export const wireCases: readonly BenchCase[] = [
  engineCase('engine/basket/200', basketCase),
  engineCase('engine/wire/200', wireCase),
]

/** Reading and answering, compared with V8's own JSON on the text of the same body. */
function wireCase(settings: BenchSettings): Row[] {
  const { body, calculation } = pricedBody(settings)
  const text = body.toString()
  const parsed = JSON.parse(text) as unknown
  const readAndAnswer = () => {
    const read = readDrawn(body)
    answerBytes(writeAnswer(read, calculation))
  }
  const sides = [readAndAnswer, () => void JSON.parse(text), () => void JSON.stringify(parsed)]
  const [spread, parse, stringify] = measureSides(sides, effortOf(settings)) as [Spread, Spread, Spread]
  const ratio = spread.median / (parse.median + stringify.median)
  const note = `${ratio.toFixed(2)} times JSON.parse (${parse.median.toFixed(0)} us) and JSON.stringify (${stringify.median.toFixed(0)} us)`
  const target = { text: `at most ${ratioMax} times JSON.parse and JSON.stringify`, met: ratio <= ratioMax }
  return [{ name: 'engine/wire/200', spread, unit: 'us', note, target }]
}

/** All work of a thread for a basket, where the search is easy: one benefit on each line, 1,000 others. */
function basketCase(settings: BenchSettings): Row[] {
  const { seed, stepsMax } = settings
  const dice = new Dice(seed)
  const { body, venue } = drawnBody(dice)
  const elsewhere = createShop(dice, { name: 'elsewhere', products: othersCount, groups: othersCount / 10 })
  const others = drawMix(dice, elsewhere, othersCount, 'elsewhere').map((each) => tiedElsewhere(each, elsewhere))
  const pricer = new Pricer({ linesMax: lines, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax })
  pricer.loadProgramme(programmeVersion, publishedBenefits([everything, ...others]))
  const member = { memberId: 'member-1', tier: 'gold', segments: ['newsletter'] }
  const facts = { programmeVersion, member, venue, available: {} }
  let bytes = 0
  const spread = measure((ticket) => {
    pricer.readBasket(ticket, body, calculationId)
    const { packed, explanation } = pricer.priceBasket(ticket, facts)!
    bytes = packed.length + explanation.length
    pricer.forget(ticket)
  }, effortOf(settings))
  const target = { text: `median at most ${basketMaxUs} us`, met: spread.median <= basketMaxUs }
  return [{ name: 'engine/basket/200', spread, unit: 'us', note: `stores ${bytes} bytes`, target }]
}

function pricedBody({ seed, stepsMax }: BenchSettings) {
  const { body, venue } = drawnBody(new Dice(seed))
  const { basket } = readDrawn(body)
  return { body, calculation: calculate(compileProgramme([everything]), inputOf(basket, venue, stepsMax)) }
}

function readDrawn(body: Buffer) {
  const read = readBasket(body, calculationId, lines)
  if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.details.field}`)
  return read
}

function drawnBody(dice: Dice) {
  const shop = createShop(dice, { name: 'shop', products: lines, groups: Math.ceil(lines / 10) })
  const basket = basketOfEach(dice, shop.products)
  return { body: bodyOf(basket), venue: shop.venue }
}
