/** Units that are wanted from any of some lines. */
export interface Wanted {
  /** Basis positions. */
  readonly lines: readonly number[]
  readonly quantity: number
}

/**
 * How many units are missing so that every want is met at once, a unit serving one want only.
 *
 * @param wants    what is wanted
 * @param unitsOn  whole units of a line
 * @returns        0 when all are met
 *
 * A flow from wants to lines, grown along paths that move what other wants took; its cost does not follow quantities.
 */
export function shortage(wants: readonly Wanted[], unitsOn: (line: number) => number): number {
  if (areApart(wants)) return shortageApart(wants, unitsOn)
  const given = wants.map(() => new Map<number, number>())
  const left = new Map<number, number>()
  for (const { lines } of wants) for (const line of lines) left.set(line, unitsOn(line))
  const flow = { wants, given, left }
  let missing = 0
  for (const [want, { quantity }] of wants.entries()) {
    let open = quantity
    while (open > 0) {
      const moved = grow(flow, want, open)
      if (moved === 0) break
      open -= moved
    }
    missing += open
  }
  return missing
}

// Whether no line is wanted twice.
function areApart(wants: readonly Wanted[]): boolean {
  const seen = new Set<number>()
  let count = 0
  for (const { lines } of wants) {
    count += lines.length
    for (const line of lines) seen.add(line)
  }
  return seen.size === count
}

function shortageApart(wants: readonly Wanted[], unitsOn: (line: number) => number): number {
  let missing = 0
  for (const { lines, quantity } of wants) {
    let left = quantity
    for (const line of lines) left -= unitsOn(line)
    missing += Math.max(0, left)
  }
  return missing
}

interface Flow {
  readonly wants: readonly Wanted[]
  /** Units each want has of each line. */
  readonly given: readonly Map<number, number>[]
  readonly left: Map<number, number>
}

interface Step {
  readonly want: number
  readonly line: number
  readonly before: Step | null
}

// Breadth first: from the want to its lines, from a used-up line to the wants that have units of it.
function grow({ wants, given, left }: Flow, from: number, most: number): number {
  const seen = new Set([from])
  const queue: { want: number; before: Step | null }[] = [{ want: from, before: null }]
  const seenLines = new Set<number>()
  for (const { want, before } of queue) {
    for (const line of wants[want]!.lines) {
      if (seenLines.has(line)) continue
      seenLines.add(line)
      const step = { want, line, before }
      if (left.get(line)! > 0) return move({ wants, given, left }, step, most)
      for (const [other, units] of given.entries()) {
        if (seen.has(other) || (units.get(line) ?? 0) === 0) continue
        seen.add(other)
        queue.push({ want: other, before: step })
      }
    }
  }
  return 0
}

function move({ given, left }: Flow, last: Step, most: number): number {
  let moved = Math.min(most, left.get(last.line)!)
  for (let step: Step = last; step.before !== null; step = step.before) {
    moved = Math.min(moved, given[step.want]!.get(step.before.line)!)
  }
  left.set(last.line, left.get(last.line)! - moved)
  for (let step: Step | null = last; step !== null; step = step.before) {
    const own = given[step.want]!
    own.set(step.line, (own.get(step.line) ?? 0) + moved)
    if (step.before !== null) own.set(step.before.line, own.get(step.before.line)! - moved)
  }
  return moved
}
