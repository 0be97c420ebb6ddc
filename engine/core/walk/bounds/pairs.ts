import type { Field } from '../fields.js'
import type { Stop, Track } from '../tracks.js'
import type { WalkLine } from '../ways.js'
import { type Moves, movesOf, type Prices } from './prices.js'

/** Moves of two offers together that are looked at in the time of one step, and numbers of tables that are cleared. */
const movesPerStep = 250
const clearedPerStep = 2000

/** Lines of two offers that are compared in the time of one step. */
const comparedPerStep = 500

/** Numbers in all tables together. */
const cellsMax = 500_000

/** Numbers of a pair at a place: both offers, where its table begins, and how many states the second offer has there. */
const entry = 4

/** What an offer lacks at one of its lines with each open move, to what it can still come to from the state before. */
interface Own {
  readonly place: number
  readonly stop: Stop
  readonly moves: Moves
  readonly lacks: Float64Array
  /** By use: the least of it; infinite where no move is open. */
  readonly least: Float64Array
}

/** What is lacking by the states of two offers, one row for each of the first. */
interface Table {
  readonly start: number
  readonly rows: number
  readonly width: number
}

/**
 * What plans lack, to what offers and lines come to each by itself, by the states of two offers at once. Two offers that
 * want the same units cannot both come to what each could alone. From each two states of them, line by line from the
 * last that they have in common, it is worked out here what is lacking at least, where each line is served in a way that
 * has the uses of both of them, and all others lack what they lack at least with their uses in that way.
 *
 * What a way lacks at its line, and an offer with a move, is never below 0 and counts once, so all that plans lack from
 * there on is no less. That is so for each pair; for several it does not add up, since what others lack is in each of
 * them: the greatest counts.
 */
export class Pairs {
  steps = 0
  private readonly prices: Prices
  private readonly fields: readonly Field[]
  /** Pairs that were looked at for states. */
  looks = 0
  /** By place. */
  private readonly pairs: readonly Int32Array[]
  private taken = 0
  /** By offer: the state it is in. */
  private readonly digits: Int32Array
  private readonly own: readonly (readonly Own[])[]
  /** By place and open way: what is lacking with it at least, of all offers and the line. */
  private readonly totals: readonly Float64Array[]
  /** By offer and place: the number of its first stop from there on. */
  private readonly stopAt: readonly Int32Array[]

  /**
   * @param prices    what lines and offers come to, and which ways and moves are open
   * @param stepsMax  pairs that do not fit into so many steps are left out
   */
  constructor(
    private readonly lines: readonly WalkLine[],
    tracks: readonly Track[],
    { prices, fields, stepsMax }: { prices: Prices; fields: readonly Field[]; stepsMax: number },
  ) {
    this.prices = prices
    this.fields = fields
    this.digits = new Int32Array(tracks.length)
    this.own = tracks.map(({ stops }, offer) => stops.map((stop, at) => this.ownOf(stop, { offer, at })))
    this.stopAt = tracks.map(({ stops }) => {
      const at = new Int32Array(lines.length)
      for (let place = 0, stop = 0; place < lines.length; place++) {
        at[place] = stop
        if (stops[stop]?.place === place) stop++
      }
      return at
    })
    this.totals = lines.map((line, place) => this.totalsOf(line, place))
    this.steps = (lines.length * tracks.length ** 2) / comparedPerStep
    const found: number[][] = lines.map(() => [])
    found.push([])
    for (let one = 0; one < tracks.length; one++) {
      for (let other = one + 1; other < tracks.length; other++) {
        const last = this.lastOf(one, other)
        if (last < 0) continue
        const { steps, cells } = this.sizeOf([one, other], last)
        if (this.steps + steps > stepsMax || this.taken + cells > cellsMax) continue
        this.steps += steps
        this.lay([one, other], last, found)
      }
    }
    this.pairs = found.map((each) => Int32Array.from(each))
  }

