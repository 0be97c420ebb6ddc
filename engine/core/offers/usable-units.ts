import type { Basis } from '../base/basis.js'
import { sumOf } from '../base/money.js'
import type { Dropped } from '../base/outcome.js'
import type { Benefit } from '../base/programme.js'
import type { Matched } from '../match/matched-lines.js'
import { flagged, kept, lackingUnits, withoutOwn } from './dropped.js'
import { isPercentageReward } from './offer.js'
import { productsOf, wantsByProduct } from './same-product.js'
import { shortage, type Wanted } from './shortage.js'

interface GroupWant extends Wanted {
  readonly isFixed: boolean
  readonly withNoDiscount?: boolean
}

export interface Usable {
  readonly lists: readonly (readonly number[])[]
  readonly unflagged: readonly number[] | null
  readonly products: readonly number[] | null
}

export function usableOf(
  benefit: Benefit,
  wants: readonly GroupWant[],
  { basis, matched }: { readonly basis: Basis; readonly matched: Matched },
): Usable | Dropped {
  const unitsOn = (at: number) => basis.lines[at]!.units
  const isPercentage = isPercentageReward(benefit)
  const narrowed = (all: readonly GroupWant[], keeps: (want: GroupWant) => readonly number[]) =>
    all.map((want) => ({ ...want, lines: keeps(want) }))
  const unflaggedOf = ({ lines, isFixed, withNoDiscount = false }: GroupWant) =>
    withNoDiscount ? lines : matched.unflagged(lines, isPercentage && !isFixed)
  const products = isOfOneProduct(benefit) ? productsOf(basis) : null
  const lacking = (all: readonly GroupWant[]) => lackingIn(all, products, unitsOn)
  const units = lacking(wants)
  if (units > 0) return lackingUnits(units)
  const unflagged = narrowed(wants, unflaggedOf)
  if (isNarrower(unflagged, wants) && lacking(unflagged) > 0)
    return flagged(matched.union(wants.map(({ lines }) => lines)), basis)
  const usable = (all: readonly GroupWant[]) => usableLists(all, products, unitsOn)
  if (benefit.existingDiscounts !== 'keep') return { ...usable(unflagged), unflagged: null }
  const free = narrowed(unflagged, ({ lines }) => withoutOwn(lines, basis))
  if (isNarrower(free, unflagged) && lacking(free) > 0)
    return kept(matched.union(wants.map(({ lines }) => lines)), basis)
  const keepable = unflagged.flatMap(({ lines, isFixed }) => (isFixed ? [] : [lines]))
  return { ...usable(free), unflagged: matched.union(keepable) }
}

function isOfOneProduct({ reward }: Benefit): boolean {
  return 'sameProduct' in reward && reward.sameProduct === true
}

type UnitsOn = (at: number) => number

// If one product needs all units of a time: the missing units of the product that lacks least.
function lackingIn(wants: readonly GroupWant[], products: readonly number[] | null, unitsOn: UnitsOn): number {
  if (products === null) return lackingOf(wants, unitsOn)
  const each = [...wantsByProduct(wants, products).values()].map((own) => lackingOf(own, unitsOn))
  return each.length === 0 ? sumOf(wants.map(({ quantity }) => quantity)) : Math.min(...each)
}

function usableLists(
  wants: readonly GroupWant[],
  products: readonly number[] | null,
  unitsOn: UnitsOn,
): Pick<Usable, 'lists' | 'products'> {
  if (products === null) return { lists: wants.map(({ lines }) => lines), products }
  const whole = [...wantsByProduct(wants, products)].filter(([, own]) => lackingOf(own, unitsOn) === 0)
  const isWhole = new Set(whole.map(([product]) => product))
  const lists = wants.map(({ lines }) => lines.filter((at) => isWhole.has(products[at]!)))
  return { lists, products: isWhole.size === 1 ? null : products }
}

function isNarrower(some: readonly Wanted[], all: readonly Wanted[]): boolean {
  return some.some(({ lines }, position) => lines.length < all[position]!.lines.length)
}

// A quick test: each want alone finds the units of all.
function lackingOf(wants: readonly Wanted[], unitsOn: UnitsOn): number {
  const wanted = wants.reduce((sum, { quantity }) => sum + quantity, 0)
  const isPlenty = wants.every(({ lines }) => {
    let units = 0
    for (let index = 0; index < lines.length && units < wanted; index++) units += unitsOn(lines[index]!)
    return units >= wanted
  })
  return isPlenty ? 0 : shortage(wants, unitsOn)
}
