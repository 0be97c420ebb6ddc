import { percentageOf, type Quantity, quantityOne, quantityTimes } from '../core/base/money.js'
import type { Guard, Selector } from '../core/base/programme.js'
import { withoutLine } from './measures.js'
import { matches } from './needs.js'
import type { TrialItem, TrialProduct } from './trial.js'

interface Extras {
  readonly guards: readonly Guard[]
  readonly products: readonly TrialProduct[]
  readonly parents: readonly Selector[]
}

/** The basket, then with a line that the POS discounts as far as a guard allows, then with lines below its first line. */
export function* withExtras(
  items: readonly TrialItem[],
  { guards, products, parents }: Extras,
): Generator<readonly TrialItem[]> {
  yield items
  const [first, ...rest] = items
  if (first !== undefined && parents.some((select) => matches(select, first.product))) {
    const cheaper = products
      .filter((product) => canStandBelow(product, first))
      .sort((a, b) => b.unitPrice - a.unitPrice)
    const flagged = cheaper.find(({ noDiscount }) => noDiscount)
    const guarded = guards.map(({ select }) => products.find((product) => matches(select, product)))
    for (const below of new Set([cheaper[0], flagged, ...guarded]))
      if (below !== undefined) yield [{ ...first, below }, ...rest]
  }
  for (const guard of guards) {
    const protectedOnes = products.filter((product) => matches(guard.select, product))
    for (const product of new Set([protectedOnes[0], protectedOnes.at(-1)])) {
      if (product === undefined) continue
      const quantity = Math.max(quantityOne, ...items.map((item) => item.quantity))
      const gross = quantityTimes(quantity, product.unitPrice)
      const own = guard.rule.kind === 'net_at_least' ? percentageOf(guard.rule.posDiscount ?? 0, gross) : 0
      yield [...items, { product, quantity, own }]
      if (items.length > 0) yield [...items.slice(1), { product, quantity, own }]
      yield [{ product, quantity, own }]
    }
  }
}

/** A modifier or deposit costs less than the goods that it belongs to. */
function canStandBelow({ unitPrice }: TrialProduct, { product }: TrialItem): boolean {
  return unitPrice < product.unitPrice
}

export function joined(parts: readonly (readonly TrialItem[])[]): readonly TrialItem[] {
  const lines = new Map<string, TrialItem>()
  for (const item of parts.flat()) {
    const key = `${item.product.productId}/${item.product.unitPrice}/${item.below?.productId}`
    const known = lines.get(key)
    lines.set(key, known === undefined ? item : { ...known, quantity: Math.max(known.quantity, item.quantity) })
  }
  return [...lines.values()]
}

export function* combinations<T>(list: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield []
  for (let at = from; at <= list.length - size && size > 0; at++)
    for (const rest of combinations(list, size - 1, at + 1)) yield [list[at]!, ...rest]
}

export function* product<T>(lists: readonly (readonly T[])[]): Generator<readonly T[]> {
  const [first, ...rest] = lists
  if (first === undefined) {
    yield []
    return
  }
  for (const one of first) for (const others of product(rest)) yield [one, ...others]
}

export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const unitsMax = 12

interface Moving {
  readonly products: readonly TrialProduct[]
  readonly parents: readonly Selector[]
}

interface Neighbours {
  readonly count: number
  take(at: number): readonly TrialItem[]
}

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
