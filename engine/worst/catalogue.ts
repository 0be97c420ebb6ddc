import type { EarningRule } from '../core/base/earning.js'
import type { Money } from '../core/base/money.js'
import type { Benefit, Selector } from '../core/base/programme.js'
import { isMatched, rewardSelections } from '../programme/matching.js'
import { fieldValueOf } from '../wire/field-value.js'
import type { TrialProduct } from './trial.js'

const idsMax = 2
const listedMax = 12
/** Prices of made products, minor units: a carrier bag, a coffee, a television. */
const madePrices: readonly Money[] = [200, 4_500, 899_900]

export interface Guarded {
  readonly select?: Selector
}

export function selectorsOf(
  benefits: readonly Benefit[],
  rules: readonly EarningRule[],
  guards: readonly Guarded[],
): readonly Selector[] {
  const all = [
    ...benefits.flatMap((benefit) => selectionsOf(benefit)),
    ...rules.flatMap(({ select, minimumSpend }) => [select ?? {}, minimumSpend?.select ?? {}]),
    ...guards.map(({ select }) => select ?? {}),
    {},
  ]
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

function selectionsOf({ reward, conditions }: Benefit): readonly Selector[] {
  const { minimumSpend, requires = [] } = conditions ?? {}
  const all = [...rewardSelections(reward), minimumSpend?.select, ...requires.map(({ select }) => select)]
  return all.flatMap((select) => (select === undefined ? [] : [select]))
}

/**
 * Products to try: of a price list the cheapest and the dearest of each selector and of the rest, and one made for each selector that
 * matches none of it; without a list, products made of the selectors, each as cheap as a carrier bag and as dear as a television.
 */
export function catalogueOf(
  selectors: readonly Selector[],
  priceList: readonly TrialProduct[],
): readonly TrialProduct[] {
  return priceList.length === 0 ? madeCatalogue(selectors) : listedCatalogue(selectors, priceList)
}

function listedCatalogue(selectors: readonly Selector[], priceList: readonly TrialProduct[]): readonly TrialProduct[] {
  const sorted = [...priceList].sort((a, b) => a.unitPrice - b.unitPrice || (a.productId < b.productId ? -1 : 1))
  const ends = (list: readonly TrialProduct[]) => [list[0], list[Math.floor(list.length / 2)], list.at(-1)]
  const step = Math.max(1, Math.floor(sorted.length / listedMax))
  const picked = [
    ...selectors.flatMap((select) => ends(sorted.filter((product) => isMatched(select, product, false)))),
    ...ends(sorted.filter(({ noDiscount }) => noDiscount)),
    ...sorted.filter((_, at) => at % step === 0),
    ...ends(sorted),
  ]
  const withFields = selectors.flatMap((select) => {
    const fields = fieldsOf(select)
    if (fields === undefined) return []
    const [product] = sorted.filter((each) => isMatched(select, each, false)).slice(-1)
    return product === undefined ? [] : [{ ...product, fields }]
  })
  const unlisted = selectors.filter((select) => !sorted.some((product) => isMatched(select, product, false)))
  const made = unlisted.flatMap(kindsOf).map((kind) => madeProduct(kind, madePrices[1]!))
  return unique([...picked.flatMap((each) => (each === undefined ? [] : [each])), ...withFields, ...made])
}

function madeCatalogue(selectors: readonly Selector[]): readonly TrialProduct[] {
  const named = selectors.flatMap((select) => kindsOf(select))
  const plain = { productGroupId: null, productMasterId: null, ean: null }
  const made = [plain, ...named].flatMap((kind) => madePrices.map((unitPrice) => madeProduct(kind, unitPrice)))
  const flagged = madePrices.slice(1).map((unitPrice) => {
    const productId = `gift-card-${unitPrice}`
    return { ...base, ...plain, productId, name: 'gift card', unitPrice, noDiscount: true }
  })
  return unique([
    ...made,
    ...flagged,
    { ...base, ...plain, productId: 'bag', name: 'carrier bag', unitPrice: 200, noDiscount: true },
  ])
}

function madeProduct(kind: Kind, unitPrice: Money): TrialProduct {
  const name = nameOf(kind)
  return { ...base, ...kind, productId: kind.productId ?? `${name} at ${unitPrice}`, name, unitPrice }
}

const base = { noDiscount: false, noPercentageDiscount: false, productGroupId: null, productMasterId: null, ean: null }

type Kind = Partial<Pick<TrialProduct, 'productId' | 'productGroupId' | 'productMasterId' | 'ean' | 'fields'>>

function kindsOf(select: Selector): readonly Kind[] {
  const of = (ids: readonly string[] = []) => ids.slice(0, idsMax)
  const fields = fieldsOf(select)
  const own: Kind[] = [
    ...of(select.productMasterIds).map((productMasterId) => ({ productMasterId })),
    ...of(select.eans).map((ean) => ({ ean })),
    ...of(select.productIds).map((productId) => ({ productId })),
    ...of(select.productGroupIds).map((productGroupId) => ({ productGroupId })),
  ]
  const narrowed =
    fields === undefined ? own : own.length === 0 ? [{ fields }] : own.map((kind) => ({ ...kind, fields }))
  const excluded = select.not === undefined ? [] : kindsOf(select.not)
  return [...narrowed, ...(select.collections ?? []).flatMap(kindsOf), ...excluded]
}

function fieldsOf({ fields }: Selector): Readonly<Record<string, string>> | undefined {
  if (fields === undefined) return undefined
  return Object.fromEntries(fields.map(({ name, values }) => [name, values[0] ?? fieldValueOf('')]))
}

function nameOf({ productId, productGroupId, productMasterId, ean, fields = {} }: Kind): string {
  const named = productId ?? productMasterId ?? ean ?? productGroupId
  return named ?? (Object.keys(fields).length > 0 ? Object.values(fields).join(' ').replaceAll('"', '') : 'other goods')
}

function unique(products: readonly TrialProduct[]): readonly TrialProduct[] {
  return [
    ...new Map(
      products.map((each) => [`${each.productId}/${each.unitPrice}/${JSON.stringify(each.fields)}`, each]),
    ).values(),
  ]
}
