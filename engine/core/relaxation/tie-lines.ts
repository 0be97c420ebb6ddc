import type { BasisLine } from '../base/basis.js'
import { partOf } from '../base/basis.js'
import { type Money, percentageWhole } from '../base/money.js'
import { adds, heldBy, planLine } from '../lines/plan.js'
import type { Offer, ShapeOf } from '../offers/offer.js'
import { percentageOn, rateOn } from '../offers/rate.js'
import type { Entry, Row, TieSheet } from './tie-sheet.js'
import type { Role } from './tie-terms.js'

/** Writes lines and the offers that tie them into the relaxation. */
export function addTies(sheet: TieSheet): void {
  const writer = new TieWriter(sheet)
  for (const line of sheet.ground.lines.keys()) writer.addLine(line)
  for (const offer of sheet.ground.offers.keys()) writer.addOffer(offer)
  for (const line of sheet.ground.lines.keys()) writer.addWaste(line)
}

class TieWriter {
  private readonly capacity: Row[] = []
  /** Rows of lines with own discounts: what stands on them kept, and off. */
  private readonly kept = new Map<number, Row>()
  private readonly off = new Map<number, Row>()
  /** What stackable benefits leave of a minor unit, and how often they round. */
  private readonly factor: number[] = []
  /** The same at least, whichever of them stand. */
  private readonly leastFactor: number[] = []
  private readonly extra: number[] = []
  /** Whether what stackable benefits leave of a gain is known. */
  private readonly firm: boolean[] = []

  constructor(private readonly sheet: TieSheet) {}

  addLine(at: number): void {
    const line = this.sheet.ground.lines[at]!
    const offers = this.sheet.ground.lineOffers[at]!
    const percentages = offers.stacks.filter((offer) => percentageOn(offer) !== null)
    const isFirm = offers.stacks.every(({ maximumAmount }) => maximumAmount === Number.POSITIVE_INFINITY)
    const isMixed = percentages.length > 0 && percentages.length < offers.stacks.length
    this.firm[at] = isFirm && !isMixed
    this.factor[at] = this.firm[at] ? remains(percentages, line) : 1
    this.leastFactor[at] = remainder(percentages)
    this.extra[at] = percentages.length
    const keptStacks = line.own === 0 ? offers.stacks : offers.stacks.filter(adds)
    const stacked = heldBy(line) - planLine(line, { free: [], stacks: keptStacks }).rest
    this.sheet.base += stacked
    this.sheet.rests[at] = isFirm ? heldBy(line) - stacked : heldBy(line)
    const capacity = this.sheet.row([], line.pieces)
    this.capacity[at] = capacity
    const { rest, restBound } = planLine(line, offers)
    const alone = heldBy(line) - restBound - stacked
    const least = isFirm ? heldBy(line) - rest - stacked : 0
    if (alone > 0) capacity.entries.push([this.sheet.column('alone', [-1, at], alone, 1, least), line.pieces])
    if (line.own > 0 && this.mayReplace(at)) this.addCases(at, stacked)
    this.addFill(at)
  }

  addOffer(at: number): void {
    const offer = this.sheet.ground.offers[at]!
    const { shape } = offer
    switch (shape.kind) {
      case 'buy_get':
        this.addBuyGet(at, offer, shape)
        break
      case 'bundle':
        this.addBundle(at, offer, shape)
        break
      default:
        this.addBounded(at, offer)
    }
  }

  /** Stackable amounts on a line that others have exhausted gain nothing: what is given twice is taken back. */
  addWaste(at: number): void {
    const line = this.sheet.ground.lines[at]!
    const { stacks } = this.sheet.ground.lineOffers[at]!
    if (!this.firm[at] || stacks.every((offer) => percentageOn(offer) !== null)) return
    const entries: Entry[] = []
    for (const [column, each] of this.sheet.columns.entries()) if (each.line === at) entries.push([column, each.least])
    this.sheet.addShared(entries, [this.sheet.ground.positions[at]!], 1)
    entries.push([this.sheet.column('waste', [-1, at], -1, line.gross, -1), -1])
    this.sheet.row(entries, this.sheet.rests[at]!)
  }

  private addCases(at: number, stacked: Money): void {
    const line = this.sheet.ground.lines[at]!
    const offStacks = planLine({ ...line, own: 0 }, { free: [], stacks: this.sheet.ground.lineOffers[at]!.stacks }).rest
    const cost = heldBy(line) - offStacks - stacked
    const off = this.sheet.column('off', [-1, at], cost, 1)
    this.off.set(at, this.sheet.row([[off, -line.pieces]], 0))
    this.kept.set(at, this.sheet.row([[off, line.pieces]], line.pieces))
  }