  /**
   * What is lacking at least before a place in the state of a row; where that is more than `spare`, not all pairs are
   * looked at. The pair that showed it comes first from then on.
   */
  lackOf(place: number, { rows, from, spare }: { rows: Float64Array; from: number; spare: number }): number {
    const { digits, fields } = this
    for (let offer = 0; offer < fields.length; offer++) {
      const { column, shift, mask } = fields[offer]!
      digits[offer] = (rows[from + column]! >> shift) & mask
    }
    const own = this.pairs[place]!
    const values = pool
    let most = 0
    for (let at = 0; at < own.length; at += entry) {
      this.looks++
      const lack = values[own[at + 2]! + digits[own[at]!]! * own[at + 3]! + digits[own[at + 1]!]!]!
      if (lack <= most) continue
      most = lack
      if (lack <= spare) continue
      for (let of = 0; of < entry; of++) {
        const first = own[of]!
        own[of] = own[at + of]!
        own[at + of] = first
      }
      break
    }
    return most
  }

  /** How many pairs are looked at before a place. */
  countAt(place: number): number {
    return this.pairs[place]!.length / entry
  }

  private ownOf(stop: Stop, { offer, at }: { offer: number; at: number }): Own {
    const [now, later] = [this.prices.ahead[offer]![at]!, this.prices.ahead[offer]![at + 1]!]
    const charges = this.prices.charges[offer]![at]!
    const moves = movesOf(stop)
    const { from, use, to, gain } = moves
    const lacks = new Float64Array(from.length)
    const least = new Float64Array(stop.useCount).fill(Number.POSITIVE_INFINITY)
    for (let each = 0; each < from.length; each++) {
      const lack = Math.max(0, now[from[each]!]! + charges[use[each]!]! - gain[each]! - later[to[each]!]!)
      lacks[each] = lack
      if (lack < least[use[each]!]!) least[use[each]!] = lack
    }
    return { place: stop.place, stop, moves, lacks, least }
  }

  private totalsOf({ offers }: WalkLine, place: number): Float64Array {
    const { restAhead, rests, open, charges } = this.prices
    const most = restAhead[place]! - restAhead[place + 1]!
    const ways = open[place]!
    const totals = new Float64Array(ways.length)
    for (let each = 0; each < ways.length; each++) totals[each] = most - rests[place]![ways[each]!]!
    const own = offers.map((offer) => this.own[offer]![this.stopAt[offer]![place]!]!)
    for (let of = 0; of < offers.length; of++) {
      const { useOf } = own[of]!.stop
      const charged = charges[offers[of]!]![this.stopAt[offers[of]!]![place]!]!
      for (let each = 0; each < ways.length; each++) totals[each]! -= charged[useOf[ways[each]!]!]!
    }
    for (let each = 0; each < ways.length; each++) if (totals[each]! < 0) totals[each] = 0
    for (const { stop, least } of own) {
      for (let each = 0; each < ways.length; each++) totals[each]! += least[stop.useOf[ways[each]!]!]!
    }
    return totals
  }

  // The last line that both have.
  private lastOf(one: number, other: number): number {
    for (let place = this.lines.length - 1; place >= 0; place--) {
      const { offers } = this.lines[place]!
      if (offers.includes(one) && offers.includes(other)) return place
    }
    return -1
  }

  // How long the tables of two offers take, and how large they are.
  private sizeOf([one, other]: readonly [number, number], last: number): { steps: number; cells: number } {
    const statesAt = (offer: number, stop: number) => this.own[offer]![stop]?.stop.stateCount ?? 1
    let looks = 0
    let cells = statesAt(one, this.stopAt[one]![last]! + 1) * statesAt(other, this.stopAt[other]![last]! + 1)
    for (let place = 0; place <= last; place++) {
      const a = this.own[one]![this.stopAt[one]![place]!]!
      const b = this.own[other]![this.stopAt[other]![place]!]!
      const [hasOne, hasOther] = [a.place === place, b.place === place]
      if (!hasOne && !hasOther) continue
      const [rows, width] = [a.stop.stateCount, b.stop.stateCount]
      cells += rows * width
      looks += (hasOne ? a.moves.from.length : rows) * (hasOther ? b.moves.from.length : width)
    }
    return { steps: looks / movesPerStep + cells / clearedPerStep, cells }
  }

