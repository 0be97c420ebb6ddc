import { calculate, compileProgramme } from '../../engine/core/index.js'
import { Pricer } from '../../engine/thread/pricer.js'
import { answerBytes, packAnswer, unpackAnswer } from '../../engine/wire/pack.js'
import { readBasket } from '../../engine/wire/read-basket.js'
import { writeAnswer } from '../../engine/wire/write-answer.js'
import { Dice } from '../../test/support/dice.js'
import { basketOfEach, bodyOf, calculationId } from './build-basket.js'
import { buildBenefit, drawMix, percent, publishedBenefits } from './draw-benefits.js'
import { type EngineCase, type EngineSettings, effortOf, inputOf, type Row } from './engine-case.js'
import { measure, measureSides, type Spread } from './measure.js'
import { tiedElsewhere } from './price-cases.js'
import { createShop } from './shop.js'

/** Reading and answering against V8's own JSON, at most. */
const ratioMax = 1.6

/** Reading, pricing, writing and packing a basket of 200 lines, at most, in microseconds. */
const basketMaxUs = 900
const othersCount = 1000
const programmeVersion = 1
const everything = buildBenefit('everything', { kind: 'line_percentage', percentage: percent(20) })

export const wireCases: readonly EngineCase[] = [
  ...[20, 200].map((lines) => ({
    name: `engine/pack/${lines}`,
    run: (settings: EngineSettings) => packCase(lines, settings),
  })),
  { name: 'engine/basket/200', run: (settings: EngineSettings) => basketCase(200, settings) },
  { name: 'engine/wire/200', run: (settings: EngineSettings) => wireCase(200, settings) },
]

/** Packing and unpacking, in turns. */
function packCase(lines: number, settings: EngineSettings): Row[] {
  const { read, calculation } = pricedBody(lines, settings)
  const answer = writeAnswer(read, calculation)
  const pack = packAnswer(read.json, answer)
  const sides = [() => void packAnswer(read.json, answer), () => void unpackAnswer(pack)]
  const [spread, unpack] = measureSides(sides, effortOf(settings)) as [Spread, Spread]
  const note = `${pack.length} bytes of ${read.json.bytes.length}, unpacked in ${unpack.median.toFixed(0)} us`
  return [{ name: `engine/pack/${lines}`, spread, unit: 'us', note, target: null }]
}

/** Reading and answering, compared with V8's own JSON on the text of the same body. */
function wireCase(lines: number, settings: EngineSettings): Row[] {
  const { body, calculation } = pricedBody(lines, settings)
  const text = body.toString()
  const parsed = JSON.parse(text) as unknown
  const readAndAnswer = () => {
    const read = readDrawn(body, lines)
    answerBytes(writeAnswer(read, calculation))
  }
  const sides = [readAndAnswer, () => void JSON.parse(text), () => void JSON.stringify(parsed)]
  const [spread, parse, stringify] = measureSides(sides, effortOf(settings)) as [Spread, Spread, Spread]
  const ratio = spread.median / (parse.median + stringify.median)
  const note = `${ratio.toFixed(2)} times JSON.parse (${parse.median.toFixed(0)} us) and JSON.stringify (${stringify.median.toFixed(0)} us)`
  const target = { text: `at most ${ratioMax} times JSON.parse and JSON.stringify`, met: ratio <= ratioMax }
  return [{ name: `engine/wire/${lines}`, spread, unit: 'us', note, target }]
}

/** All work of a thread for a basket, where the search is easy: one benefit on each line, 1,000 others. */
function basketCase(lines: number, settings: EngineSettings): Row[] {
  const { seed, stepsMax } = settings
  const dice = new Dice(seed)
  const { body, venue } = drawnBody(dice, lines)
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
  return [{ name: `engine/basket/${lines}`, spread, unit: 'us', note: `stores ${bytes} bytes`, target }]
}

function pricedBody(lines: number, { seed, stepsMax }: EngineSettings) {
  const { body, venue } = drawnBody(new Dice(seed), lines)
  const read = readDrawn(body, lines)
  return { body, read, calculation: calculate(compileProgramme([everything]), inputOf(read.basket, venue, stepsMax)) }
}

function readDrawn(body: Buffer, lines: number) {
  const read = readBasket(body, calculationId, lines)
  if (read.kind === 'refused') throw new Error(`a basket of the bench is refused: ${read.refusal.details.field}`)
  return read
}

function drawnBody(dice: Dice, lines: number) {
  const shop = createShop(dice, { name: 'shop', products: lines, groups: Math.ceil(lines / 10) })
  const basket = basketOfEach(dice, shop.products)
  return { body: bodyOf(basket), venue: shop.venue }
}
