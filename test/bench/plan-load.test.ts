import t from 'tap'
import { createCatalogue } from '../../bench/load/catalogue.js'
import { drawBasket, everydayMix } from '../../bench/load/draw-baskets.js'
import { everydayVisits, type Load, planLoad, seedOf } from '../../bench/load/plan-load.js'
import { problemsOf } from '../../clients/pos-js/check-basket.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { Dice } from '../support/dice.js'
import { aLoad } from './a-load.js'

const everyday: Load = {
  ...aLoad,
  arrivals: 'poisson',
  visits: everydayVisits,
  stages: [{ rate: 50, seconds: 40, counted: true }],
}
const retail = { kind: 'retail', seed: 3, benefits: 200, members: 50 } as const

t.test('fixed arrivals are evenly apart, and those of the warm-up do not count', async (t) => {
  const stages = [
    { rate: 50, seconds: 1, counted: false },
    { rate: 100, seconds: 1, counted: true },
  ]
  const { shots } = planLoad({ ...aLoad, stages })
  const warm = Array.from({ length: 50 }, (_, at) => at * 20)
  const counted = Array.from({ length: 100 }, (_, at) => 1000 + at * 10)
  t.same(
    shots.map(({ dueMs }) => dueMs),
    [...warm, ...counted],
  )
  t.equal(shots.filter((shot) => shot.counted).length, 100)
})

t.test('random arrivals come at the requested rate', async (t) => {
  const { shots } = planLoad({ ...everyday, visits: null })
  t.ok(Math.abs(shots.length - 2_000) < 200, `${shots.length} arrivals where 2,000 are expected`)
})

t.test('a day at the POS has every kind of request', async (t) => {
  const { visits, shots } = planLoad(everyday)
  const changed = visits.filter(({ supersedes }) => supersedes !== null)
  t.ok(changed.length > 100, `${changed.length} changed baskets`)
  for (const { supersedes } of changed) t.equal(visits[supersedes!]!.ending, null, 'a superseded one has no event')
  for (const ending of ['as_answered', 'cancelled', 'failed'] as const) {
    t.ok(visits.filter((visit) => visit.ending === ending).length > 20, ending)
  }
  t.ok(shots.filter(({ kind, repeated }) => kind === 'basket' && repeated).length > 10, 'baskets are repeated')
  t.ok(shots.filter(({ kind, repeated }) => kind === 'sale' && repeated).length > 10, 'sales are repeated')
  t.equal(
    new Set(visits.map(({ calculationId }) => calculationId)).size,
    visits.length,
    'no calculationId stands twice',
  )
  const dues = shots.map(({ dueMs }) => dueMs)
  t.same(
    dues,
    [...dues].sort((left, right) => left - right),
  )
})

t.test('a sale comes after its basket', async (t) => {
  const { shots } = planLoad(everyday)
  const basketMs = new Map(shots.filter(({ kind }) => kind === 'basket').map(({ visit, dueMs }) => [visit, dueMs]))
  const first = new Map<number, number>()
  for (const { kind, visit, dueMs } of shots) if (kind === 'basket' && !first.has(visit)) first.set(visit, dueMs)
  t.ok(basketMs.size > 0)
  t.same(
    shots.filter(({ kind, visit, dueMs }) => kind === 'sale' && dueMs < first.get(visit)! + everydayVisits.thinkMs / 4),
    [],
  )
})

t.test('every case of a run has a seed of its own', async (t) => {
  t.equal(seedOf(1, 'ladder/20'), seedOf(1, 'ladder/20'))
  t.not(seedOf(1, 'ladder/20'), seedOf(1, 'ladder/200'))
  t.not(seedOf(1, 'ladder/20'), seedOf(2, 'ladder/20'))
})

t.test('everyday baskets add up, most are small, some are large, and they hold what POS callers send', async (t) => {
  const catalogue = createCatalogue(retail)
  const dice = new Dice(11)
  const drawn = Array.from({ length: 600 }, () => drawBasket(dice, catalogue, everydayMix))
  for (const { basket, venue } of drawn) t.same(problemsOf(basket, basket, venue), [])
  const sizes = drawn.map(({ basket }) => basket.lines.length).sort((left, right) => left - right)
  t.ok(sizes[300]! >= 6 && sizes[300]! <= 10, `half of the baskets have ${sizes[300]} lines or fewer`)
  t.ok(sizes.at(-1)! > 50, `the largest has ${sizes.at(-1)}`)
  t.ok(sizes.at(-1)! <= 200 && sizes[0]! >= 1)
  const share = (of: (one: (typeof drawn)[number]['basket']) => boolean) =>
    drawn.filter(({ basket }) => of(basket)).length / drawn.length
  t.ok(Math.abs(share(({ loyaltyId }) => loyaltyId?.startsWith('LOY-') ?? false) - 0.9) < 0.05, 'members')
  t.ok(Math.abs(share(({ lines }) => lines.some(({ productId }) => productId.startsWith('coupon'))) - 0.1) < 0.05)
  t.ok(share(({ lines }) => lines.some(({ discounts }) => (discounts ?? []).length > 0)) > 0.2, 'own discounts')
  t.ok(share(({ lines }) => lines.some(({ quantity }) => !Number.isInteger(quantity))) > 0.1, 'weighed goods')
  t.ok(share(({ orderDiscounts }) => (orderDiscounts ?? []).length > 0) > 0.005, 'order discounts')
})

t.test('the retailer is a programme that can be published, the same one for the same seed', async (t) => {
  const document = createCatalogue(retail).document()
  t.equal(createCatalogue(retail).document(), document)
  const read = readProgramme(document)
  if (read.kind === 'faulty') throw new Error(JSON.stringify(read.faults.slice(0, 3)))
  t.equal(read.programme.benefits.length, 200)
  t.equal(read.programme.members.length, 50)
  const limited = read.programme.benefits.filter(({ limits }) => limits.length > 0)
  t.ok(limited.length > 0 && limited.every(({ benefitId }) => benefitId.startsWith('coupon-')))
})
