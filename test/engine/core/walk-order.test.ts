import t from 'tap'
import { overlappingPricing } from '../../../bench/engine/search-cases.js'
import { createDice, type Dice } from '../../../bench/load/dice.js'
import { searchStepsMax } from '../../../engine/core/base/input.js'
import { calculate } from '../../../engine/core/index.js'
import type { TieGround } from '../../../engine/core/model/tie-ground.js'
import type { TiedLine } from '../../../engine/core/walk/deal.js'
import { narrowOrder } from '../../../engine/core/walk/stage-order.js'

type Kind = 'buy_get' | 'bundle' | 'line'

interface Drawn {
  readonly ground: TieGround
  readonly tied: readonly TiedLine[]
}

/** So many lines of so many pieces, and the lines of each offer; of a bundle by component. */
function groundOf(
  lines: readonly { pieces: number; gross: number }[],
  drawn: readonly { kind: Kind; lines: readonly (readonly number[])[] }[],
): Drawn {
  const offers = drawn.map(({ kind, lines: own }) => {
    return { shape: { kind, components: own.map((each) => ({ quantity: 1, lines: each })) } }
  })
  const tied = lines.map((_, at): TiedLine => {
    const own = drawn.flatMap(({ lines: each }, index) => (each.some((of) => of.includes(at)) ? [index] : []))
    const roles = own.map((index) => {
      return drawn[index]!.lines.flatMap((of, component) => (of.includes(at) ? [{ isBought: false, component }] : []))
    })
    return { at, offers: own, standings: own.map(() => 'got'), roles }
  })
  return { ground: { lines, offers } as unknown as TieGround, tied }
}

function drawGround(dice: Dice): Drawn {
  const count = 2 + dice.below(10)
  const lines = Array.from({ length: count }, () => ({ pieces: 1 + dice.below(3), gross: 1 + dice.below(900) }))
  const some = () => lines.flatMap((_, at) => (dice.below(3) === 0 ? [at] : []))
  const offers = Array.from({ length: 1 + dice.below(5) }, () => {
    const kind = (['buy_get', 'bundle', 'line'] as const)[dice.below(3)]!
    return { kind, lines: kind === 'bundle' ? [some(), some()] : [some()] }
  })
  return groundOf(lines, offers)
}

const ats = (lines: readonly TiedLine[]) => lines.map(({ at }) => at)

t.test('lines of a bundle are brought together, and those of a group stay in their order', async (t) => {
  const lines = Array.from({ length: 8 }, () => ({ pieces: 3, gross: 600 }))
  const bundles = [
    { kind: 'bundle' as const, lines: [[0, 4], [2]] },
    { kind: 'bundle' as const, lines: [[1, 7], [5]] },
    { kind: 'line' as const, lines: [[3, 6]] },
  ]
  const apart = groundOf(lines, bundles)
  const order = ats(narrowOrder(apart.ground, apart.tied, searchStepsMax).lines)
  for (const [one, other] of [
    [0, 4],
    [1, 7],
    [3, 6],
  ]) {
    t.equal(Math.abs(order.indexOf(one!) - order.indexOf(other!)), 1, `${one} next to ${other} in ${order}`)
  }
  const grouped = groundOf(lines, [...bundles, { kind: 'buy_get', lines: [[0, 1, 2, 3, 4, 5, 6, 7]] }])
  t.same(ats(narrowOrder(grouped.ground, grouped.tied, searchStepsMax).lines), [0, 1, 2, 3, 4, 5, 6, 7])
})

t.test('what costs most comes first where nothing else counts', async (t) => {
  const lines = [1, 1, 8, 4].map((gross) => ({ pieces: 1, gross }))
  const { ground, tied } = groundOf(lines, [{ kind: 'line', lines: [[0, 1, 2, 3]] }])
  t.equal(ats(narrowOrder(ground, tied, searchStepsMax).lines)[0], 2)
})

t.test('every line comes once, and lines of a group as they came', async (t) => {
  const dice = createDice(7)
  let moved = 0
  for (let round = 0; round < 500; round++) {
    const { ground, tied } = drawGround(dice)
    const { lines, steps } = narrowOrder(ground, tied, searchStepsMax)
    t.same(
      [...ats(lines)].sort((a, b) => a - b),
      ats(tied),
    )
    for (const [index, { shape }] of ground.offers.entries()) {
      if (shape.kind !== 'buy_get') continue
      const own = ats(lines.filter(({ offers }) => offers.includes(index)))
      if (own.some((at, place) => place > 0 && at < own[place - 1]!)) t.fail(`group ${index} in ${own}`)
    }
    if (ats(lines).some((at, place) => at !== place)) moved++
    if (steps > 0.05 * searchStepsMax) t.fail(`${steps} steps`)
  }
  t.ok(moved > 250, `${moved} of 500 moved`)
})

t.test('the order stays where there is no budget to look at it, or none but groups', async (t) => {
  const lines = Array.from({ length: 6 }, () => ({ pieces: 3, gross: 600 }))
  const { ground, tied } = groundOf(lines, [
    { kind: 'bundle', lines: [[0, 5], [2]] },
    { kind: 'bundle', lines: [[1, 4], [3]] },
  ])
  t.same(narrowOrder(ground, tied, 10), { lines: tied, steps: 0 })
  const some = narrowOrder(ground, tied, 20)
  t.ok(some.steps > 0 && some.steps <= 2, `${some.steps} steps`)
  const all = narrowOrder(ground, tied, searchStepsMax)
  t.ok(some.steps < all.steps, `${all.steps} steps`)
  const groups = groundOf(lines, [{ kind: 'buy_get', lines: [[0, 3]] }])
  t.same(narrowOrder(groups.ground, groups.tied, searchStepsMax), { lines: groups.tied, steps: 0 })
})

t.test('the overlapping basket that took 18,809 steps by falling price is proven within the budget', async (t) => {
  const dice = createDice(1)
  for (let at = 0; at < 40; at++) overlappingPricing(dice, searchStepsMax)
  const { programme, input } = overlappingPricing(dice, searchStepsMax)
  const { optimal, value, steps } = calculate(programme, input)
  t.match({ optimal, value }, { optimal: true, value: 527_999 })
  t.ok(steps < searchStepsMax, `${steps} steps`)
})
