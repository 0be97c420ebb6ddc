export interface Wanted {
  readonly lines: readonly number[]
  readonly quantity: number
}

/**
 * Units missing to meet all wants at once, one want per unit; 0: none. A maximum flow along shortest paths, in time that
 * does not depend on quantities.
 *
 * @param unitsOn  whole units of a line
 */
export function shortage(wants: readonly Wanted[], unitsOn: (line: number) => number): number {
  const flow = new Flow(wants, unitsOn)
  // Fewest lines first: then units rarely have to move.
  const order = [...wants.keys()].sort((a, b) => wants[a]!.lines.length - wants[b]!.lines.length)
  return order.reduce((missing, want) => missing + flow.missingOf(want), 0)
}

interface Handover {
  readonly line: number
  readonly to: number
}

class Flow {
  private readonly left = new Map<number, number>()
  private readonly given: readonly Map<number, number>[]

  constructor(
    private readonly wants: readonly Wanted[],
    unitsOn: (line: number) => number,
  ) {
    for (const { lines } of wants) for (const line of lines) this.left.set(line, unitsOn(line))
    this.given = wants.map(() => new Map())
  }

  missingOf(want: number): number {
    let open = this.wants[want]!.quantity
    for (const line of this.wants[want]!.lines) {
      const units = Math.min(open, this.left.get(line)!)
      if (units > 0) this.take(want, line, units)
      open -= units
      if (open === 0) return 0
    }
    for (let moved = 1; moved > 0 && open > 0; open -= moved) moved = this.grow(want, open)
    return open
  }

  // Units along one path from a line with free units, over wants that take another line instead; 0: there is none.
  private grow(start: number, most: number): number {
    const handovers = new Map<number, Handover>()
    const seen = new Set<number>()
    const queue = [start]
    for (const want of queue) {
      for (const line of this.wants[want]!.lines) {
        if (seen.has(line)) continue
        seen.add(line)
        if (this.left.get(line)! > 0) return this.move(handovers, { line, to: want }, { start, most })
        for (let holder = 0; holder < this.given.length; holder++) {
          if (holder === start || handovers.has(holder) || !((this.given[holder]!.get(line) ?? 0) > 0)) continue
          handovers.set(holder, { line, to: want })
          queue.push(holder)
        }
      }
    }
    return 0
  }

  private move(
    handovers: ReadonlyMap<number, Handover>,
    last: Handover,
    { start, most }: { start: number; most: number },
  ): number {
    let units = Math.min(most, this.left.get(last.line)!)
    for (let want = last.to; want !== start; want = handovers.get(want)!.to) {
      units = Math.min(units, this.given[want]!.get(handovers.get(want)!.line)!)
    }
    this.take(last.to, last.line, units)
    for (let want = last.to; want !== start; want = handovers.get(want)!.to) {
      const { line, to } = handovers.get(want)!
      this.add(want, line, -units)
      this.add(to, line, units)
    }
    return units
  }

  private take(want: number, line: number, units: number): void {
    this.left.set(line, this.left.get(line)! - units)
    this.add(want, line, units)
  }

  private add(want: number, line: number, units: number): void {
    this.given[want]!.set(line, (this.given[want]!.get(line) ?? 0) + units)
  }
}
