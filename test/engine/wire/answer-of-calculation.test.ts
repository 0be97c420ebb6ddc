import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Basket, MemberFacts, VenueFacts, VenueProduct } from '../../../engine/core/base/basket.js'
import { calculate } from '../../../engine/core/calculate.js'
import { compileProgramme } from '../../../engine/core/match/compile.js'
import { benefitsFromJson } from '../../../engine/programme/benefits-from-json.js'
import { answerBytes } from '../../../engine/wire/pack.js'
import { type ReadBasket, readBasket } from '../../../engine/wire/read-basket.js'
import { writeAnswer } from '../../../engine/wire/write-answer.js'
import { fc } from '../../support/seeded.js'
import { sized } from '../../support/sized.js'
import { bytesOf, calculationId } from './basket-body.js'

interface SampleVenue extends Omit<VenueFacts, 'products'> {
  readonly products: readonly Partial<VenueProduct>[]
}

const sampleFile = new URL('../../../engine/programme/sample-programme.json', import.meta.url)
const sample = JSON.parse(readFileSync(sampleFile, 'utf8')) as {
  venues: SampleVenue[]
  benefits: object[]
  currencies: object[]
}
/** The sample programme, open to everybody at any time, so that random baskets match its benefits. */
const open = sample.benefits.map((benefit) => ({
  ...benefit,
  audience: undefined,
  schedule: undefined,
  validFrom: undefined,
  validUntil: undefined,
  limits: undefined,
}))
const programme = compileProgramme(benefitsFromJson(JSON.stringify({ benefits: open, currencies: sample.currencies })))
const balances = { stamps: 20, 'free-coffee': 1, points: 250 }
const member: MemberFacts = { memberId: 'm', tier: 'gold', segments: ['student', 'newsletter'], balances }
const facts = { member, available: {}, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 20_000 }

function venueOf({ products, ...venue }: SampleVenue): VenueFacts {
  const none = {
    name: '',
    productGroupId: null,
    productMasterId: null,
    ean: null,
    noDiscount: false,
    noPercentageDiscount: false,
  }
  return { ...venue, products: products.map((product) => ({ productId: '', unitPrice: 0, ...none, ...product })) }
}

const venues = sample.venues.map(venueOf)

/** Fields of a line of a random basket; amounts are capped at the line's price. */
const lineOf = (venue: VenueFacts) =>
  fc.record({
    product: fc.constantFrom(...venue.products),
    quantity: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(0.5, 1.005, 2.5)),
    override: fc.option(fc.integer({ min: 0, max: 9000 }), { freq: 6 }),
    discounts: fc.array(fc.record({ amount: fc.nat(2000), ours: fc.boolean() }), { maxLength: 2 }),
    shares: fc.tuple(fc.nat(500), fc.nat(500)),
    parent: fc.nat(3),
    flags: fc.record({
      noDiscount: fc.boolean(),
      noPercentageDiscount: fc.boolean(),
      added: fc.integer({ max: 9 }),
      split: fc.integer({ max: 9 }),
    }),
  })

const baskets = fc
  .constantFrom(...venues)
  .chain((venue) =>
    fc.tuple(fc.constant(venues.indexOf(venue)), fc.array(lineOf(venue), { minLength: 1, maxLength: 7 }), fc.boolean()),
  )
type Drawn = typeof baskets extends fc.Arbitrary<infer T> ? T : never

