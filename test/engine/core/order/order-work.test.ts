import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import type { Offer, ShapeOf } from '../../../../engine/core/offers/offer.js'
import { chooseOrders, findsLowest, orderBound } from '../../../../engine/core/order/choose-orders.js'
import { aBasket, aBenefit, percent } from '../builders.js'
import { offersOf } from '../offers-of.js'

// Which choices of order discounts are computed, and how exactly: also over tens of thousands of lines, more than a
// basket has.

const linesTo = (count: number) => Array.from({ length: count }, (_, at) => at)
/** One line that costs a million, and others that cost nothing. */
const roomOf = (count: number) => linesTo(count).map((at) => (at === 0 ? 1_000_000 : 0))

const basket = aBasket([{ price: 1_000_000 }])

/** An order discount over the first so many lines. */
function over(count: number, reward: Benefit['reward']): Offer {
  const [offer] = offersOf(basket, [aBenefit('order', reward)]).offers
  return { ...offer!, lines: linesTo(count) }
}

const share = (count: number, value: number) => over(count, { kind: 'order_percentage', percentage: percent(value) })
const amount = (count: number, off: number) => over(count, { kind: 'order_amount', amount: off })

const among = (normals: readonly Offer[], stacks: readonly Offer[]) => ({ normals, stacks, hasOrderDiscounts: false })
const { basis } = offersOf(basket, [])

t.test('the lowest net is found where no stackable order discount stands, over however many lines', async (t) => {
  const all = among([share(200_001, 10)], [])
  t.equal(findsLowest(all), true)
  t.equal(orderBound(basis, roomOf(200_001), all), 900_000)
})

t.test('the lowest net is found for 200,000 lines over all choices of a normal one, and no more', async (t) => {
  const stacks = [share(20_000, 10)]
  const alike = Array.from({ length: 7 }, () => share(2500, 10))
  t.equal(findsLowest(among([...alike, share(2500, 10)], stacks)), true)
  t.equal(findsLowest(among([...alike, share(2501, 10)], stacks)), false)
})

t.test('so many lines of order discounts are bounded by what each could be rounded to', async (t) => {
  const all = among([amount(1, 50)], [share(100_000, 10)])
  t.equal(orderBound(basis, roomOf(100_000), all), 899_999 - 50 - 1 - 100_000)
  t.equal(orderBound(basis, roomOf(99_999), among([amount(1, 50)], [share(99_999, 10)])), 899_955)
})

t.test('after 40,000 shares no other choice of a normal order discount is worked out', async (t) => {
  const stacks = [share(1, 10)]
  // With roundings on every line the first one has the lower bound; the second one is better.
  const few = among([share(39_999, 10), amount(1, 120_000)], stacks)
  t.equal(chooseOrders(basis, roomOf(40_001), few).net, 792_000)
  const many = among([share(40_000, 10), amount(1, 120_000)], stacks)
  t.equal(chooseOrders(basis, roomOf(40_001), many).net, 810_000)
})

t.test('order discounts over the very same lines count these once', async (t) => {
  const stacks = [share(40_000, 10)]
  // With so coarse a bound the first one seems better than the second, which is best.
  const first = amount(40_000, 100_000)
  const all = among([first, share(40_001, 10.5)], stacks)
  t.equal(findsLowest(all), false)
  t.equal(chooseOrders(basis, roomOf(40_001), all).net, 805_500)
})

/** The same order discount, with the number of its evaluations. */
function counted(offer: Offer) {
  const asked = { times: 0 }
  const { takes } = offer.shape as ShapeOf<'order'>
  const counting = (base: number) => {
    asked.times++
    return takes(base)
  }
  return { asked, offer: { ...offer, shape: { kind: 'order' as const, takes: counting } } }
}

for (const { about, off, isWorkedOut } of [
  { about: 'that could leave less is', off: 201, isWorkedOut: true },
  { about: 'that could leave no less is not', off: 200, isWorkedOut: false },
  { about: 'that could only leave more is not', off: 199, isWorkedOut: false },
]) {
  t.test(`a later choice ${about} worked out`, async (t) => {
    const stacks = [share(1, 10)]
    const { asked, offer } = counted(amount(1, off))
    const all = among([amount(1, 200), offer], stacks)
    orderBound(basis, roomOf(1), all)
    const bounding = asked.times
    chooseOrders(basis, roomOf(1), all)
    t.equal(asked.times - bounding > bounding, isWorkedOut, `${asked.times} times, ${bounding} of them for the bound`)
  })
}

for (const { about, amountLines, shareLines, ways } of [
  { about: 'no lines to itself is placed in one way', amountLines: 1, shareLines: 2, ways: 1 },
  { about: 'lines to itself is placed in two ways', amountLines: 2, shareLines: 1, ways: 2 },
]) {
  t.test(`an amount before a percentage that has ${about}`, async (t) => {
    const { asked, offer } = counted(share(shareLines, 10))
    const all = among([], [amount(amountLines, 100), offer])
    orderBound(basis, [1000, 500], all)
    const bounding = asked.times
    chooseOrders(basis, [1000, 500], all)
    // Where it is placed it is evaluated twice, and at most six times more to find its lines.
    t.ok(asked.times - 2 * bounding <= 2 * ways + 6)
  })
}

t.test('what stands beside the discount of the POS is not worked out without it too', async (t) => {
  const discounted = offersOf(aBasket([{ price: 1000, allocations: { staff: 300 } }]), [
    aBenefit('adds', { kind: 'order_percentage', percentage: percent(10) }, { existingDiscounts: 'add' }),
  ])
  const { asked, offer } = counted(discounted.offers[0]!)
  const all = { normals: [offer], stacks: [], hasOrderDiscounts: true }
  t.equal(chooseOrders(discounted.basis, [1000], all).net, 630)
  t.equal(asked.times, 1)
  t.equal(orderBound(discounted.basis, [1000], all), 630)
  t.equal(asked.times, 2)
})
