import { type Quantity, quantityOne } from '../core/base/money.js'
import type { Selector } from '../core/base/programme.js'
import { canStandBelow, joined } from './join-baskets.js'
import { withoutLine } from './measures.js'
import { matches } from './needs.js'
import type { TrialItem, TrialProduct } from './trial.js'

/** Units of a basket that variations add to; built ones may have more. */
const unitsMax = 12

interface Moving {
  readonly products: readonly TrialProduct[]
  readonly parents: readonly Selector[]
}

interface Neighbours {
  readonly count: number
  /** Each once. @param at  position among those that are left */
  take(at: number): readonly TrialItem[]
}

/** Baskets that differ in one thing: a unit or a line more or less, another product, or one below. Empty: the change cannot be made. */
export function neighboursOf(items: readonly TrialItem[], { products, parents }: Moving): Neighbours {
  const isFull = items.reduce((sum, { quantity }) => sum + quantity, 0) >= unitsMax * quantityOne
  const withUnits = (at: number, change: number): readonly TrialItem[] => {
    const { product, quantity } = items[at]!
    if (product.weighed || quantity + change <= 0 || (change > 0 && isFull)) return []
    return items.with(at, { ...items[at]!, quantity: quantity + change })
  }
  const ofLines = items.flatMap((_, at) => [
    () => withUnits(at, quantityOne),
    () => withUnits(at, -quantityOne),
    () => withoutLine(items, at),
  ])
  const ofProducts = products.flatMap((product) => [
    () => (isFull ? [] : joined([items, [{ product, quantity: quantityOne }]])),
    ...items.map(
      ({ quantity }, at) =>
        () =>
          joined([items.with(at, { product, quantity: wholeOf(quantity) })]),
    ),
    ...items.flatMap((item, at) =>
      canStandBelow(product, item) && parents.some((select) => matches(select, item.product))
        ? [() => items.with(at, { ...item, below: product })]
        : [],
    ),
  ])
  const left = [...ofLines, ...ofProducts]
  return {
    count: left.length,
    take(at) {
      const taken = left[at]!
      left[at] = left.at(-1)!
      left.pop()
      return taken()
    },
  }
}

function wholeOf(quantity: Quantity): Quantity {
  return Math.ceil(quantity / quantityOne) * quantityOne
}
