/** States that an empty layer has room for; few lines have more. A power of 2. */
const statesAtFirst = 64

/** States after a line, each with its greatest gain: a growing hash table over rows of digits, without objects. */
export class Layer {
  count = 0
  rows = new Float64Array(0)
  gains = new Float64Array(0)
  aheads = new Float64Array(0)
  backpointers = new Int32Array(0)
  hashes = new Int32Array(0)
  private slots = new Int32Array(0)
  private slotCount = 0
  width = 0

  reset(width: number): void {
    this.width = width
    this.count = 0
    this.slotCount = 0
    this.reserve(statesAtFirst)
  }

  put(row: Float64Array, hash: number, gain: number): number {
    const at = this.find(row, hash)
    if (gain <= this.gains[at]!) return -1
    this.gains[at] = gain
    return at
  }

  numberOf(row: Float64Array): number {
    return this.find(row, hashOfRow(row, this.width))
  }

  private find(row: Float64Array, hash: number): number {
    const { width } = this
    let slot = this.slotOf(row, hash)
    if (this.slots[slot] !== -1) return this.slots[slot]!
    if (2 * this.count === this.slotCount) {
      this.reserve(2 * this.count)
      slot = this.slotOf(row, hash)
    }
    const at = this.count++
    this.slots[slot] = at
    this.hashes[at] = hash
    const from = at * width
    for (let digit = 0; digit < width; digit++) this.rows[from + digit] = row[digit]!
    this.gains[at] = Number.NEGATIVE_INFINITY
    return at
  }

  keep(states: Int32Array): void {
    const { rows, gains, aheads, backpointers, hashes, width } = this
    for (let at = 0; at < states.length; at++) {
      const state = states[at]!
      rows.copyWithin(at * width, state * width, (state + 1) * width)
      gains[at] = gains[state]!
      aheads[at] = aheads[state]!
      backpointers[at] = backpointers[state]!
      hashes[at] = hashes[state]!
    }
    this.count = states.length
  }

  private slotOf(row: Float64Array, hash: number): number {
    const { slots, hashes } = this
    const mask = this.slotCount - 1
    let slot = mixed(hash) & mask
    for (let state = slots[slot]!; state !== -1; state = slots[slot]!) {
      if (hashes[state] === hash && this.isAt(state, row)) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  private isAt(state: number, row: Float64Array): boolean {
    const { rows, width } = this
    const from = state * width
    let digit = 0
    while (digit < width && rows[from + digit] === row[digit]) digit++
    return digit === width
  }

  // A power of 2; at most half of the slots are in use.
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
      this.backpointers = withRoom(this.backpointers, new Int32Array(capacity))
      this.hashes = withRoom(this.hashes, new Int32Array(capacity))
    }
    this.slotCount = 2 * capacity
    if (this.slots.length < this.slotCount) this.slots = new Int32Array(this.slotCount)
    this.slots.fill(-1, 0, this.slotCount)
    const mask = this.slotCount - 1
    for (let state = 0; state < this.count; state++) {
      let slot = mixed(this.hashes[state]!) & mask
      while (this.slots[slot] !== -1) slot = (slot + 1) & mask
      this.slots[slot] = state
    }
  }
}

export function hashOfRow(row: Float64Array, width: number): number {
  let hash = 0
  for (let digit = 0; digit < width; digit++) {
    hash = (hash + Math.imul(row[digit]!, Math.imul(digit + 1, 0x9e3779b1) | 1)) | 0
  }
  return hash
}

// Sums of few small digits differ in few bits.
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return once ^ (once >>> 13)
}

function withRoom<T extends Float64Array | Int32Array>(from: T, into: T): T {
  into.set(from)
  return into
}

const roomAtFirst = 1024

/** The paths of a walk, by number of an entry: the entry before, and the assignment. Shared by walks of a thread. */
export class Backpointers {
  befores = new Int32Array(roomAtFirst)
  taken = new Int32Array(roomAtFirst)
  private count = 0

  reset(): void {
    this.count = 0
  }

  add(before: number, assignment: number): number {
    const at = this.count++
    if (at === this.taken.length) {
      const { befores, taken } = this
      this.befores = new Int32Array(2 * at)
      this.taken = new Int32Array(2 * at)
      this.befores.set(befores)
      this.taken.set(taken)
    }
    this.befores[at] = before
    this.taken[at] = assignment
    return at
  }
}