  private addFill(at: number): void {
    const line = this.sheet.ground.lines[at]!
    for (const { off, hold } of this.casesOf(at)) {
      const offers = this.sheet.ground.lineOffers[at]!.free.filter(
        (offer) => !offer.wholeLine && (off || line.own === 0 || adds(offer)),
      )
      const rates = offers.map((offer) => rateOn(offer, line, hold))
      const rate = Math.max(0, ...rates.map((each) => each.rate))
      if (rate === 0) continue
      const slack = rates.reduce((sum, each) => sum + Math.max(0, each.slack - (rate - each.rate)), 0)
      this.pieces('fill', [-1, at], { off, hold, rate, slack })
    }
  }

  // A benefit with a limit in units or a maximum amount that can bite.
  private addBounded(at: number, offer: Offer): void {
    const units = this.sheet.row([], offer.unitsMax)
    const isCapped = offer.maximumAmount !== Number.POSITIVE_INFINITY
    const value = isCapped ? this.sheet.column('value', [at, -1], 1, offer.maximumAmount) : -1
    const worth = this.sheet.row(isCapped ? [[value, 1]] : [], 0)
    for (const position of offer.lines) {
      const line = this.sheet.ground.indexOf.get(position)!
      for (const { off, hold } of this.casesOf(line, offer)) {
        const { rate: whole, slack } = rateOn(offer, this.sheet.ground.lines[line]!, hold)
        const rate = Math.min(whole, offer.maximumAmount)
        if (rate === 0) continue
        const first = this.sheet.columns.length
        this.pieces('take', [at, line], {
          off,
          hold,
          rate: isCapped ? 0 : rate,
          slack: isCapped ? 0 : slack,
          apart: slack > 0,
        })
        for (let column = first; column < this.sheet.columns.length; column++) {
          units.entries.push([column, 1])
          if (isCapped) worth.entries.push([column, column === first ? -rate - slack : -rate])
        }
      }
    }
  }

  private addBuyGet(at: number, offer: Offer, shape: ShapeOf<'buy_get'>): void {
    const gets = this.takesOf(at, offer)
    const buys = shape.buyLines.map((position): LineColumn => {
      const line = this.sheet.ground.indexOf.get(position)!
      const column = this.sheet.column('buy', [at, line], 0, this.sheet.ground.lines[line]!.pieces)
      this.capacity[line]!.entries.push([column, 1])
      return { line, column }
    })
    const most = Math.floor(this.unitsOf(offer.lines) / shape.get)
    const times = this.sheet.column('times', [at, -1], 0, Math.min(shape.timesMax, most))
    this.sheet.row([[times, shape.get], ...gets.map(({ column }): Entry => [column, -1])], 0)
    this.sheet.row([[times, -shape.get], ...gets.map(({ column }): Entry => [column, 1])], 0)
    this.sheet.row([[times, shape.buy], ...buys.map(({ column }): Entry => [column, -1])], 0)
    this.addLevels(at, { units: this.unitsOf(offer.lines), shape }, { gets, buys })
  }

  // Among units that could be either, the cheapest are got: for every price, the times that get a unit of at least
  // that price have all they buy at that price or above.
  private addLevels(
    at: number,
    { units, shape }: { units: number; shape: ShapeOf<'buy_get'> },
    { gets, buys }: { gets: LineColumn[]; buys: LineColumn[] },
  ): void {
    const gettable = new Set(gets.map(({ line }) => line))
    const buyable = new Set(buys.map(({ line }) => line))
    const priceOf = (line: number) => this.sheet.ground.lines[line]!.price
    const either = gets.filter(({ line }) => buyable.has(line))
    for (const price of new Set(either.map(({ line }) => priceOf(line)))) {
      const above = either.filter(({ line }) => priceOf(line) >= price)
      const bought = buys.filter(({ line }) => !gettable.has(line) || priceOf(line) >= price)
      const got = above.map(({ column }): Entry => [column, 1])
      if (shape.get === 1) {
        this.sheet.row([...got.map(([column]): Entry => [column, shape.buy]), ...negative(bought)], 0)
        continue
      }
      const level = this.sheet.column('level', [at, -1], 0, Math.ceil(units / shape.get))
      this.sheet.row([...got, [level, -shape.get]], 0)
      this.sheet.row([[level, shape.buy], ...negative(bought)], 0)
    }
  }

  private addBundle(at: number, offer: Offer, shape: ShapeOf<'bundle'>): void {
    const mosts = shape.components.map(({ lines, quantity }) => Math.floor(this.unitsOf(lines) / quantity))
    const price =
      shape.price * Math.min(...offer.lines.map((position) => this.factor[this.sheet.ground.indexOf.get(position)!]!))
    const times = this.sheet.column('times', [at, -1], -price, Math.min(shape.timesMax, ...mosts), -shape.price)
    for (const { lines, quantity } of shape.components) {
      const taken = this.takesOf(at, offer, lines)
      this.sheet.row([[times, quantity], ...negative(taken)], 0)
      this.sheet.row([[times, -quantity], ...taken.map(({ column }): Entry => [column, 1])], 0)
    }
  }

