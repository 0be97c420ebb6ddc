import { type BasisLine, partOf } from '../base/basis.js'
import { trialsPerAssignment } from '../base/costs.js'
import type { Money } from '../base/money.js'
import type { Serve } from '../lines/fill.js'
import { heldBy, mayBeOff, replaces, stackOn } from '../lines/plan.js'
import { isOnUnits, type Offer, savesTogether } from '../offers/offer.js'

/** Normal line-level benefits on one line. */
export interface LineAssignment {
  readonly off: boolean
  /** In the order of benefitId. */
  readonly serves: readonly Serve[]
  /** Lower bound of the cost before stackable benefits. */
  readonly rest: number
  /** The same after all stackable benefits that may apply. */
  readonly restBound: number
}

export interface OfferedLine {
  readonly line: BasisLine
  readonly at: number
  readonly offers: readonly Offer[]
  /** Stackable ones on this line, by turn. */
  readonly stacks: readonly Offer[]
}

/**
 * All assignments of a line, by rising `restBound`: any pieces for each benefit, own discounts kept or off (3-benefits
 * 3). Benefits on single lines must take something off; units of a group need not.
 *
 * @returns  null if there are more than `assignmentsMax`
 */
export function assignmentsOn(offered: OfferedLine, assignmentsMax: number): LineAssignment[] | null {
  const assignments: LineAssignment[] = []
  for (const off of offered.line.own === 0 ? [false] : [false, true]) {
    const lister = new AssignmentLister(offered, off, assignmentsMax - assignments.length)
    if (!lister.list()) return null
    assignments.push(...lister.assignments)
  }
  return assignments.sort((a, b) => a.restBound - b.restBound)
}

class AssignmentLister {
  readonly assignments: LineAssignment[] = []
  private trials = 0
  private readonly trialsMax: number
  private readonly hold: Money
  private readonly stacks: readonly Offer[]
  private readonly touching: readonly Offer[]
  private readonly serves: Serve[] = []

  constructor(
    private readonly offered: OfferedLine,
    private readonly off: boolean,
    private readonly assignmentsMax: number,
  ) {
    const { line, at, offers, stacks } = offered
    this.trialsMax = assignmentsMax * trialsPerAssignment
    this.hold = off ? line.gross : heldBy(line)
    this.stacks = off || line.own === 0 ? stacks : stacks.filter((offer) => !replaces(offer))
    this.touching = offers.filter(({ lines, shape }) => {
      return lines.includes(at) || (shape.kind === 'buy_get' && shape.buyLines.includes(at))
    })
  }

  list(): boolean {
    return this.branch(0, this.offered.line.pieces, this.hold)
  }

  private branch(next: number, free: number, rest: number): boolean {
    const offer = this.touching[next]
    if (offer === undefined) return this.add(rest)
    if (!this.branch(next + 1, free, rest)) return false
    const most = this.piecesMost(offer, free)
    for (let pieces = offer.wholeLine ? most : 0; pieces <= most; pieces++) {
      const cost = this.costOf(offer, pieces)
      const boughtMost = this.boughtMost(offer, free - pieces)
      for (let bought = pieces === 0 ? 1 : 0; bought <= boughtMost; bought++) {
        if (++this.trials > this.trialsMax) return false
        if (cost === null) break
        this.serves.push({ offer, pieces, bought })
        const goesOn = this.branch(next + 1, free - pieces - bought, rest - cost)
        this.serves.pop()
        if (!goesOn) return false
      }
    }
    return true
  }

  private piecesMost({ lines, shape, wholeLine, unitsMax }: Offer, free: number): number {
    const { line, at } = this.offered
    if (!lines.includes(at) || (wholeLine && free < line.pieces)) return 0
    return shape.kind === 'bundle' ? free : Math.min(free, unitsMax)
  }

  private boughtMost({ shape }: Offer, free: number): number {
    return shape.kind === 'buy_get' && shape.buyLines.includes(this.offered.at) ? free : 0
  }

  // Upper bound of the amount; null if the benefit cannot have the pieces.
  private costOf(offer: Offer, pieces: number): number | null {
    const { line } = this.offered
    if (pieces === 0) return 0
    const keepsOwn = !this.off && line.own > 0 && replaces(offer)
    if (keepsOwn) {
      const mayGetNothing = !isOnUnits(offer) && !savesTogether(offer)
      return mayGetNothing && offer.amountOn(line, pieces, partOf(line, pieces, line.gross)) === 0 ? 0 : null
    }
    const amount = offer.amountOn(line, pieces, partOf(line, pieces, this.hold))
    if (!isOnUnits(offer)) return amount
    return amount === 0 || amount > offer.amountMax ? null : Math.min(amount, offer.maximumAmount)
  }

  private add(rest: number): boolean {
    if (this.off && !mayBeOff(this.offered.line, { serves: this.serves, stacks: this.stacks })) return true
    if (this.assignments.length === this.assignmentsMax) return false
    const restBound = this.stacks.length === 0 ? rest : stackOn(this.offered.line, this.stacks, rest).rest
    this.assignments.push({ off: this.off, serves: [...this.serves], rest, restBound })
    return true
  }
}
