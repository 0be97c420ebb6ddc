import type { Basis, BasisLine } from '../base/basis.js'
import type { CalculationFacts } from '../base/input.js'
import { quantityOne, sumOf } from '../base/money.js'
import type { Dropped } from '../base/outcome.js'
import type { RewardOf } from '../base/programme.js'
import type { CompiledBenefit } from '../match/compile.js'
import type { Matched } from '../match/matched-lines.js'
import type { CompiledSelector } from '../match/selector.js'
import { flagged, kept, lackingUnits, withoutOwn } from './dropped.js'
import type { FreeByPosition, ShapeOf } from './offer.js'

interface GiftSource {
  readonly basis: Basis
  readonly matched: Matched
  readonly facts: CalculationFacts
}

interface FoundGift {
  readonly shape: ShapeOf<'free'>
  readonly lines: readonly number[]
  readonly unflagged: readonly number[]
}

export function giftOf(
  compiled: CompiledBenefit,
  reward: RewardOf<'free_product'>,
  { basis, matched, facts }: GiftSource,
): FoundGift | Dropped {
  const gift = new Gift(reward, compiled, { lines: basis.lines, matched, withNoDiscount: false })
  const all: number[] = []
  for (let at = 0; at < basis.lines.length; at++) {
    const { productId, units } = basis.lines[at]!
    if (productId === reward.productId && units > 0) all.push(at)
  }
  const linesAt = (positions: readonly number[]) => positions.map((at) => basis.lines[at]!)
  const mostOf = (positions: readonly number[]) => gift.most(linesAt(positions))
  const unflagged = matched.unflagged(all, false)
  const lines = compiled.benefit.existingDiscounts === 'keep' ? withoutOwn(unflagged, basis) : unflagged
  const { there } = mostOf(lines)
  // The basket has a unit also where its flags, its discount or another benefit keep it from being free.
  const { there: had, wanted } = mostOf(all)
  const listed = facts.venue.products.find(({ productId }) => productId === reward.productId)
  const product = listed?.noDiscount === false ? listed : null
  const missing = product === null ? 0 : wanted - had
  if (there + missing === 0) {
    if (mostOf(unflagged).there > 0) return kept(unflagged, basis)
    const most = new Gift(reward, compiled, { lines: basis.lines, matched, withNoDiscount: true }).most(linesAt(all))
    const isFlagged = most.there > 0 || (listed !== undefined && most.wanted > most.there)
    if (isFlagged)
      return flagged(matched.union([all, ...compiled.selects.map((each) => matched.whole(each, true))]), basis)
    return gift.lacking > 0 ? lackingUnits(gift.lacking) : lackingProduct(reward)
  }
  const staysPaid = gift.isEven(linesAt(lines)) ? null : gift.staysPaid.bind(gift)
  const shape = { kind: 'free', product, there, had, missing, added: missing, staysPaid } as const
  return { shape, lines: there === 0 ? [] : lines, unflagged }
}

function lackingProduct({ productId }: RewardOf<'free_product'>): Dropped {
  return { stage: 'conditions_not_met', missing: [{ kind: 'product', productId }] }
}

/** Units that may be free on each of its lines, by position in the request; the others must stay paid (3-benefits 2). */
interface Ask {
  readonly lines: ReadonlySet<number>
  readonly most: number
}

interface GiftLines {
  readonly lines: readonly BasisLine[]
  readonly matched: Matched
  readonly withNoDiscount: boolean
}

class Gift {
  private readonly asks: readonly Ask[]
  private readonly per: { readonly lines: ReadonlySet<number>; readonly units: number } | null

  constructor(
    private readonly reward: RewardOf<'free_product'>,
    { benefit, requires, selects }: CompiledBenefit,
    { lines, matched, withNoDiscount }: GiftLines,
  ) {
    const wholeOf = (select: CompiledSelector, isAll = false) => {
      return matched.whole(select, isAll || select.includeNoDiscount).map((at) => lines[at]!)
    }
    const positionsOf = (whole: readonly BasisLine[]) => new Set(whole.map(({ position }) => position))
    this.asks = requires.map((select, index) => {
      const { quantity, measure = false } = benefit.conditions!.requires![index]!
      const spare = measure
        ? Math.floor((matched.measure(select) - quantity) / quantityOne)
        : matched.units(select) - quantity
      return { lines: positionsOf(wholeOf(select)), most: Math.max(0, spare) }
    })
    const [per] = selects
    const paying = per === undefined ? null : wholeOf(per, withNoDiscount)
    this.per = paying && { lines: positionsOf(paying), units: sumOf(paying.map(({ units }) => units)) }
  }

  get lacking(): number {
    return this.per === null ? 0 : Math.max(0, this.reward.per!.quantity - this.per.units)
  }

  /** The most units of these lines that can be free while others stay paid, with the units that these require. */
  most(lines: readonly BasisLine[]): { readonly there: number; readonly wanted: number } {
    const taken = new Map<number, number>()
    for (const { position, units } of this.leastAskedFirst(lines)) {
      let [least, most] = [0, units]
      while (least < most) {
        const middle = Math.ceil((least + most) / 2)
        if (this.staysPaid(taken.set(position, middle), 0)) least = middle
        else most = middle - 1
      }
      taken.set(position, least)
    }
    return { there: unitsIn(taken), wanted: this.wantedBeside(taken) }
  }

  staysPaid(taken: FreeByPosition, added: number): boolean {
    if (unitsIn(taken) + added > this.wantedBeside(taken)) return false
    return this.asks.every(({ lines, most }) => unitsIn(taken, lines) <= most)
  }

  /** True: only the number of free units matters, not their lines. */
  isEven(lines: readonly BasisLine[]): boolean {
    return lines.every(({ position }) => this.askedOn(position) === this.askedOn(lines[0]!.position))
  }

  private wantedBeside(taken: FreeByPosition): number {
    if (this.per === null) return this.reward.quantity
    const paid = this.per.units - unitsIn(taken, this.per.lines)
    return Math.floor(paid / this.reward.per!.quantity) * this.reward.quantity
  }

  private leastAskedFirst(lines: readonly BasisLine[]): BasisLine[] {
    return [...lines].sort((a, b) => this.askedOn(a.position).length - this.askedOn(b.position).length)
  }

  private askedOn(position: number): string {
    const all = [...this.asks, ...(this.per === null ? [] : [this.per])]
    return all.flatMap(({ lines }, index) => (lines.has(position) ? [String.fromCharCode(index)] : [])).join('')
  }
}

function unitsIn(taken: FreeByPosition, lines?: ReadonlySet<number>): number {
  let sum = 0
  for (const [at, units] of taken) if (lines === undefined || lines.has(at)) sum += units
  return sum
}