  private takesOf(at: number, offer: Offer, lines: readonly number[] = offer.lines): LineColumn[] {
    return lines.flatMap((position) => {
      const line = this.sheet.ground.indexOf.get(position)!
      const first = this.sheet.columns.length
      for (const { off, hold } of this.casesOf(line, offer)) {
        this.pieces('take', [at, line], { off, hold, ...rateOn(offer, this.sheet.ground.lines[line]!, hold) })
      }
      if (this.mayGetNothing(line, offer)) {
        this.pieces('take', [at, line], { off: false, hold: heldBy(this.sheet.ground.lines[line]!), rate: 0, slack: 0 })
      }
      return Array.from({ length: this.sheet.columns.length - first }, (_, index) => ({ line, column: first + index }))
    })
  }

  // A unit that a `buy_get` gives for nothing off leaves its line's own discounts where they are.
  private mayGetNothing(at: number, offer: Offer): boolean {
    const line = this.sheet.ground.lines[at]!
    if (offer.shape.kind !== 'buy_get' || line.own === 0 || adds(offer)) return false
    return offer.amountOn(line, 1, partOf(line, 1, line.gross)) === 0
  }

  // Adds the columns for pieces of a line: the first apart, where a rounding is to be allowed for.
  private pieces(
    role: Role,
    [offer, line]: readonly [number, number],
    { off, hold, rate, slack, apart = false }: PieceGain,
  ): void {
    const { pieces } = this.sheet.ground.lines[line]!
    const weighted = this.factor[line]! * rate
    const first = this.factor[line]! * slack + (rate > 0 ? this.extra[line]! : 0)
    const split = (first > 0 || apart) && pieces > 1
    const least = this.firm[line] ? this.leastFactor[line]! * rate : 0
    const rounds = first > 0 || hold % pieces !== 0
    const short = this.firm[line] && rounds ? roundings + this.extra[line]! : 0
    const columns = split
      ? [
          this.sheet.column(role, [offer, line], weighted + first, 1, least - short),
          this.sheet.column(role, [offer, line], weighted, pieces - 1, least),
        ]
      : [
          this.sheet.column(
            role,
            [offer, line],
            weighted + first,
            pieces,
            pieces === 1 ? least - short : Math.min(least, least - short),
          ),
        ]
    if (offer !== -1 && slack > 0 && this.factor[line] === 1 && this.extra[line] === 0) {
      this.sheet.rounded.push({
        columns,
        offer: this.sheet.ground.offers[offer]!,
        line: this.sheet.ground.lines[line]!,
        hold,
      })
    }
    const cases = off ? this.off.get(line) : this.kept.get(line)
    for (const column of columns) {
      this.capacity[line]!.entries.push([column, 1])
      cases?.entries.push([column, 1])
    }
  }

  // How an offer can stand on a line: with the line's own discounts kept, or off, or either.
  private casesOf(at: number, offer?: Offer): { off: boolean; hold: Money }[] {
    const line = this.sheet.ground.lines[at]!
    const kept = { off: false, hold: heldBy(line) }
    const off = { off: true, hold: line.gross }
    if (line.own === 0) return [kept]
    if (offer !== undefined && !adds(offer)) return [off]
    return this.off.has(at) ? [kept, off] : [kept]
  }

  private mayReplace(at: number): boolean {
    const { free, stacks } = this.sheet.ground.lineOffers[at]!
    const position = this.sheet.ground.positions[at]!
    const tying = this.sheet.ground.offers.some((offer) => !adds(offer) && offer.lines.includes(position))
    return tying || !free.every(adds) || !stacks.every(adds)
  }

  private unitsOf(lines: readonly number[]): number {
    return lines.reduce(
      (sum, position) => sum + this.sheet.ground.lines[this.sheet.ground.indexOf.get(position)!]!.pieces,
      0,
    )
  }
}

/** How much a line can gain less than its rate says, by one rounding down of the part and one of the percentage. */
const roundings = 1.5

interface PieceGain {
  readonly off: boolean
  readonly hold: Money
  readonly rate: number
  readonly slack: number
  /** The first piece has a column of its own whatever its gain. */
  readonly apart?: boolean
}

interface LineColumn {
  readonly line: number
  readonly column: number
}

function negative(columns: readonly LineColumn[]): Entry[] {
  return columns.map(({ column }) => [column, -1])
}

// What is left of a minor unit after percentage stacks; amounts may be exhausted, so then all of it.
function remains(stacks: readonly Offer[], line: BasisLine): number {
  if (line.own > 0 && !stacks.every(adds)) return 1
  return remainder(stacks)
}

function remainder(stacks: readonly Offer[]): number {
  return stacks.reduce((left, offer) => left * (1 - percentageOn(offer)! / percentageWhole), 1)
}