/** A basket in which all identities hold. */
function bodyOf([venueIndex, drawn, withOrders]: Drawn): object {
  const venue = venues[venueIndex]!
  const ids = withOrders ? ['pos-1', 'pos-2'] : []
  const lines = drawn.map(({ product, quantity, override, discounts, shares, parent, flags }, index) => {
    const price = override ?? product.unitPrice
    const gross = Math.floor((Math.round(quantity * 1000) * price + 500) / 1000)
    let net = gross
    const take = (amount: number) => {
      const taken = Math.min(amount, net)
      net -= taken
      return taken
    }
    const own = discounts.map(({ amount, ours }) => ({
      type: 'amount',
      amount: take(amount),
      pos: [index],
      ...(ours ? { lineDiscountCode: facts.discountCode } : {}),
    }))
    const allocations = ids.map((orderDiscountId, at) => ({ orderDiscountId, amount: take(shares[at]!), pos: at }))
    const lineDiscount = own.reduce((sum, { amount }) => sum + amount, 0)
    const orderDiscount = allocations.reduce((sum, { amount }) => sum + amount, 0)
    return {
      lineId: index % 3 === 2 ? `loyalty-${index}` : `line ${index}`,
      parentLineId: parent < index ? (parent % 3 === 2 ? `loyalty-${parent}` : `line ${parent}`) : null,
      ...product,
      unitPrice: product.unitPrice,
      quantity,
      overrideUnitPrice: override,
      noDiscount: flags.noDiscount,
      noPercentageDiscount: flags.noPercentageDiscount,
      addedByLoyalty: index > 0 && flags.added === 0,
      splitFromLineId: flags.split === 0 ? 'line 0' : null,
      discounts: own,
      orderDiscountAllocations: allocations,
      totals: { gross, lineDiscount, orderDiscount, net },
      posLine: { index, price: 1.5 },
    }
  })
  const sum = (name: 'gross' | 'lineDiscount' | 'orderDiscount' | 'net') =>
    lines.reduce((total, { totals }) => total + totals[name], 0)
  const orderDiscounts = ids.map((orderDiscountId, at) => ({
    orderDiscountId,
    type: 'amount',
    amount: lines.reduce(
      (total, line) => total + (line.orderDiscountAllocations.find((each) => each.pos === at)?.amount ?? 0),
      0,
    ),
    pos: orderDiscountId,
  }))
  return {
    calculationId,
    loyaltyId: 'm',
    currency: venue.currency,
    requestedAt: '2026-11-21T08:00:00Z',
    context: { venueId: venue.venueId, baxId: '1', cashRegisterId: '1', channel: 'pos' },
    lines,
    orderDiscounts,
    totals: {
      gross: sum('gross'),
      lineDiscount: sum('lineDiscount'),
      orderDiscount: sum('orderDiscount'),
      net: sum('net'),
    },
    posBasket: 'kept',
  }
}

function read(bytes: Uint8Array): ReadBasket {
  const reading = readBasket(bytes, calculationId, 200)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.refusal))
  if (reading.arithmetic !== null) throw new Error(JSON.stringify(reading.arithmetic))
  return reading
}

/** The basket of an answer read back as a request; null where it is unchanged. */
function priced(request: ReadBasket, venue: VenueFacts): { readonly again: ReadBasket; readonly text: string } | null {
  const calculation = calculate(programme, { ...facts, basket: request.basket, venue })
  if (calculation.outcome.status === 'unchanged') return null
  const answer = JSON.parse(Buffer.from(answerBytes(writeAnswer(request, calculation))).toString()) as {
    basket: object
  }
  const text = JSON.stringify(answer.basket)
  return { again: read(bytesOf(text)), text }
}

function linesNotOurs(basket: Basket): number {
  return basket.lines.filter(({ addedByLoyalty }) => !addedByLoyalty).length
}

t.test('answers any basket with one that the service itself would take', async () => {
  const property = fc.property(baskets, (drawn) => {
    const request = read(bytesOf(bodyOf(drawn)))
    const answer = priced(request, venues[drawn[0]]!)
    if (answer === null) return true
    const marks = (text: string) => text.split('"posLine":{"index":').length - 1
    return answer.text.includes('"posBasket":"kept"') && marks(answer.text) >= linesNotOurs(request.basket)
  })
  fc.assert(property, { numRuns: sized(800, 20_000) })
})
