import t from 'tap'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import { aBasket, applied, aVenue, type LineSketch, netsOf, price } from './core/builders.js'

interface Wish {
  readonly title: string
  readonly benefits: readonly object[]
  readonly lines: readonly LineSketch[]
  /** Net of each line, added ones last; a reason: unchanged. */
  readonly wanted: readonly number[] | string
  readonly gifts?: readonly string[]
}

const tenOff = {
  benefitId: 'a-ten',
  combination: 'stackable',
  reward: { kind: 'line_amount', amount: 1000, per: 'line' },
}
const half = {
  benefitId: 'b-half',
  combination: 'stackable',
  reward: { kind: 'line_percentage', percentage: 50 },
}

const gift = (benefitId: string, productId: string, amount: number) => ({
  benefitId,
  group: 'ladder',
  conditions: { minimumSpend: { amount } },
  reward: { kind: 'free_product', productId, quantity: 1 },
})
const ladder = [gift('g1', 'giftA', 5000), gift('g2', 'giftB', 10_100)]

const cheapAndDear: readonly LineSketch[] = [
  { quantity: 5, price: 1299 },
  { quantity: 3, price: 1999 },
]

const threeForTwo = {
  benefitId: 'b',
  reward: { kind: 'buy_get', buy: { quantity: 2 }, get: { quantity: 1, percentage: 100 } },
}
const markedDown = (own: number): readonly LineSketch[] => [
  { price: 10_000, own: [own] },
  { price: 8000 },
  { price: 8000 },
]

/** What merchants asked for in public, each with a neighbour of which one number flips the answer. */
const wishes: readonly Wish[] = [
  {
    title: '02: a line that the POS marked down is neither got nor bought where its discount is kept',
    benefits: [{ ...threeForTwo, existingDiscounts: 'keep' }],
    lines: markedDown(9500),
    wanted: 'existing_discount_kept',
  },
  {
    title: '02: the cheapest is the one that costs least as sent',
    benefits: [{ ...threeForTwo, existingDiscounts: 'add' }],
    lines: markedDown(9500),
    wanted: [0, 8000, 8000],
  },
  {
    title: '02: marked down by less, it is the dearest',
    benefits: [{ ...threeForTwo, existingDiscounts: 'add' }],
    lines: markedDown(1000),
    wanted: [9000, 8000, 0],
  },
  {
    title: '02: of equal costs the lower price is the cheaper',
    benefits: [{ ...threeForTwo, existingDiscounts: 'replace' }],
    lines: markedDown(2000),
    wanted: [8000, 8000, 0],
  },
  {
    title: '02: a price of the POS is what a unit costs',
    benefits: [{ ...threeForTwo, existingDiscounts: 'keep' }],
    lines: [{ price: 10_000, override: 500 }, { price: 8000 }, { price: 8000 }],
    wanted: [0, 8000, 8000],
  },
  {
    title: '05: at most six units of a basket get a percentage, the dearest first',
    benefits: [{ benefitId: 'b', reward: { kind: 'line_percentage', percentage: 20, maximumUnits: 6 } }],
    lines: cheapAndDear,
    wanted: [5716, 4798],
  },
  {
    title: '05: of two units both are dear',
    benefits: [{ benefitId: 'b', reward: { kind: 'line_percentage', percentage: 20, maximumUnits: 2 } }],
    lines: cheapAndDear,
    wanted: [6495, 5197],
  },
  {
    title: '05: at most two units get a price of their own, and a weighed line none',
    benefits: [{ benefitId: 'b', reward: { kind: 'price_override', unitPrice: 1000, maximumUnits: 2 } }],
    lines: [...cheapAndDear, { quantity: 1.5, price: 9000 }],
    wanted: [6495, 1999, 2000, 13_500],
  },
  {
    title: '05: the tier is chosen by all units, and one gets it',
    benefits: [
      {
        benefitId: 'b',
        reward: { kind: 'volume_percentage', tiers: [{ quantity: 8, percentage: 50 }], maximumUnits: 1 },
      },
    ],
    lines: cheapAndDear,
    wanted: [6495, 4997],
  },
  {
    title: '07: of a ladder of gifts only the best is given',
    benefits: ladder,
    lines: [{ price: 12_000 }],
    wanted: [12_000, 0],
    gifts: ['giftB'],
  },
  {
    title: '07: below the second step it is the first',
    benefits: ladder,
    lines: [{ price: 10_099 }],
    wanted: [10_099, 0],
    gifts: ['giftA'],
  },
  {
    title: '07: a group counts whatever the combination, and others apply beside it',
    benefits: [...ladder, { ...half, group: 'ladder' }, { ...tenOff, combination: 'normal' }],
    lines: [{ price: 12_000 }],
    wanted: [5500],
  },
  {
    title: '10: stackable benefits of equal sequence apply by benefitId',
    benefits: [
      { ...tenOff, sequence: 2 },
      { ...half, sequence: 2 },
    ],
    lines: [{ price: 10_000 }],
    wanted: [4500],
  },
  {
    title: '10: a lower sequence applies first, whatever its benefitId',
    benefits: [
      { ...tenOff, sequence: 2 },
      { ...half, sequence: 1 },
    ],
    lines: [{ price: 10_000 }],
    wanted: [4000],
  },
  {
    title: '10: stackable order benefits apply by sequence too',
    benefits: [
      { ...tenOff, sequence: 2, reward: { kind: 'order_amount', amount: 1000 } },
      { ...half, sequence: 1, reward: { kind: 'order_percentage', percentage: 50 } },
    ],
    lines: [{ price: 10_000 }],
    wanted: [4000],
  },
]

for (const { title, benefits, lines, wanted, gifts = [] } of wishes) {
  t.test(title, async (t) => {
    const venue = aVenue([
      { productId: 'giftA', unitPrice: 2000 },
      { productId: 'giftB', unitPrice: 4000 },
    ])
    const read = benefitsFromJson(JSON.stringify(benefits.map((benefit) => ({ text: '', ...benefit }))))
    const said = price(aBasket(lines), read, { venue })
    t.ok(said.optimal)
    if (typeof wanted === 'string') t.match(said.outcome, { status: 'unchanged', reason: wanted })
    else {
      t.same(netsOf(said), wanted)
      const added = applied(said).lines.filter(({ kind }) => kind === 'added')
      t.same(
        added.map(({ product }) => product?.productId),
        gifts,
      )
    }
  })
}
