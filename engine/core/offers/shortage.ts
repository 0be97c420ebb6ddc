import { sumOf } from '../base/money.js'

/** Units wanted from any of some lines. */
export interface Wanted {
  /** Basis positions. */
  readonly lines: readonly number[]
  readonly quantity: number
}

/**
 * Units missing to meet all wants at once, one want per unit; 0: none. A maximum flow (Dinic), in time that does not
 * depend on quantities.
 *
 * @param unitsOn  whole units of a line
 */
export function shortage(wants: readonly Wanted[], unitsOn: (line: number) => number): number {
  if (areAlike(wants)) return shortageOn(wants[0]!.lines, sumOf(wants.map(({ quantity }) => quantity)), unitsOn)
  return areApart(wants) ? shortageApart(wants, unitsOn) : new Flow(wants, unitsOn).missing()
}

// As when a benefit buys and gets from the same list.
function areAlike(wants: readonly Wanted[]): boolean {
  return wants.every(({ lines }) => lines === wants[0]!.lines)
}

function areApart(wants: readonly Wanted[]): boolean {
  const seen = new Set<number>()
  for (const { lines } of wants) {
    for (const line of lines) {
      if (seen.has(line)) return false
      seen.add(line)
    }
  }
  return true
}

function shortageApart(wants: readonly Wanted[], unitsOn: (line: number) => number): number {
  return wants.reduce((missing, { lines, quantity }) => missing + shortageOn(lines, quantity, unitsOn), 0)
}

function shortageOn(lines: readonly number[], quantity: number, unitsOn: (line: number) => number): number {
  let left = quantity
  for (const line of lines) left -= unitsOn(line)
  return Math.max(0, left)
}

class Flow {
  private readonly open: number[]
  private readonly left: Float64Array
  /** Units given to wants, by want and line. */
  private readonly given: Float64Array
  private readonly holders: readonly number[][]
  /** Breadth-first distance from a want that lacks units; -1: unreachable. */
  private readonly wantLevels: Int32Array
  private readonly lineLevels: Int32Array
  /** Dead ends found in this phase. */
  private readonly wantTried: Int32Array
  private readonly lineTried: Int32Array
  private readonly lineCount: number

  constructor(
    private readonly wants: readonly Wanted[],
    unitsOn: (line: number) => number,
  ) {
    this.lineCount = 1 + wants.reduce((most, { lines }) => lines.reduce((last, line) => Math.max(last, line), most), -1)
    this.open = wants.map(({ quantity }) => quantity)
    this.left = new Float64Array(this.lineCount)
    for (const { lines } of wants) for (const line of lines) this.left[line] = unitsOn(line)
    this.given = new Float64Array(wants.length * this.lineCount)
    this.holders = Array.from(this.left, () => [])
    this.wantLevels = new Int32Array(wants.length)
    this.lineLevels = new Int32Array(this.lineCount)
    this.wantTried = new Int32Array(wants.length)
    this.lineTried = new Int32Array(this.lineCount)
  }

  missing(): number {
    // Fewest lines first: then units rarely have to move.
    const order = [...this.wants.keys()].sort((a, b) => this.wants[a]!.lines.length - this.wants[b]!.lines.length)
    for (const want of order) {
      for (const line of this.wants[want]!.lines) {
        if (this.open[want] === 0) break
        this.open[want]! -= this.take(want, line, this.open[want]!)
      }
    }
    while (this.findLevels()) {
      for (const want of order) {
        for (let moved = 1; moved > 0 && this.open[want]! > 0; this.open[want]! -= moved) {
          moved = this.grow(want, this.open[want]!)
        }
      }
    }
    return this.open.reduce((sum, units) => sum + units, 0)
  }

  private take(want: number, line: number, most: number): number {
    const units = Math.min(most, this.left[line]!)
    this.left[line]! -= units
    if (units > 0) this.give(want, line, units)
    return units
  }

  private give(want: number, line: number, units: number): void {
    const at = want * this.lineCount + line
    if (this.given[at] === 0 && !this.holders[line]!.includes(want)) this.holders[line]!.push(want)
    this.given[at]! += units
  }

  // From wants to lines, and from exhausted lines to their holders. False if no free units are reachable.
  private findLevels(): boolean {
    const { wants, wantLevels, lineLevels } = this
    wantLevels.fill(-1)
    lineLevels.fill(-1)
    this.wantTried.fill(0)
    this.lineTried.fill(0)
    const queue = [...wants.keys()].filter((want) => this.open[want]! > 0)
    for (const want of queue) wantLevels[want] = 0
    let isFound = false
    for (const want of queue) {
      for (const line of wants[want]!.lines) {
        if (lineLevels[line] !== -1) continue
        lineLevels[line] = wantLevels[want]!
        if (this.left[line]! > 0) isFound = true
        else if (!isFound) this.reachHolders(line, queue)
      }
    }
    return isFound
  }

  private reachHolders(line: number, queue: number[]): void {
    for (const holder of this.holders[line]!) {
      if (this.wantLevels[holder] !== -1 || this.given[holder * this.lineCount + line] === 0) continue
      this.wantLevels[holder] = this.lineLevels[line]! + 1
      queue.push(holder)
    }
  }

  // Units along one augmenting path; 0: none is left in this phase.
  private grow(want: number, most: number): number {
    const { lines } = this.wants[want]!
    for (; this.wantTried[want]! < lines.length; this.wantTried[want]!++) {
      const line = lines[this.wantTried[want]!]!
      if (this.lineLevels[line] !== this.wantLevels[want]) continue
      const units = this.left[line]! > 0 ? this.take(want, line, most) : this.takeOver(want, line, most)
      if (units > 0) return units
    }
    return 0
  }

  private takeOver(want: number, line: number, most: number): number {
    const holders = this.holders[line]!
    for (; this.lineTried[line]! < holders.length; this.lineTried[line]!++) {
      const holder = holders[this.lineTried[line]!]!
      const at = holder * this.lineCount + line
      if (this.wantLevels[holder] !== this.lineLevels[line]! + 1 || this.given[at] === 0) continue
      const moved = this.grow(holder, Math.min(most, this.given[at]!))
      if (moved === 0) continue
      this.given[at]! -= moved
      this.give(want, line, moved)
      return moved
    }
    return 0
  }
}