  private lay([one, other]: readonly [number, number], last: number, found: readonly number[][]): void {
    const [first, second] = [this.own[one]!, this.own[other]!]
    const statesAt = (own: readonly Own[], stop: number) => own[stop]?.stop.stateCount ?? 1
    const [at, of] = [this.stopAt[one]![last]!, this.stopAt[other]![last]!]
    // Behind that line nothing is known to be lacking.
    let behind = this.tableOf({ rows: statesAt(first, at + 1), width: statesAt(second, of + 1), value: 0 })
    for (let place = last; place >= 0; place--) {
      // Up to the last line that both have, each has one to come.
      const [a, b] = [first[this.stopAt[one]![place]!]!, second[this.stopAt[other]![place]!]!]
      const [hasOne, hasOther] = [a.place === place, b.place === place]
      if (hasOne || hasOther) {
        const [rows, width] = [a.stop.stateCount, b.stop.stateCount]
        const table = this.tableOf({ rows, width, value: Number.POSITIVE_INFINITY })
        if (hasOne && hasOther) this.passBoth([a, b], table, behind)
        else if (hasOne) this.passFirst(a, table, behind)
        else this.passSecond(b, table, behind)
        behind = table
      }
      found[place]!.push(one, other, behind.start, behind.width)
    }
  }

  private tableOf({ rows, width, value }: { rows: number; width: number; value: number }): Table {
    const start = this.taken
    this.taken += rows * width
    if (pool.length < this.taken) {
      const values = new Float64Array(2 * this.taken)
      values.set(pool.subarray(0, start))
      pool = values
    }
    pool.fill(value, start, this.taken)
    return { start, rows, width }
  }

  // What the line and all others lack at least, by use of an offer, and use of a second one.
  private besideOf(a: Own, b: Own | null): Float64Array {
    const [ways, totals] = [this.prices.open[a.place]!, this.totals[a.place]!]
    const uses = b === null ? 1 : b.stop.useCount
    const beside = new Float64Array(a.stop.useCount * uses).fill(Number.POSITIVE_INFINITY)
    for (let each = 0; each < ways.length; each++) {
      if (totals[each] === Number.POSITIVE_INFINITY) continue
      const use = a.stop.useOf[ways[each]!]!
      const along = b === null ? 0 : b.stop.useOf[ways[each]!]!
      const lack = Math.max(0, totals[each]! - a.least[use]! - (b === null ? 0 : b.least[along]!))
      if (lack < beside[use * uses + along]!) beside[use * uses + along] = lack
    }
    return beside
  }

  private passBoth([a, b]: readonly [Own, Own], table: Table, behind: Table): void {
    const beside = this.besideOf(a, b)
    const { from, use, to } = b.moves
    const { lacks } = b
    const values = pool
    for (let each = 0; each < a.lacks.length; each++) {
      const row = table.start + a.moves.from[each]! * table.width
      const later = behind.start + a.moves.to[each]! * behind.width
      const uses = a.moves.use[each]! * b.stop.useCount
      const lack = a.lacks[each]!
      for (let of = 0; of < lacks.length; of++) {
        const all = lack + lacks[of]! + beside[uses + use[of]!]! + values[later + to[of]!]!
        if (all < values[row + from[of]!]!) values[row + from[of]!] = all
      }
    }
  }

  private passFirst(own: Own, table: Table, behind: Table): void {
    const beside = this.besideOf(own, null)
    const { moves, lacks } = own
    const values = pool
    for (let each = 0; each < lacks.length; each++) {
      const row = table.start + moves.from[each]! * table.width
      const later = behind.start + moves.to[each]! * behind.width
      const lack = lacks[each]! + beside[moves.use[each]!]!
      for (let state = 0; state < table.width; state++) {
        const all = lack + values[later + state]!
        if (all < values[row + state]!) values[row + state] = all
      }
    }
  }

  private passSecond(own: Own, table: Table, behind: Table): void {
    const beside = this.besideOf(own, null)
    const { from, use, to } = own.moves
    const { lacks } = own
    const values = pool
    for (let state = 0; state < table.rows; state++) {
      const [row, later] = [table.start + state * table.width, behind.start + state * behind.width]
      for (let each = 0; each < lacks.length; each++) {
        const all = lacks[each]! + beside[use[each]!]! + values[later + to[each]!]!
        if (all < values[row + from[each]!]!) values[row + from[each]!] = all
      }
    }
  }
}

/** The tables of all pairs: one for all walks of a thread. */
let pool = new Float64Array(0)
