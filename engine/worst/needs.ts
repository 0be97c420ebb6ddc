import type { EarningRule } from '../core/base/earning.js'
import { type Quantity, quantityOne } from '../core/base/money.js'
import type { Benefit, RequiredQuantity, Selector } from '../core/base/programme.js'
import { isMatched } from '../programme/matching.js'
import type { TrialItem, TrialProduct } from './trial.js'

const unitsMax = 40

interface Style {
  readonly bought: 'cheapest' | 'dearest'
  readonly rewarded: 'cheapest' | 'dearest'
  readonly times: number
}

const styles: readonly Style[] = [
  { bought: 'cheapest', rewarded: 'dearest', times: 1 },
  { bought: 'cheapest', rewarded: 'cheapest', times: 1 },
  { bought: 'dearest', rewarded: 'dearest', times: 1 },
  { bought: 'cheapest', rewarded: 'dearest', times: 2 },
  { bought: 'dearest', rewarded: 'dearest', times: 2 },
]

type Needing = Pick<Benefit, 'reward' | 'conditions'>

interface Part {
  readonly select: Selector
  readonly quantity: Quantity
  readonly isRewarded: boolean
  readonly isWeighed: boolean
}

export function basketsFor(benefit: Needing, products: readonly TrialProduct[]): readonly (readonly TrialItem[])[] {
  const found = styles.flatMap((style) => basketsIn(style, benefit, products))
  return [...new Map(found.map((items) => [keyOf(items), items])).values()]
}

export function earningBaskets(
  { select, minimumSpend, includeNoDiscount }: EarningRule,
  products: readonly TrialProduct[],
) {
  const counted = { ...select, ...(includeNoDiscount && { includeNoDiscount }) }
  const conditions = minimumSpend === null ? null : { minimumSpend }
  return basketsFor({ conditions, reward: { kind: 'line_percentage', percentage: 0, select: counted } }, products)
}

function basketsIn(style: Style, benefit: Needing, products: readonly TrialProduct[]): (readonly TrialItem[])[] {
  return partsOf(benefit).flatMap((parts) => {
    const items = parts.flatMap((part) => itemFor(part, style, products))
    if (items.length < parts.length) return []
    return filledFor(benefit, items, products)
  })
}

export function filledFor(
  { conditions }: Pick<Benefit, 'conditions'>,
  items: readonly TrialItem[],
  products: readonly TrialProduct[],
): (readonly TrialItem[])[] {
  const spends = conditions?.minimumSpend
  const lacking = spends === undefined ? 0 : spends.amount - spentOn(spends.select, items)
  if (lacking <= 0) return [items]
  return fillersFor(spends!.select ?? {}, lacking, products).map((fillers) => fillers.reduce(withMore, items))
}

function withMore(items: readonly TrialItem[], more: TrialItem): readonly TrialItem[] {
  const at = items.findIndex(({ product }) => product === more.product)
  return at === -1 ? [...items, more] : items.with(at, { ...more, quantity: items[at]!.quantity + more.quantity })
}

function partsOf({ reward, conditions }: Needing): readonly (readonly Part[])[] {
  const required = (conditions?.requires ?? []).map((each) => partOf(each, false))
  return rewardParts(reward).map((parts) => [...parts, ...required])
}

function rewardParts(reward: Benefit['reward']): readonly (readonly Part[])[] {
  const one = (select: Selector | undefined, quantity = 1) => partOf({ quantity, ...(select && { select }) }, true)
  switch (reward.kind) {
    case 'buy_get':
      return [[partOf(reward.buy, false), partOf(reward.get, true)]]
    case 'bundle_price':
    case 'bundle_discount':
      return [reward.components.map((component) => partOf(component, true))]
    case 'free_product':
      return [reward.per === undefined ? [one({})] : [partOf(reward.per, false)]]
    case 'volume_percentage':
      return reward.tiers.map(({ quantity }) => [
        partOf({ quantity, ...(reward.select && { select: reward.select }), measure: reward.measure ?? false }, true),
      ])
    default:
      return [[one(reward.select)]]
  }
}

function partOf({ select = {}, quantity, measure = false }: RequiredQuantity, isRewarded: boolean): Part {
  return { select, quantity: measure ? quantity : quantity * quantityOne, isRewarded, isWeighed: measure }
}

function itemFor(part: Part, style: Style, products: readonly TrialProduct[]): readonly TrialItem[] {
  const matched = products.filter((product) => canTake(part, product)).sort((a, b) => a.unitPrice - b.unitPrice)
  const choice = part.isRewarded ? style.rewarded : style.bought
  const product = choice === 'cheapest' ? matched[0] : matched.at(-1)
  if (product === undefined) return []
  const weighed = part.isWeighed ? { weighed: true as const } : {}
  return [{ product: { ...product, ...weighed }, quantity: part.quantity * style.times }]
}

function canTake({ select, isRewarded }: Part, product: TrialProduct): boolean {
  if (product.noDiscount && (isRewarded || select.includeNoDiscount !== true)) return false
  return matches(select, product)
}

export function matches(select: Selector | undefined, product: TrialProduct): boolean {
  if (!isMatched(select, product, false)) return false
  return (select?.fields ?? []).every(({ name, values }) => values.includes(product.fields?.[name] ?? ''))
}

function spentOn(select: Selector | undefined, items: readonly TrialItem[]): number {
  const counted = items.filter(({ product }) => matches(select, product))
  return counted.reduce((sum, { product, quantity }) => sum + (product.unitPrice * quantity) / quantityOne, 0)
}

function fillersFor(
  select: Selector,
  amount: number,
  products: readonly TrialProduct[],
): readonly (readonly TrialItem[])[] {
  const matched = products
    .filter((product) => product.unitPrice > 0 && matches(select, product))
    .filter((product) => !product.noDiscount || select.includeNoDiscount === true)
    .filter(({ unitPrice }) => Math.ceil(amount / unitPrice) <= unitsMax)
    .sort((a, b) => a.unitPrice - b.unitPrice)
  const fill = (product: TrialProduct, sum: number): TrialItem => ({
    product,
    quantity: Math.ceil(sum / product.unitPrice) * quantityOne,
  })
  const nearest = (sum: number) => {
    const overshoot = ({ unitPrice }: TrialProduct) => Math.ceil(sum / unitPrice) * unitPrice - sum
    return [...matched].sort((a, b) => overshoot(a) - overshoot(b))[0]
  }
  const single = [...new Set([matched[0], matched.at(-1), nearest(amount)])]
  const large = matched.findLast(({ unitPrice }) => unitPrice < amount)
  const units = large === undefined ? 0 : Math.floor((amount - 1) / large.unitPrice)
  const rest = large === undefined ? amount : amount - units * large.unitPrice
  const small = nearest(rest)
  return [
    ...single.flatMap((product) => (product === undefined ? [] : [[fill(product, amount)]])),
    ...(large === undefined || small === undefined
      ? []
      : [
          [{ product: large, quantity: units * quantityOne }, fill(small, rest)].reduce(
            withMore,
            [] as readonly TrialItem[],
          ),
        ]),
  ]
}

export function keyOf(items: readonly TrialItem[]): string {
  return items
    .map(({ product, quantity, own = 0, below }) =>
      [product.productId, product.unitPrice, quantity, own, below?.productId, below?.unitPrice].join('/'),
    )
    .sort()
    .join('\n')
}
