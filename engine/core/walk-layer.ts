/** States that an empty layer has room for; few lines have more. A power of 2. */
const statesAtFirst = 64

/**
 * The states after a line of a walk, each with the greatest gain it was reached with: a growing hash table over rows of
 * digits, without an object per state. Two layers, swapped from line to line, serve all walks of a thread, and two
 * others all tracks; they keep the memory of the largest.
 */
export class Layer {
  count = 0
  rows = new Float64Array(0)
  gains = new Float64Array(0)
  /** What each state can still come to at most, beside what lines have. */
  aheads = new Float64Array(0)
  /** Number of the step that led to each state. */
  trails = new Int32Array(0)
  private slots = new Int32Array(0)
  /** Slots in use, a power of 2. */
  private slotCount = 0
  private width = 0

  /** Empties the layer for rows of so many digits. */
  reset(width: number): void {
    this.width = width
    this.count = 0
    this.slotCount = 0
    this.reserve(statesAtFirst)
  }

  /**
   * The number of the state with this row where it is new, or was reached with less than this gain; -1 where it was
   * reached with as much.
   */
  put(row: Float64Array, gain: number): number {
    const at = this.numberOf(row)
    if (gain <= this.gains[at]!) return -1
    this.gains[at] = gain
    return at
  }

  /** The number of the state with this row; where it is new, it has not been reached with any gain yet. */
  numberOf(row: Float64Array): number {
    let at = this.find(row)
    if (at >= 0) return at
    if (2 * this.count === this.slotCount) {
      this.reserve(2 * this.count)
      at = this.find(row)
    }
    this.slots[-1 - at] = this.count
    at = this.count++
    const from = at * this.width
    for (let digit = 0; digit < this.width; digit++) this.rows[from + digit] = row[digit]!
    this.gains[at] = Number.NEGATIVE_INFINITY
    return at
  }

  /** Keeps only the states of these numbers, ascending; nothing can be put any more. */
  keep(states: readonly number[]): void {
    const { rows, gains, aheads, trails, width } = this
    for (const [at, state] of states.entries()) {
      rows.copyWithin(at * width, state * width, (state + 1) * width)
      gains[at] = gains[state]!
      aheads[at] = aheads[state]!
      trails[at] = trails[state]!
    }
    this.count = states.length
  }

  // The number of the row, or -1 - slot where it would go.
  private find(row: Float64Array): number {
    const { slots, width } = this
    const mask = this.slotCount - 1
    let hash = 0
    for (let digit = 0; digit < width; digit++) hash = Math.imul(hash ^ row[digit]!, 0x9e3779b1) ^ (hash >>> 15)
    let slot = (hash ^ (hash >>> 16)) & mask
    while (slots[slot] !== -1 && !this.isAt(slots[slot]!, row)) slot = (slot + 1) & mask
    return slots[slot] === -1 ? -1 - slot : slots[slot]!
  }

  private isAt(state: number, row: Float64Array): boolean {
    const { rows, width } = this
    const from = state * width
    let digit = 0
    while (digit < width && rows[from + digit] === row[digit]) digit++
    return digit === width
  }

  // Room for so many states: a power of 2, half of the slots at most in use.
  private reserve(wanted: number): void {
    let capacity = statesAtFirst
    while (capacity < wanted) capacity *= 2
    if (this.rows.length < capacity * this.width) {
      const rows = new Float64Array(capacity * this.width)
      rows.set(this.rows.subarray(0, this.count * this.width))
      this.rows = rows
    }
    if (this.gains.length < capacity) {
      this.aheads = withRoom(this.aheads, new Float64Array(capacity))
      this.gains = withRoom(this.gains, new Float64Array(capacity))
      this.trails = withRoom(this.trails, new Int32Array(capacity))
    }
    this.slotCount = 2 * capacity
    if (this.slots.length < this.slotCount) this.slots = new Int32Array(this.slotCount)
    this.slots.fill(-1, 0, this.slotCount)
    if (this.count === 0) return
    const row = new Float64Array(this.width)
    for (let state = 0; state < this.count; state++) {
      for (let digit = 0; digit < this.width; digit++) row[digit] = this.rows[state * this.width + digit]!
      this.slots[-1 - this.find(row)] = state
    }
  }
}

function withRoom<T extends Float64Array | Int32Array>(from: T, into: T): T {
  into.set(from)
  return into
}
