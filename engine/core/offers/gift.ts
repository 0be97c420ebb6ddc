import type { BasisLine } from '../base/basis.js'
import type { RewardOf } from '../base/programme.js'
import type { CompiledBenefit } from '../match/compile.js'
import type { Matched } from '../match/matched-lines.js'
import type { CompiledSelector } from '../match/selector.js'

/** Units free, by position of the line in the request. */
export type FreeByPosition = ReadonlyMap<number, number>

/** Of its lines, by position in the request, at most so many units are free, as others must stay paid (3-benefits 2). */
interface Ask {
  readonly lines: ReadonlySet<number>
  readonly most: number
}

/** How many units a `free_product` gives, for what the basket has. */
export class Gift {
  private readonly asks: readonly Ask[]
  /** Lines and units of `per`; null: it is given once. */
  private readonly per: { readonly lines: ReadonlySet<number>; readonly units: number } | null

  constructor(
    private readonly reward: RewardOf<'free_product'>,
    { requires, requiredUnits, selects }: CompiledBenefit,
    { lines, matched }: { readonly lines: readonly BasisLine[]; readonly matched: Matched },
  ) {
    const linesOf = (select: CompiledSelector) => new Set(matched.whole(select).map((at) => lines[at]!.position))
    this.asks = requires.map((select, index) => {
      return { lines: linesOf(select), most: Math.max(0, matched.units(select) - requiredUnits[index]!) }
    })
    const [per] = selects
    this.per = per === undefined ? null : { lines: linesOf(per), units: matched.units(per) }
  }

  /** Units that `per` lacks to give anything. */
  get lacking(): number {
    return this.per === null ? 0 : Math.max(0, this.reward.per!.quantity - this.per.units)
  }

  /** The most units of these lines that can be free beside those that stay paid, with what these ask for in all. */
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

  /** Whether the units asked for stay paid, if so many of each line are free and so many are added. */
  staysPaid(taken: FreeByPosition, added: number): boolean {
    if (unitsIn(taken) + added > this.wantedBeside(taken)) return false
    return this.asks.every(({ lines, most }) => unitsIn(taken, lines) <= most)
  }

  /** Whether the number of free units alone decides, not on which of the lines they are. */
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

  // One letter for each that asks for units of a line.
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
