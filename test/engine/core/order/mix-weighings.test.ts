import t from 'tap'
import { mixedNet } from '../../../../engine/core/order/mix-weighings.js'
import type { Weighing } from '../../../../engine/core/order/weigh-orders.js'

t.test('any part of one weighing and the rest of another is a weighing too', async (t) => {
  const [full, capped]: readonly Weighing[] = [0.5, 1].map((weight) => ({
    weightOf: () => weight,
    added: -10,
    isRounded: false,
  }))
  const costs = (first: number, second: number) => (each: Weighing) => (each === full ? first : second)
  const mixedWith = (parts: number[], found: [number, number], isEnough = (_net: number) => false) =>
    mixedNet([full!, capped!], [costs(100, 200), costs(200, 100)], {
      isEnough,
      choose({ weightOf }) {
        parts.push(2 * weightOf(0) - 1)
        return { least: 140, plans: costs(...found) }
      },
    })
  for (const { about, found, parts } of [
    { about: 'plans that are no better end the search', found: [150, 150], parts: [0.5] },
    { about: 'plans that cost the same by both end it too', found: [140, 140], parts: [0.5] },
    { about: 'the first part grows where the second weighing is greater', found: [120, 150], parts: [0.5, 0.615] },
    { about: 'and shrinks where the first one does', found: [150, 120], parts: [0.5, 0.385] },
  ] as { about: string; found: [number, number]; parts: number[] }[]) {
    const tried: number[] = []
    t.equal(mixedWith(tried, found), 130, about)
    t.same(
      tried.slice(0, 2).map((part) => Math.round(part * 1000) / 1000),
      parts,
      about,
    )
  }
  t.equal(
    mixedWith([], [140, 140], () => true),
    Number.NEGATIVE_INFINITY,
  )
  const level = mixedNet([full!, capped!], [costs(200, 100), costs(200, 100)], {
    isEnough: () => false,
    choose: () => t.fail('none is looked for'),
  } as never)
  t.equal(level, Number.NEGATIVE_INFINITY)
})
